import CollectionLayout
import LayoutGeometry
import TestSupport
import Testing

/// A search by candidates finds the same cells as a scan of every cell.
@Suite struct EffectCandidatesTests {
  private struct Sample {
    var space: LayoutSpace
    var mainLength: Length
    /// In canonical space, in the order of the feed.
    var frames: [Rect]

    /// The numbers of the cells that an effect brings into a rectangle of the content.
    func found(_ effect: VisibleEffect, in rect: Rect, among isCandidate: (Rect) -> Bool) -> [Int] {
      frames.indices.filter { index in
        guard isCandidate(frames[index]) else { return false }
        var element = LayoutAttributes(
          category: .cell(key: "\(index)"), indexPath: IndexPath(section: 0, item: index),
          sectionKey: "s", frame: space.content(frames[index], mainLength: mainLength))
        effect.apply(to: &element, number: index)
        return element.frame.intersects(rect)
      }
    }
  }

  private static let effects: [Effect] = [
    .scale(maximumScale: 3), .scale(maximumScale: 0.2), .coverStack, .rotary(maximumAngle: 89),
    .pageTurn,
  ]

  private func length(_ range: ClosedRange<Int64>, _ random: inout SeededGenerator) -> Length {
    Length(units: .random(in: range, using: &random))
  }

  private func rect(in sample: Sample, _ random: inout SeededGenerator) -> Rect {
    let main = sample.mainLength.units
    let canonical = Rect(
      x: length(-6400...6400, &random), y: length((-main / 4)...main, &random),
      width: length(0...12_800, &random), height: length(0...(main / 2), &random))
    return sample.space.content(canonical, mainLength: sample.mainLength)
  }

  private func sample(
    _ effect: Effect, _ random: inout SeededGenerator
  ) throws -> Sample {
    let container = LayoutConfiguration.Container(
      width: length(128...6400, &random), height: length(128...6400, &random))
    let space = try LayoutPlan(
      LayoutConfiguration(
        container: container,
        scrollDirection: Bool.random(using: &random) ? .vertical : .horizontal,
        layoutDirection: Bool.random(using: &random) ? .rightToLeft : .leftToRight,
        section: SectionOptions())
    ).space
    var frames: [Rect] = []
    var start = length(0...500, &random)
    for _ in 0..<Int.random(in: 0...30, using: &random) {
      let height =
        effect == .pageTurn ? space.container.height : length(0...3000, &random)
      let x = length(0...(space.crossLength.units - 1), &random)
      frames.append(
        Rect(
          x: x, y: start, width: length(1...(space.crossLength - x).units, &random),
          height: height))
      // Sections leave gaps; columns make cells begin before the last one's end.
      start = start + (effect == .pageTurn ? height : length(0...height.units, &random))
      start = start + length(0...200, &random)
    }
    let end = frames.map(\.maxY).max() ?? start
    return Sample(space: space, mainLength: end + Length(units: 1), frames: frames)
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func candidateSearchFindsEveryCellInEffect(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 400) {
      let effect = Self.effects[Int.random(in: 0..<Self.effects.count, using: &random)]
      let sample = try sample(effect, &random)
      let rect = rect(in: sample, &random)
      let visibleRect = random.oneIn(3) ? rect : self.rect(in: sample, &random)
      guard
        let visible = VisibleEffect(
          effect, in: sample.space, mainLength: sample.mainLength,
          itemCount: sample.frames.count, visible: visibleRect)
      else { continue }
      let canonical = sample.space.canonical(rect, mainLength: sample.mainLength)
      let candidates = visible.candidates(for: canonical)
      let found = sample.found(visible, in: rect) { $0.intersects(candidates) }
      let all = sample.found(visible, in: rect) { frame in
        guard case .rotary = effect else { return true }
        // Those whose stored frames come within the visible length of the rectangle.
        let reach = sample.space.canonical(visibleRect, mainLength: sample.mainLength).size.height
        return frame.minY < canonical.maxY + reach && canonical.minY - reach < frame.maxY
      }
      #expect(found == all, "\(effect)")
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func anEffectActsTheSameInEveryDirection(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 100) {
      let effect = Self.effects[Int.random(in: 0..<Self.effects.count, using: &random)]
      let sample = try sample(effect, &random)
      let visible = rect(in: sample, &random)
      let canonicalVisible = sample.space.canonical(visible, mainLength: sample.mainLength)
      // Vertical and left to right, content and canonical space are the same.
      let plain = try LayoutPlan(
        LayoutConfiguration(
          container: .init(
            width: sample.space.container.width, height: sample.space.container.height),
          section: SectionOptions())
      ).space
      guard
        let turned = VisibleEffect(
          effect, in: sample.space, mainLength: sample.mainLength,
          itemCount: sample.frames.count, visible: visible),
        let upright = VisibleEffect(
          effect, in: plain, mainLength: sample.mainLength, itemCount: sample.frames.count,
          visible: canonicalVisible)
      else { continue }
      if case .rotary = effect { continue }
      for index in sample.frames.indices {
        func applied(_ effect: VisibleEffect, _ space: LayoutSpace) -> LayoutAttributes {
          var element = LayoutAttributes(
            category: .cell(key: "k"), indexPath: IndexPath(section: 0, item: index),
            sectionKey: "s",
            frame: space.content(sample.frames[index], mainLength: sample.mainLength))
          effect.apply(to: &element, number: index)
          return element
        }
        let first = applied(turned, sample.space)
        let second = applied(upright, plain)
        let context: Comment = "cell \(index): \(effect)"
        #expect(first.transform == second.transform && first.zIndex == second.zIndex, context)
        #expect(
          sample.space.canonical(first.untransformedFrame, mainLength: sample.mainLength)
            == second.untransformedFrame, context)
      }
    }
  }
}
