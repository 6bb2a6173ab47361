import SumTree
import TestSupport
import Testing

// Strategy: trees of rising numbers and batches that remove some numbers and insert others, in
// order, compared with a set. The changes that the pass leaves over are applied one by one, as
// callers do; earlier versions stay unchanged.

@Suite struct SortedUpdateTests {
  /// Removes the number if the leaf contains it, otherwise inserts it.
  private func toggle(_ leaf: inout NumberLeaf, _ number: Int) {
    let place = leaf.numbers.firstIndex { $0 >= number } ?? leaf.count
    if place < leaf.count && leaf.numbers[place] == number {
      leaf.numbers.remove(at: place)
    } else {
      leaf.numbers.insert(number, at: place)
    }
  }

  private func update(
    _ tree: inout NumberTree, toggling numbers: [Int], in session: TreeSession
  ) throws -> [Int] {
    try tree.updateLeaves(
      at: numbers, from: MaxSoFar(), where: { $0.value >= $1 }, in: session,
      { leaf, numbers in
        for number in numbers { toggle(&leaf, number) }
        return true
      })
  }

  private func toggleOne(_ tree: inout NumberTree, _ number: Int, in session: TreeSession) throws {
    let found = try tree.firstPlace(from: MaxSoFar(), where: { $0.value >= number }, in: session)
    let place = found?.offset ?? tree.count
    if let found, found.leaf.numbers[found.index] == number {
      try tree.replaceSubrange(place..<place + 1, with: nil, in: session)
    } else {
      try tree.replaceSubrange(place..<place, with: NumberLeaf([number]), in: session)
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func changesInOrderAgreeWithASet(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let memory = NodeMemory()
    let shape = TreeShape.tiny.randomElement(using: &random)!
    var tree = NumberTree(shape: shape)
    var numbers: Set<Int> = []
    for step in PropertyRun.each(seed, steps: 120) {
      let context: Comment = "\(shape)"
      let changes = Set(
        (0..<Int.random(in: 0...20, using: &random)).map { _ in
          Int.random(in: 0...400, using: &random)
        }
      ).sorted()
      let before = tree
      let numbersBefore = numbers
      let session = TreeSession(memory)
      let left = try update(&tree, toggling: changes, in: session)
      #expect(left == changes.filter { left.contains($0) }, context)
      for number in left { try toggleOne(&tree, number, in: session) }
      numbers.formSymmetricDifference(changes)
      try tree.checkInvariants(in: session)
      #expect(try tree.numbers(in: session) == numbers.sorted(), context)
      #expect(try before.numbers(in: session) == numbersBefore.sorted(), context)
      if step % 5 == 4 { tree = try tree.stored(in: memory) }
    }
  }

  @Test func eachNodeOnTheWayIsReplacedOnce() throws {
    let shape = TreeShape(leafCapacity: 8, fanOut: 8)
    let memory = NodeMemory()
    let tree = try NumberTree.counting(to: 600, shape: shape).stored(in: memory)
    var updated = tree
    let session = TreeSession(memory)
    // Two changes of the first leaf, one of the second, one of the last, one after it.
    let left = try update(&updated, toggling: [0, 3, 7, 599, 1000], in: session)
    #expect(left.isEmpty)
    // Three leaves below two nodes of each level but the root.
    let nodeCount = 3 + 2 * (tree.height - 1) + 1
    #expect(session.edits.createdNodes == nodeCount)
    #expect(session.edits.obsolete.count == nodeCount)
    #expect(session.nodesLoaded == nodeCount)
    // Each node is stored with the id of its origin, which a store may use to encode it.
    memory.origins = []
    _ = try updated.store(into: memory)
    #expect(Set(memory.origins) == Set(session.edits.obsolete))
    try updated.checkInvariants(in: session)
    #expect(
      try updated.numbers(in: session)
        == (0..<600).filter { ![0, 3, 7, 599].contains($0) } + [1000])
  }

  @Test func changesThatWouldSplitOrMergeALeafAreLeftOver() throws {
    // Leaves of 6: 3 at least, 8 at most.
    let tree = try NumberTree.counting(to: 60, shape: TreeShape(leafCapacity: 8, fanOut: 8))
    var updated = tree
    let session = TreeSession()
    let left = try update(&updated, toggling: [0, 1, 2, 3, 4, 12] + [60, 61, 62, 63], in: session)
    #expect(left == [0, 1, 2, 3, 4, 60, 61, 62, 63])
    #expect(try updated.numbers(in: session) == (0..<60).filter { $0 != 12 })
    #expect(session.edits.createdNodes == 3)
    // A throw leaves the tree as it is.
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try updated.updateLeaves(
        at: [20, 40], from: MaxSoFar(), where: { $0.value >= $1 }, in: session,
        { leaf, numbers in
          if numbers == [40] { throw Refusal() }
          leaf.numbers[0] -= 1
          return true
        })
    }
    #expect(try updated.numbers(in: session) == (0..<60).filter { $0 != 12 })
    #expect(session.edits.createdNodes == 3)
  }
}
