import TestSupport
import Testing

/// Strategy: random feeds, configurations with effects, rectangles and visible rectangles; the
/// answers are compared with those of the same layout without an effect.
///
/// Invariants: all elements intersect the rectangle, in order; elements that are not cells, and
/// cells that are neither transformed nor moved, are found as without an effect; a cell that is
/// left out does not intersect; keys, columns and index paths are the same.
@Suite struct OracleEffectPropertyTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func effectsChangeFramesTransformsAndOrderOfCellsOnly(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var changed = 0
    for _ in PropertyRun.each(seed, steps: 30) {
      var builder = RandomFeed(sectionCountMax: 4, itemCountMax: 30)
      let feed = builder.sections(using: &generator)
      let text = RandomConfiguration(allowsEffects: true).text(
        sectionKeys: feed.map(\.key), using: &generator)
      let oracle = try Oracle(configuration: text, sections: feed)
      let rects = RandomRects(oracle)
      for _ in 0..<15 {
        let rect = rects.next(using: &generator)
        let visible = generator.oneIn(2) ? rects.next(using: &generator) : rect
        let origin: Comment = "\(rect), \(visible), \(text)"
        let plain = oracle.allElements(visible: visible)
        let found = oracle.elements(in: rect, visible: visible)
        #expect(found.allSatisfy { $0.frame.intersects(rect) }, origin)
        var rest = plain[...]
        for element in found {
          // Checks the order: each element must be among the remaining ones.
          rest = rest.drop { bare($0) != bare(element) }
          let first = rest.popFirst()
          let original = try #require(first, origin)
          if element.category != .cell { #expect(element == original, origin) }
          if element != original { changed += 1 }
        }
        #expect(
          found.filter { $0.category != .cell }
            == oracle.elementsInContainer(visible: visible)
            .filter { $0.category != .cell && $0.frame.intersects(rect) }, origin)
        if !text.contains("effect") {
          let shown = oracle.elementsInContainer(visible: visible)
          #expect(found == shown.filter { $0.frame.intersects(rect) }, origin)
        }
      }
    }
    #expect(changed > 0)
  }

  /// An element without what an effect may change.
  private func bare(_ element: OracleElement) -> OracleElement {
    guard element.category == .cell else { return element }
    var bare = element
    bare.frame = UnitRect(x: 0, y: 0, width: 0, height: 0)
    bare.zIndex = 0
    (bare.transform3D, bare.untransformed) = (nil, nil)
    return bare
  }
}
