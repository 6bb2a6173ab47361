import Testing

@testable import SumTree

@Suite struct TreeBuilderTests {
  static let shape = TreeShape(leafCapacity: 4, fanOut: 3)

  /// From nothing to three times what fits below a node of height 1.
  static let counts = 0...3 * shape.leafCapacity * shape.fanOut

  @Test(arguments: TreeShape.tiny)
  func anyCountBuildsTheSameInOneRunAndInSingleElements(shape: TreeShape) throws {
    for count in 0...3 * shape.leafCapacity * shape.fanOut {
      let atOnce = try NumberTree.counting(to: count, shape: shape)
      try atOnce.checkInvariants(reader: TreeReader())
      #expect(try atOnce.numbers(reader: TreeReader()) == Array(0..<count))

      var builder = TreeBuilder<NumberLeaf>(shape: shape)
      for number in 0..<count { try builder.append(NumberLeaf([number])) }
      let oneByOne = try builder.finish()
      #expect(try Self.leaves(of: oneByOne) == Self.leaves(of: atOnce))
      #expect(oneByOne.height == atOnce.height)
    }
  }

  @Test func leavesAreFullExceptTheLastTwo() throws {
    for count in Self.counts {
      let leaves = try Self.leaves(of: NumberTree.counting(to: count, shape: Self.shape))
      #expect(leaves.dropLast(2).allSatisfy { $0.count == Self.shape.leafCapacity })
      #expect(leaves.count == (count + 3) / 4)
    }
  }

  @Test func extendingEqualsBuildingAtOnce() throws {
    let reader = TreeReader()
    for count in Self.counts {
      let base = try NumberTree.counting(to: count, shape: Self.shape)
      for more in [0, 1, 2, 3, 5, 12, 40] {
        var builder = try TreeBuilder(extending: base, reader: reader)
        try builder.append(NumberLeaf(count..<count + more))
        let tree = try builder.finish()
        try tree.checkInvariants(reader: reader)
        #expect(try tree.numbers(reader: reader) == Array(0..<count + more))
        #expect(try base.numbers(reader: reader) == Array(0..<count))
      }
    }
  }

  @Test func extendingAStoredTreeReplacesOnlyItsRightEdge() throws {
    let memory = NodeMemory()
    let base = try NumberTree.counting(to: 1000, shape: Self.shape).stored(in: memory)
    let reader = TreeReader(memory)
    var builder = try TreeBuilder(extending: base, reader: reader, sink: memory)
    try builder.append(NumberLeaf([1000]))
    let tree = try builder.finish()
    #expect(reader.nodesLoaded == base.height + 1)
    #expect(builder.edits.obsolete.count == base.height + 1)
    #expect(builder.edits.createdLeaves?.upperBound == 1001)
    #expect(!tree.isDirty)
    let stored = NumberTree(shape: Self.shape, storedRoot: tree.storedRoot)
    #expect(try stored.numbers(reader: TreeReader(memory)) == Array(0...1000))
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
    #expect(builder.edits.createdNodes == memory.payloads.count)
    let reader = TreeReader(memory)
    try tree.checkInvariants(reader: reader)
    #expect(reader.nodesLoaded == memory.payloads.count)
    #expect(try tree.numbers(reader: reader) == Array(0..<20_000))
  }

  @Test func eachLeafIsFinishedOnceAndInOrder() throws {
    for count in Self.counts {
      var seen: [[Int]] = []
      var builder = TreeBuilder<NumberLeaf>(shape: Self.shape) { leaf in
        seen.append(leaf.numbers)
        leaf.numbers = leaf.numbers.map { -$0 }
      }
      for number in 0..<count { try builder.append(NumberLeaf([number])) }
      let tree = try builder.finish()
      #expect(seen.flatMap { $0 } == Array(0..<count))
      #expect(try Self.leaves(of: tree) == seen.map { $0.map { -$0 } })
      try tree.checkInvariants(reader: TreeReader())
    }
  }

  @Test func aFailingSinkFailsTheBuilder() throws {
    let memory = NodeMemory()
    memory.writesUntilFailure = 3
    var builder = TreeBuilder<NumberLeaf>(shape: Self.shape, sink: memory)
    #expect(throws: NodeMemory.WriteFailure.self) { try builder.append(NumberLeaf(0..<100)) }
  }

  private static func leaves(of tree: NumberTree) throws -> [[Int]] {
    var leaves: [[Int]] = []
    try tree.forEachLeaf(reader: TreeReader()) { leaf, _ in leaves.append(leaf.numbers) }
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
