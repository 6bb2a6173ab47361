import SumTree

typealias NumberTree = SumTree<NumberLeaf>

extension SumTree<NumberLeaf> {
  /// All numbers, leaf by leaf.
  func numbers(in session: TreeSession) throws -> [Int] {
    var numbers: [Int] = []
    try forEachLeaf(in: session) { leaf, start in
      precondition(start == numbers.count)
      numbers += leaf.numbers
    }
    return numbers
  }

  /// Replaces numbers in a tree that is entirely in memory.
  mutating func replace(_ range: Range<Int>, with numbers: some Sequence<Int>) throws {
    try replaceSubrange(range, with: NumberLeaf(numbers), in: TreeSession())
  }

  /// A tree of the numbers from zero up.
  static func counting(to count: Int, shape: TreeShape) throws -> NumberTree {
    var builder = TreeBuilder<NumberLeaf>(shape: shape)
    try builder.append(NumberLeaf(0..<count))
    return try builder.finish()
  }

  /// The same tree, stored and with nothing in memory.
  func stored(in memory: NodeMemory) throws -> NumberTree {
    try store(into: memory).publish()
    return unloaded()
  }
}

extension TreeShape {
  /// Tiny shapes, which give deep trees of few elements.
  static let tiny: [TreeShape] = [
    TreeShape(leafCapacity: 1, fanOut: 3), TreeShape(leafCapacity: 3, fanOut: 3),
    TreeShape(leafCapacity: 4, fanOut: 4), TreeShape(leafCapacity: 8, fanOut: 3),
    TreeShape(leafCapacity: 3, fanOut: 8), TreeShape(leafCapacity: 7, fanOut: 5),
    // Wide enough for runs of children.
    TreeShape(leafCapacity: 1, fanOut: 20), TreeShape(leafCapacity: 2, fanOut: 30),
  ]
}
