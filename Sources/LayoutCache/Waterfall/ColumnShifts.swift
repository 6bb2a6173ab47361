/// How far the first eight columns move.
///
/// Pairs, because a vector of eight is aligned to its 64 bytes, and so would be every
/// child of a node: a third more memory, and a slower way to get it.
struct ColumnShifts: Sendable, Equatable {
  static let count = 8

  private var first = SIMD2<Int64>.zero
  private var second = SIMD2<Int64>.zero
  private var third = SIMD2<Int64>.zero
  private var fourth = SIMD2<Int64>.zero

  subscript(column: Int) -> Int64 {
    // The switch that this would otherwise be takes longer than all else in a search.
    get {
      precondition((0..<Self.count).contains(column))
      return withUnsafeBytes(of: self) {
        $0.loadUnaligned(fromByteOffset: column * MemoryLayout<Int64>.stride, as: Int64.self)
      }
    }
    set {
      precondition((0..<Self.count).contains(column))
      withUnsafeMutableBytes(of: &self) {
        $0.storeBytes(
          of: newValue, toByteOffset: column * MemoryLayout<Int64>.stride, as: Int64.self)
      }
    }
  }

  var isZero: Bool { (first | second | third | fourth) == .zero }

  /// Moves as many of the columns as there are.
  func apply(to positions: inout [Int64]) {
    let count = min(Self.count, positions.count)
    positions.withUnsafeMutableBufferPointer { positions in
      for column in 0..<count { positions[column] &+= self[column] }
    }
  }

  static func &+= (left: inout ColumnShifts, right: ColumnShifts) {
    left.first &+= right.first
    left.second &+= right.second
    left.third &+= right.third
    left.fourth &+= right.fourth
  }
}
