import LayoutGeometry
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random leaves, with and without what few items have, and every range of them
// replaced by a random run; beside it the parts, sliced and joined.

@Suite struct LeafReplacingTests {
  private func parts<Leaf: TreeLeaf>(
    _ leaf: Leaf, replacing range: Range<Int>, with run: Leaf?
  ) -> Leaf {
    let parts = [
      range.lowerBound > 0 ? leaf.slice(0..<range.lowerBound) : nil, run,
      range.upperBound < leaf.count ? leaf.slice(range.upperBound..<leaf.count) : nil,
    ].compactMap { $0 }
    return parts.dropFirst().reduce(parts[0]) { $0.joined(with: $1) }
  }

  private func check<Leaf: TreeLeaf & Equatable>(
    seed: UInt64, _ random: (_ count: Int, inout SeededGenerator) -> Leaf
  ) {
    var generator = SeededGenerator(seed: seed)
    for step in 0..<PropertyRun.steps(20) {
      let leaf = random(Int.random(in: 1...7, using: &generator), &generator)
      for lower in 0...leaf.count {
        for upper in lower...leaf.count {
          let count = Int.random(in: 0...4, using: &generator)
          let run = count == 0 ? nil : random(count, &generator)
          if run == nil && upper - lower == leaf.count { continue }
          let replaced = leaf.replacing(lower..<upper, with: run)
          #expect(
            replaced == parts(leaf, replacing: lower..<upper, with: run),
            "seed \(seed), step \(step), \(lower)..<\(upper), \(count)")
          #expect(replaced.summary == parts(leaf, replacing: lower..<upper, with: run).summary)
        }
      }
    }
  }

  @Test(arguments: PropertyRun.seeds)
  func itemsAreReplacedAsIfSlicedAndJoined(seed: UInt64) {
    check(seed: seed) { count, generator in
      var leaf = ItemLeaf()
      let hasSpans = generator.oneIn(3)
      for _ in 0..<count {
        let key = String(repeating: "é", count: Int.random(in: 1...3, using: &generator))
        let side = Length(units: Int64.random(in: 1...9999, using: &generator))
        leaf.append(
          Item(
            key: key, size: Size(width: side, height: side + side),
            columnSpan: hasSpans && generator.oneIn(2) ? 3 : 1))
      }
      if generator.oneIn(2) { leaf.prefer(.points(7), at: count - 1, layout: 2) }
      if generator.oneIn(3) { leaf.prefer(.points(9), at: 0, layout: 1) }
      leaf.label = generator.oneIn(3) ? 0 : UInt64.random(in: 1...99, using: &generator)
      return leaf
    }
  }

  @Test(arguments: PropertyRun.seeds)
  func placedItemsAreReplacedAsIfSlicedAndJoined(seed: UInt64) {
    check(seed: seed) { count, generator in
      var leaf = WaterfallLeaf()
      let hasSpans = generator.oneIn(3)
      for _ in 0..<count {
        leaf.append(
          column: Int.random(in: 0...3, using: &generator),
          columnSpan: hasSpans && generator.oneIn(2) ? 2 : 1,
          advance: Length(units: Int64.random(in: 1...9999, using: &generator)))
      }
      return leaf
    }
  }
}
