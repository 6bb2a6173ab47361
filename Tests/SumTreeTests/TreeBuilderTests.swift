import Testing

@testable import SumTree

@Suite struct TreeBuilderTests {
  static let shape = TreeShape(leafCapacity: 4, fanOut: 3)

  /// From none to three times the elements that fit below a node of height 1.
  static let counts = 0...3 * shape.leafCapacity * shape.fanOut

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

  @Test(arguments: TreeShape.tiny + [TreeShape(leafCapacity: 64, fanOut: 64)])
  func leavesAreThreeQuartersFullExceptTheLastTwo(shape: TreeShape) throws {
    for count in 0...6 * shape.leafCapacity {
      let counts = try Self.leaves(of: NumberTree.counting(to: count, shape: shape)).map(\.count)
      #expect(counts.dropLast(2).allSatisfy { $0 == shape.elementsBuilt })
      #expect(counts.count < 2 || counts.allSatisfy { $0 <= shape.elementsBuilt })
      // Elements that fit into one leaf are in one leaf.
      #expect(count > shape.leafCapacity || counts.count <= 1)
      #expect(counts.count <= (count + shape.elementsBuilt - 1) / shape.elementsBuilt)
    }
    #expect(TreeShape(leafCapacity: 64, fanOut: 64).elementsBuilt == 48)
    #expect(TreeShape(leafCapacity: 128, fanOut: 64).elementsBuilt == 96)
  }

  @Test(arguments: TreeShape.tiny + [TreeShape(leafCapacity: 64, fanOut: 64)])
  func anEditCutsElementsIntoLeavesOfOneSize(shape: TreeShape) {
    for count in 0...6 * shape.leafCapacity {
      let leaves = shape.leaves(for: count, inOneUpTo: shape.leafCapacity)
      #expect(leaves.first?.lowerBound ?? 0 == 0 && leaves.last?.upperBound ?? 0 == count)
      #expect(zip(leaves, leaves.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
      let sizes = leaves.map(\.count)
      #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
      if leaves.count > 1 {
        #expect(sizes.allSatisfy { $0 >= shape.elementsMin && $0 <= shape.elementsBuilt })
      } else {
        #expect(count <= shape.leafCapacity)
      }
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
      try tree.checkInvariants(in: TreeSession())
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
