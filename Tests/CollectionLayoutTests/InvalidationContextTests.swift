import CollectionLayout
import LayoutGeometry
import TestSupport
import Testing

@Suite struct InvalidationContextTests {
  private func length(_ points: Int64) -> Length { Length(units: points * 64) }

  private func context(section: Int, items: Range<Int>, column: Int) -> InvalidationContext {
    var context = InvalidationContext()
    context.invalidate(
      SectionInvalidation(
        section: section, items: RangeSet(items), columns: RangeSet(column..<(column + 1)),
        interval: length(10)..<length(20), supplementaryElements: [.footer],
        decorationElements: ["card"]))
    context.contentSizeAdjustment = Size(width: .zero, height: length(5))
    context.work = LayoutWork(recomputedItems: 1, recomputedColumns: 1, changedNodes: 4)
    return context
  }

  @Test func sectionIndicesFollowInsertsMovesAndDeletes() {
    var moved = InvalidationContext()
    moved.append(.insert(0))
    moved.append(.delete(3))
    moved.append(.move(from: 1, to: 3))
    let both = context(section: 0, items: 0..<1, column: 0)
      .combined(with: context(section: 2, items: 0..<1, column: 1)).combined(with: moved)
    // 0 becomes 1 and moves to 3; 2 becomes 3 and is deleted.
    #expect(both.sections.map(\.section) == [3])
    #expect(both.invalidateDataSourceCounts)
    #expect(both.sectionChanges == moved.sectionChanges)
  }

  @Test func everythingAbsorbsAllOtherInvalidations() {
    let one = context(section: 0, items: 0..<1, column: 0)
    for both in [
      one.combined(with: .everything(.relaid)), .everything(.relaid).combined(with: one),
    ] {
      #expect(both.invalidateEverything && both.sections.isEmpty)
      #expect(both.contentSizeAdjustment.height == length(5))
    }
    #expect(InvalidationContext().isEmpty && !one.isEmpty)
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func combiningIsAssociative(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func random() -> InvalidationContext {
      var context = InvalidationContext()
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        switch Int.random(in: 0...4, using: &generator) {
        case 0: context.append(.insert(Int.random(in: 0...4, using: &generator)))
        case 1: context.append(.delete(Int.random(in: 0...4, using: &generator)))
        case 2:
          context.append(
            .move(
              from: Int.random(in: 0...4, using: &generator),
              to: Int.random(in: 0...4, using: &generator)))
        default:
          let first = Int.random(in: 0...9, using: &generator)
          context.invalidate(
            SectionInvalidation(
              section: Int.random(in: 0...4, using: &generator),
              items: RangeSet(first..<(first + 3)),
              interval: length(Int64(first))..<length(Int64(first + 2))))
        }
      }
      if generator.oneIn(9) { context = .everything(.relaid) }
      return context
    }
    for _ in PropertyRun.each(seed, steps: 300) {
      let (a, b, c) = (random(), random(), random())
      #expect(a.combined(with: b).combined(with: c) == a.combined(with: b.combined(with: c)))
    }
  }
}
