import Testing

@testable import SumTree

@Suite struct TreeBuilderTests {
  static let shape = TreeShape(leafCapacity: 4, fanOut: 3)

  @Test(arguments: TreeShape.tiny)
  func buildingInOneRunAndByElementGivesTheSameTree(shape: TreeShape) throws {
    for count in 0...3 * shape.leafCapacity * shape.fanOut {
      let atOnce = try NumberTree.counting(to: count, shape: shape)
      try atOnce.checkInvariants(in: TreeSession())
      #expect(try atOnce.numbers(in: TreeSession()) == Array(0..<count))

      var builder = TreeBuilder<NumberLeaf>(shape: shape)
      for number in 0..<count { try builder.append(NumberLeaf([number])) }
      let oneByOne = try builder.finish()
      #expect(try Self.leaves(of: oneByOne) == Self.leaves(of: atOnce))
      #expect(oneByOne.height == atOnce.height)
    }
  }

  @Test func withASinkFewNodesArePendingAndNoneStayInMemory() throws {
    let memory = NodeMemory()
    var builder = TreeBuilder<NumberLeaf>(shape: Self.shape, sink: memory)
    let pendingMax = Self.shape.fanOut + Self.shape.childrenMin - 1
    for start in stride(from: 0, to: 20_000, by: 10) {
      try builder.append(NumberLeaf(start..<start + 10))
      let levels = 1 + Int.log(base: Self.shape.fanOut, of: start / Self.shape.leafCapacity + 10)
      #expect(builder.pending.reduce(0) { $0 + $1.count } <= pendingMax * levels)
    }
    let tree = try builder.finish()
    #expect(!tree.isDirty)
    #expect(builder.createdNodes == memory.payloads.count)
    let session = TreeSession(memory)
    try tree.checkInvariants(in: session)
    #expect(session.nodesLoaded == memory.payloads.count)
    #expect(try tree.numbers(in: session) == Array(0..<20_000))
  }

  private static func leaves(of tree: NumberTree) throws -> [[Int]] {
    var leaves: [[Int]] = []
    try tree.forEachLeaf(in: TreeSession()) { leaf, _ in leaves.append(leaf.numbers) }
    return leaves
  }
}

extension Int {
  /// The smallest `n` with `base` to the `n` at least `number`.
  fileprivate static func log(base: Int, of number: Int) -> Int {
    var power = 1
    var exponent = 0
    while power < number {
      power *= base
      exponent += 1
    }
    return exponent
  }
}
