/// The shifts of the first eight columns.
///
/// Stored as pairs, because a vector of eight is aligned to its 64 bytes, and so would be every
/// child of a node: a third more memory, and slower access.
struct ColumnShifts: Sendable, Equatable {
  static let count = 8

  private var first = SIMD2<Int64>.zero
  private var second = SIMD2<Int64>.zero
  private var third = SIMD2<Int64>.zero
  private var fourth = SIMD2<Int64>.zero

  subscript(column: Int) -> Int64 {
    // A `switch` instead would dominate the time of a search.
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

  /// Runs `body` on the columns in place: accessing the columns through the subscript for each
  /// of a leaf's items would copy all columns each time.
  ///
  /// The buffer has ``count`` elements, valid until `body` returns.
  @inline(__always)
  mutating func withColumns<Result>(
    _ body: (UnsafeMutableBufferPointer<Int64>) throws -> Result
  ) rethrows -> Result {
    try withUnsafeMutableBytes(of: &self) { try body($0.assumingMemoryBound(to: Int64.self)) }
  }

  /// The greatest of them.
  var greatest: Int64 {
    pointwiseMax(pointwiseMax(first, second), pointwiseMax(third, fourth)).max()
  }

  var isZero: Bool { (first | second | third | fourth) == .zero }

  /// Moves the positions that exist.
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

  /// Whether any of the columns, taken as positions, is below a limit.
  ///
  /// Uses the sign bits of differences: comparing pairs takes several instructions each,
  /// subtracting them one.
  @inline(__always)
  func isAnyBelow(_ limit: Int64) -> Bool {
    let limits = SIMD2(repeating: limit)
    let isBelow =
      (first &- limits) | (second &- limits) | (third &- limits) | (fourth &- limits)
    return isBelow[0] | isBelow[1] < 0
  }

  /// Whether any of the columns, taken as positions, is below a limit and is moved
  /// beyond another one.
  @inline(__always)
  func isAnyBelow(_ limit: Int64, movedBy shifts: ColumnShifts, beyond end: Int64) -> Bool {
    let (limits, ends) = (SIMD2(repeating: limit), SIMD2(repeating: end))
    func crosses(_ position: SIMD2<Int64>, _ shift: SIMD2<Int64>) -> SIMD2<Int64> {
      (position &- limits) & (ends &- (position &+ shift))
    }
    let isCrossing =
      crosses(first, shifts.first) | crosses(second, shifts.second)
      | crosses(third, shifts.third) | crosses(fourth, shifts.fourth)
    return isCrossing[0] | isCrossing[1] < 0
  }
}
