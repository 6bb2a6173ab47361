import SumTree
import TestSupport
import Testing

// Strategy: a random walk over edits, with storing, rolling back, publishing, unloading and
// reopening in between, next to an array that undergoes the same edits. Tiny nodes make deep
// trees; the sizes of ranges and runs are skewed so that both single elements and whole levels
// are hit.
//
// Invariants, after each step: the rules of `checkInvariants`, the same numbers as the array,
// the reported leaves exactly those that changed, the reported stored nodes exactly those that
// left the tree, and every earlier version unchanged.

@Suite struct SumTreePropertyTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func editsAgreeWithAnArray(seed: UInt64) throws {
    var walk = EditWalk(seed: seed)
    for _ in PropertyRun.each(seed, steps: 250) {
      try walk.takeStep()
      let difference = try walk.difference()
      #expect(difference == nil, "\(walk.tree.shape)")
      if difference != nil { return }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func seeksAgreeWithASearchFromTheStart(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let shape = TreeShape.tiny.randomElement(using: &random)!
    let count = Int.random(in: 1...600, using: &random)
    let numbers = (0..<count).map { $0 / 3 + Int.random(in: 0...20, using: &random) }
    let memory = NodeMemory()
    var tree = NumberTree(shape: shape)
    try tree.replace(0..<0, with: numbers)
    tree = try tree.stored(in: memory)
    let session = TreeSession(memory)
    let context: Comment = "\(shape)"

    var leaves: [(numbers: [Int], start: Int)] = []
    try tree.forEachLeaf(in: session) { leaves.append(($0.numbers, $1)) }
    #expect(leaves.flatMap(\.numbers) == numbers, context)

    for (leaf, start) in leaves {
      let columns = numbers[..<start].reduce(into: Columns()) {
        $0.advance(over: NumberSummary(of: $1), count: 1)
      }
      for offset in start..<start + leaf.count {
        let found = try tree.leaf(containing: offset, in: session)
        #expect(found.leaf.numbers == leaf && found.start == start, context)
        let position = try tree.leaf(containing: offset, from: Columns(), in: session)
        #expect(position.leaf.numbers == leaf && position.offset == start, context)
        #expect(position.before == columns, context)
      }
    }

    for target in -1...numbers.max()! + 1 {
      let expected = numbers.firstIndex { $0 >= target }
      let found = try tree.firstLeaf(
        from: MaxSoFar(), where: { $0.value >= target }, in: session)
      #expect((found == nil) == (expected == nil), context)
      guard let found, let expected else { continue }
      #expect(found.offset..<found.offset + found.leaf.count ~= expected, context)
      #expect(found.before.value == numbers[..<found.offset].max() ?? .min, context)
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func leavesOverlappingARangeAreFoundExactly(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let shape = TreeShape.tiny.randomElement(using: &random)!
    let count = Int.random(in: 1...400, using: &random)
    let tree = try NumberTree.counting(to: count, shape: shape)
    var leaves: [Range<Int>] = []
    let session = TreeSession()
    try tree.forEachLeaf(in: session) { leaf, start in
      #expect(leaf.numbers.first == start)
      leaves.append(start..<start + leaf.count)
    }
    #expect(leaves.flatMap { Array($0) } == Array(0..<count), "\(shape)")
    for _ in 0..<100 {
      let start = Int.random(in: 0...count, using: &random)
      let range = start..<Int.random(in: start...count, using: &random)
      var found: [Range<Int>] = []
      try tree.forEachLeaf(overlapping: range, in: session) { leaf, start in
        found.append(start..<start + leaf.count)
      }
      let expected = leaves.filter { $0.overlaps(range) }
      #expect(found == expected, "\(shape), \(range)")
    }
  }
}
