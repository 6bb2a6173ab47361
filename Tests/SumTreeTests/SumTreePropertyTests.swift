import SumTree
import TestSupport
import Testing

// Strategy: a random walk over edits, with storing, rolling back, publishing, unloading and
// reopening in between, next to an array that undergoes the same edits. Tiny nodes make deep trees;
// the sizes of ranges and runs are skewed so that both single elements and whole levels are hit.
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
