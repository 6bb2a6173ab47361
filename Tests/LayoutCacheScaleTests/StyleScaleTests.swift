import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Strategy: the same sections with and without styles. Whatever the styles decide, a change and
// a query must not cost more nodes than without them, and a changed style or override only the
// items of its sections.

@Suite struct StyleScaleTests {
  private static let sectionCount = 20_000
  private static let layout = LayoutID("layout", of: "feed")

  /// Sections of three items, in turn of each of the styles.
  private func feed(_ styles: [String?], _ configuration: String) throws -> TestFeed {
    let feed = try TestFeed(
      (0..<Self.sectionCount).map { index in
        var section = OracleSection("\(index)", sizes: [(4, 3), (1, 1), (3, 4)])
        section.style = styles[index % styles.count]
        return section
      }, configuration: configuration)
    try feed.cache.prepare(Self.layout)
    return feed
  }

  private func styles(columns: Int) -> String {
    let styles = (0..<12).map { #""s\#($0)":{"columns":\#($0 == 5 ? columns : 1 + $0 % 3)}"# }
    return """
      {"container":{"width":390},"section":{"columns":2},"styles":{\(styles.joined(separator: ","))}}
      """
  }

  @Test func twelveStylesCostNoMoreThanNone() throws {
    let plain = try feed([nil], #"{"container":{"width":390},"section":{"columns":2}}"#)
    let styled = try feed((0..<12).map { "s\($0)" }, styles(columns: 3))
    for section in [0, 77, 19_999] {
      let key = "\(section)-1"
      let work = try [plain, styled].map { feed in
        let commit = try feed.cache.update(
          "feed", with: [.resize(key: key, size: Size(width: .points(2), height: .points(5)))])
        return try #require(commit.layouts.first).context.work
      }
      #expect(work[1].recomputedItems == work[0].recomputedItems)
      #expect(work[1].changedNodes <= work[0].changedNodes)
      let visits = try [plain, styled].map { feed in
        try feed.read { snapshot in
          let frame = try #require(try snapshot.attributes(forKey: key)).frame
          return try snapshot.elements(in: frame).work.nodesVisited
        }
      }
      #expect(visits[1] <= visits[0] + 1)
    }
  }

  @Test func aNewStyleRecomputesItsSectionAndAChangedStyleItsSections() throws {
    let styled = try feed((0..<12).map { "s\($0)" }, styles(columns: 3))
    let commit = try styled.cache.update("feed", with: [.style(section: "700", style: "s2")])
    let context = try #require(commit.layouts.first).context
    #expect(context.sections.map(\.section) == [700])
    #expect(context.work.recomputedItems == 3)
    try styled.set(styles(columns: 4))
    let change = try #require(try styled.cache.prepare(Self.layout).context)
    // Every twelfth section has the changed style, and one more was restyled to another.
    let changed = Array(stride(from: 5, to: Self.sectionCount, by: 12))
    #expect(changed.count == 1667)
    #expect(change.work.recomputedItems == 3 * changed.count)
    #expect(!change.invalidateEverything)
    #expect(change.sections.map(\.section) == changed)
  }

  @Test func aContextOfTooManySectionsIsEverything() throws {
    let styled = try feed(["s5", "s6", nil], styles(columns: 3))
    try styled.set(styles(columns: 4))
    let context = try #require(try styled.cache.prepare(Self.layout).context)
    // A third of the sections.
    #expect(context.work.recomputedItems == Self.sectionCount + 1)
    #expect(context.invalidateEverything && context.sections.isEmpty)
  }

  @Test func aChangedOverrideAmongManyRecomputesItsSection() throws {
    var configuration = try ConfigurationText.decode(styles(columns: 3))
    for index in 0..<10_000 {
      configuration.sections[ExactKey("\(index)")] = SectionOptions()
      configuration.sections[ExactKey("\(index)")]?.columns = .equal(1 + index % 3)
    }
    let feed = try feed((0..<12).map { "s\($0)" }, ConfigurationText.encode(configuration))
    configuration.sections["500"]?.columns = 5
    configuration.sections["9000"]?.header = .points(4)
    try feed.cache.setLayout(Self.layout, to: configuration)
    let context = try #require(try feed.cache.prepare(Self.layout).context)
    #expect(context.sections.map(\.section) == [500, 9000])
    #expect(context.work.recomputedItems == 3)
    // Two paths from a leaf of sections to the root, and the items of one section.
    #expect((1...12).contains(context.work.changedNodes), "\(context.work)")
    #expect(context.contentSizeAdjustment.height != .zero)
  }

  @Test func restyledItemsBeyondTheBudgetAreLaidOutFromScratch() throws {
    let feed = try TestFeed(
      [.mixed("a", count: 220_000), .mixed("b", count: 40)], configuration: styles(columns: 3))
    try feed.cache.prepare(Self.layout)
    try feed.cache.update("feed", with: [.style(section: "a", style: "s0")], preparing: .upToDate)
    #expect(try feed.read { try $0.columnEnds(inSection: 0) }.count == 1)
    #expect(throws: LayoutCacheError.self) { try feed.cache.undo("feed") }
    try feed.cache.update("feed", with: [.style(section: "b", style: "s0")], preparing: .upToDate)
    try feed.cache.undo("feed")
    #expect(try feed.cache.verify().problems.isEmpty)
  }
}
