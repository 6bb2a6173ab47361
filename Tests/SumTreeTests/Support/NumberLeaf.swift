import SumTree

/// A leaf of plain numbers, with a summary that is as inconvenient as the laws of `Summary` allow.
struct NumberLeaf: TreeLeaf, Equatable {
  var numbers: [Int]

  init(_ numbers: some Sequence<Int>) {
    self.numbers = Array(numbers)
  }

  var count: Int { numbers.count }
  var byteCount: Int { numbers.count * 8 }

  var summary: NumberSummary {
    numbers.reduce(into: .identity) { $0.append(NumberSummary(of: $1)) }
  }

  func slice(_ range: Range<Int>) -> NumberLeaf { NumberLeaf(numbers[range]) }
  func joined(with next: NumberLeaf) -> NumberLeaf { NumberLeaf(numbers + next.numbers) }

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(numbers.count)
    for number in numbers { writer.writeSignedVarint(Int64(number)) }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    let count = try reader.readCount(limit: 1 << 24, sizeMin: 1)
    numbers = []
    numbers.reserveCapacity(count)
    for _ in 0..<count { numbers.append(Int(try reader.readSignedVarint())) }
  }
}

/// Sum and maximum for seeks; a polynomial hash and a product of matrices over
/// (max, +) to tell any two orders apart. The matrices have no inverse.
struct NumberSummary: Summary {
  var sum = 0
  var max = Int.min
  var hash = 0
  var hashFactor = 1
  var matrix = MaxPlusMatrix.identity

  static let identity = NumberSummary()

  private init() {}

  init(of number: Int) {
    sum = number
    max = number
    hash = number
    hashFactor = 1_000_003
    matrix = MaxPlusMatrix(
      a: number & 7, b: (number >> 1) & 15, c: MaxPlusMatrix.none, d: (number >> 3) & 7)
  }

  var isQuicklyMultiplied: Bool { true }

  mutating func append(_ next: NumberSummary) {
    sum &+= next.sum
    max = Swift.max(max, next.max)
    hash = hash &* next.hashFactor &+ next.hash
    hashFactor = hashFactor &* next.hashFactor
    matrix = matrix.times(next.matrix)
  }

  func encode(into writer: inout ByteWriter) {
    for value in [sum, max, hash, hashFactor, matrix.a, matrix.b, matrix.c, matrix.d] {
      writer.writeSignedVarint(Int64(value))
    }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    sum = Int(try reader.readSignedVarint())
    max = Int(try reader.readSignedVarint())
    hash = Int(try reader.readSignedVarint())
    hashFactor = Int(try reader.readSignedVarint())
    matrix = MaxPlusMatrix(
      a: Int(try reader.readSignedVarint()), b: Int(try reader.readSignedVarint()),
      c: Int(try reader.readSignedVarint()), d: Int(try reader.readSignedVarint()))
  }
}

/// A 2×2 matrix over (max, +): non-commutative and without inverses.
struct MaxPlusMatrix: Equatable {
  /// Minus infinity.
  static let none = -(1 << 60)
  static let identity = MaxPlusMatrix(a: 0, b: none, c: none, d: 0)

  var a, b, c, d: Int

  func times(_ next: MaxPlusMatrix) -> MaxPlusMatrix {
    func add(_ x: Int, _ y: Int) -> Int { x == Self.none || y == Self.none ? Self.none : x &+ y }
    return MaxPlusMatrix(
      a: max(add(a, next.a), add(b, next.c)), b: max(add(a, next.b), add(b, next.d)),
      c: max(add(c, next.a), add(d, next.c)), d: max(add(c, next.b), add(d, next.d)))
  }
}

/// The largest number so far: monotone, and not determined by any difference.
struct MaxSoFar: ElementDimension, Equatable {
  var value = Int.min

  mutating func advance(over summary: NumberSummary, count: Int) {
    value = max(value, summary.max)
  }

  mutating func pass(_ index: Int, of leaf: NumberLeaf) { value = max(value, leaf.numbers[index]) }
}

/// A row vector that the matrices act on, kept in an array as a caller with many columns would.
struct Columns: ElementDimension, Equatable {
  var positions = [0, 3]

  mutating func advance(over summary: NumberSummary, count: Int) {
    let (x, y) = (positions[0], positions[1])
    let m = summary.matrix
    positions[0] = max(x + m.a, y + m.c)
    positions[1] = max(x + m.b, y + m.d)
  }

  mutating func pass(_ index: Int, of leaf: NumberLeaf) {
    advance(over: NumberSummary(of: leaf.numbers[index]), count: 1)
  }
}
