import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: a random feed and a random configuration, laid out by the engine through a file and by
// the oracle in arrays; every kind of query is compared on random rectangles, with carousels at
// random scroll positions. Engine and oracle share only the configuration's text. Half of the
// trees have nodes of four elements, and so are deep.
//
// Invariants: every answer equals the oracle's, to the unit and in order; the joined pages equal
// the whole answer; a reopened cache returns the same answers; verify is clean.

@Suite struct LayoutPropertyTests {
  @Test(.property, arguments: PropertyRun.seeds, TestKinds.mixes)
  func everyAnswerEqualsTheOracles(seed: UInt64, kinds: RandomConfiguration.Kinds) throws {
    var generator = SeededGenerator(seed: seed)
    for step in PropertyRun.each(seed, steps: 12) {
      var feed = RandomFeed(itemCountMax: step % 3 == 0 ? 700 : 60)
      let sections = feed.sections(using: &generator)
      let text = RandomConfiguration(kinds: kinds, allowsEffects: step % 3 == 1).text(
        sectionKeys: sections.map(\.key), using: &generator)
      var oracle: Oracle
      do {
        oracle = try Oracle(configuration: text, sections: sections)
      } catch {
        Issue.record("the oracle refuses \(text): \(error)")
        continue
      }
      let options = LayoutCacheOptions.randomShapes(using: &generator)
      let test = try TestFeed(sections, configuration: text, options: options)
      try test.read { snapshot in
        try compare(snapshot, with: oracle, using: &generator, "\(text)")
      }
      // A fresh process: nothing in memory.
      let reopened = try LayoutCache(
        path: test.path, options: options, sectionLayouts: TestKinds.all)
      try reopened.read(LayoutID("layout", of: "feed")) { snapshot in
        let offsets = RandomOffsets.next(for: oracle, using: &generator)
        oracle = oracle.scrolled(to: offsets)
        try compare(
          snapshot.scrolled(to: CarouselOffsets(offsets)), with: oracle, using: &generator,
          "\(text) at \(offsets)")
      }
      let report = try reopened.verify()
      #expect(report.problems.isEmpty, "\(report.problems) \(text)")
    }
  }

  private func compare(
    _ snapshot: LayoutSnapshot, with oracle: Oracle, using generator: inout SeededGenerator,
    _ origin: Comment
  ) throws {
    #expect(snapshot.contentSize.width.units == oracle.contentSize.width, origin)
    #expect(snapshot.contentSize.height.units == oracle.contentSize.height, origin)
    let rects = RandomRects(oracle)
    for _ in 0..<25 {
      let rect = rects.next(using: &generator)
      let visible =
        Int.random(in: 0..<3, using: &generator) == 0
        ? rects.next(using: &generator) : nil
      let expected = oracle.elements(in: rect, visible: visible)
      let page = try snapshot.elements(in: Rect(rect), visible: visible.map { Rect($0) })
      let found = page.elements.map(OracleElement.init)
      #expect(
        found.isEqual(to: expected, in: rect, transformTolerance: 1e-9),
        "\(origin), \(rect), visible \(String(describing: visible)): \(found) \(expected)")
      #expect(page.next == nil, origin)
      let limit = Int.random(in: 1...(expected.count + 1), using: &generator)
      let paged = try pages(snapshot, rect: rect, visible: visible, limit: limit)
      #expect(paged == found, "\(origin), \(rect) by \(limit)")
      let point = UnitPoint(x: rect.x, y: rect.y)
      let topmost = try snapshot.element(
        at: Point(x: Length(units: point.x), y: Length(units: point.y)))
      #expect(topmost.map(OracleElement.init) == oracle.element(at: point), origin)
      let shown = rects.next(using: &generator)
      let seen = try snapshot.element(
        at: Point(x: Length(units: point.x), y: Length(units: point.y)), visible: Rect(shown))
      #expect(
        [seen].compactMap { $0.map(OracleElement.init) }.isEqual(
          to: [oracle.element(at: point, visible: shown)].compactMap(\.self),
          in: UnitRect(x: point.x, y: point.y, width: 1, height: 1), transformTolerance: 1e-9),
        "\(origin), \(point), visible \(shown)")
    }
    try compareItems(snapshot, with: oracle, using: &generator, origin)
    for element in oracle.allElements().shuffled(using: &generator).prefix(30) {
      guard let key = element.key, let item = element.item else { continue }
      let path = IndexPath(section: element.section, item: item)
      #expect(try snapshot.indexPath(ofKey: key) == path, origin)
      #expect(
        try snapshot.attributes(forKey: key).map(OracleElement.init) == element, origin)
    }
    var extents: [OracleSectionSummary] = []
    try snapshot.forEachSection { extent in
      extents.append(
        OracleSectionSummary(
          key: extent.key, firstItem: extent.firstItem, count: extent.itemCount,
          start: extent.start.units, length: extent.length.units,
          carousel: extent.carousel.map(OracleSectionSummary.Carousel.init)))
      return true
    }
    #expect(extents == oracle.sectionsSummary, origin)
    for (section, summary) in extents.enumerated() {
      #expect(
        try snapshot.carousel(inSection: section).map(OracleSectionSummary.Carousel.init)
          == summary.carousel, origin)
    }
    for section in extents.indices {
      for kind in [LayoutAttributes.SupplementaryKind.header, .footer] {
        let found = try snapshot.attributes(forSupplementary: kind, inSection: section)
        #expect(
          found.map(OracleElement.init)
            == oracle.supplementary(kind: kind.rawValue, section: section), origin)
      }
    }
    for element in oracle.allElements() where element.category == .decoration {
      guard let kind = element.kind else { continue }
      let found = try snapshot.attributes(forDecoration: kind, inSection: element.section)
      #expect(found.map(OracleElement.init) == element, origin)
    }
    let cells = oracle.allElements().filter { $0.category == .cell }
    for section in extents.indices {
      let keys = cells.filter { $0.section == section }.compactMap(\.key)
      let range = 0..<Int.random(in: 0...(keys.count + 2), using: &generator)
      let found = try snapshot.keys(ofItems: range, inSection: section)
      #expect(found == Array(keys.prefix(range.count)), origin)
    }
    #expect(try snapshot.attributes(forKey: "no such key") == nil)
  }

  private func pages(
    _ snapshot: LayoutSnapshot, rect: UnitRect, visible: UnitRect?, limit: Int
  ) throws -> [OracleElement] {
    var elements: [OracleElement] = []
    var page = try snapshot.elements(
      in: Rect(rect), visible: visible.map { Rect($0) }, limit: limit)
    while true {
      #expect(page.elements.count <= limit)
      elements += page.elements.map(OracleElement.init)
      // Encoded and decoded, as by a client.
      guard let next = page.next else { return elements }
      page = try snapshot.elements(after: #require(Continuation(token: next.token)))
    }
  }

  /// Compares runs of items, and the items at or after positions.
  private func compareItems(
    _ snapshot: LayoutSnapshot, with oracle: Oracle, using generator: inout SeededGenerator,
    _ origin: Comment
  ) throws {
    let cells = oracle.allElements().filter { $0.category == .cell }
    for _ in 0..<6 {
      guard let index = cells.indices.randomElement(using: &generator) else { break }
      let cell = cells[index]
      let count = Int.random(in: 1...(cells.count + 1), using: &generator)
      let path = IndexPath(section: cell.section, item: cell.item)
      let onward = try snapshot.elements(from: path, count: count)
      #expect(
        onward.elements.map(OracleElement.init) == Array(cells[index...].prefix(count)), origin)
      #expect((onward.next == nil) == (index + count >= cells.count), origin)
      let back = try snapshot.elements(
        fromKey: try #require(cell.key), count: count, backward: true)
      #expect(
        back.elements.map(OracleElement.init)
          == cells[...index].reversed().prefix(count).map(\.self),
        origin)
      #expect((back.next == nil) == (index - count < 0), origin)
    }
    let space = snapshot.plan.space
    func end(_ frame: Rect) -> Length {
      space.canonical(frame, mainLength: snapshot.mainLength).maxY
    }
    let ends = cells.map { end(Rect($0.frame)) }
    for _ in 0..<12 {
      var position = ends.randomElement(using: &generator) ?? .zero
      position += Length(units: .random(in: -2...2, using: &generator))
      if generator.oneIn(4) {
        position = Length(
          units: .random(in: -99...(snapshot.mainLength.units + 99), using: &generator))
      }
      let found = try snapshot.item(atOrAfter: position)
      let expected = ends.firstIndex { $0 > position }.map { cells[$0] }
      #expect(found.map(OracleElement.init) == expected, "\(origin), at \(position)")
    }
    let rects = RandomRects(oracle)
    for side in [PrefetchDirection.before, .after] {
      let visible = Rect(rects.next(using: &generator))
      let prefetch = try snapshot.prefetch(
        side, visible: visible, length: Length(units: .random(in: -9...99_999, using: &generator)))
      let page = try snapshot.elements(in: prefetch.rect, visible: visible)
      #expect(
        prefetch.elements == page.elements.filter { !$0.frame.intersects(visible) }, origin)
      #expect(!prefetch.rect.intersects(visible), origin)
    }
  }
}

extension OracleSectionSummary.Carousel {
  fileprivate init(_ extent: CarouselExtent) {
    self.init(
      contentLength: extent.contentLength.units, offset: extent.offset.units,
      maximumOffset: extent.maximumOffset.units)
  }
}
