import TestSupport
import Testing

@testable import LayoutCache

// Strategy: an array of numbers, each its old index, in which random ranges are replaced by new
// items, and hunks that get the same changes.
//
// Invariants: outside of the hunks every item is the old one that they name; all new items are
// in hunks, and, unless neighbouring hunks had to be merged, no other items.

@Suite struct ItemHunksTests {
  /// The previous index of an item; `nil` for an inserted one.
  private typealias OldIndex = Int?

  @Test(.property, arguments: PropertyRun.seeds)
  func itemsOutsideHunksAreUnchanged(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 40) {
      let count = Int.random(in: 0...60, using: &generator)
      var list: [OldIndex] = Array(0..<count)
      var hunks = ItemHunks(count: count)
      var isReordered = false
      for _ in 0..<Int.random(in: 0...20, using: &generator) {
        let start = Int.random(in: 0...list.count, using: &generator)
        let end = min(list.count, start + Int.random(in: 0...4, using: &generator))
        let newCount =
          generator.oneIn(2) ? end - start : Int.random(in: 0...4, using: &generator)
        list.replaceSubrange(start..<end, with: [OldIndex](repeating: nil, count: newCount))
        hunks.replace(start..<end, withCount: newCount)
        isReordered = isReordered || newCount != end - start
        expectSound(hunks, list, oldCount: count, isExact: true)
      }
      #expect(hunks.isReordered == isReordered)
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func manyHunksAreMergedAndStillCorrect(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let count = 20_000
    var list: [OldIndex] = Array(0..<count)
    var hunks = ItemHunks(count: count)
    var hunkCountMax = 0
    for step in 0..<3000 {
      let start = Int.random(in: 0...list.count, using: &generator)
      let end = min(list.count, start + Int.random(in: 0...2, using: &generator))
      let newCount = Int.random(in: 0...2, using: &generator)
      list.replaceSubrange(start..<end, with: [OldIndex](repeating: nil, count: newCount))
      hunks.replace(start..<end, withCount: newCount)
      hunkCountMax = max(hunkCountMax, hunks.hunks.count)
      if step % 250 == 0 { expectSound(hunks, list, oldCount: count, isExact: false) }
    }
    expectSound(hunks, list, oldCount: count, isExact: false)
    #expect(hunkCountMax == 1024)
    #expect(hunks.hunks.count > 256)
  }

  @Test func replacingAllItemsIsOneHunk() {
    var hunks = ItemHunks(count: 5000)
    for index in 0..<5000 { hunks.replace(index..<(index + 1), withCount: 1) }
    #expect(hunks.hunks == [ItemHunks.Hunk(old: 0..<5000, new: 0..<5000)])
    #expect(!hunks.isReordered)
  }

  @Test func insertedAndDeletedItemsLeaveAnEmptyHunk() {
    var hunks = ItemHunks(count: 10)
    hunks.replace(4..<4, withCount: 3)
    hunks.replace(4..<7, withCount: 0)
    #expect(hunks.hunks == [ItemHunks.Hunk(old: 4..<4, new: 4..<4)])
    #expect(hunks.count == 10)
  }

  private func expectSound(
    _ hunks: ItemHunks, _ list: [OldIndex], oldCount: Int, isExact: Bool
  ) {
    #expect(hunks.count == list.count)
    var (oldEnd, newEnd) = (0, 0)
    for (number, hunk) in hunks.hunks.enumerated() {
      #expect(number == 0 || newEnd < hunk.new.lowerBound)
      #expect(hunk.new.lowerBound - newEnd == hunk.old.lowerBound - oldEnd)
      #expect(hunks.shift(after: number - 1) == newEnd - oldEnd)
      expectUnchanged(list, newEnd..<hunk.new.lowerBound, from: oldEnd)
      if isExact { #expect(list[hunk.new].allSatisfy { $0 == nil }) }
      (oldEnd, newEnd) = (hunk.old.upperBound, hunk.new.upperBound)
    }
    #expect(oldCount - oldEnd == list.count - newEnd)
    expectUnchanged(list, newEnd..<list.count, from: oldEnd)
  }

  private func expectUnchanged(_ list: [OldIndex], _ range: Range<Int>, from old: Int) {
    #expect(list[range].elementsEqual(old..<(old + range.count)) { $0 == $1 })
  }
}
