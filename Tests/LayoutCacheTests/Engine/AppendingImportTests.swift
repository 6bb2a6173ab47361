import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: items are appended to the same feed by one import and, in another database, by one
// batch of inserts, for several ratios of new items to present ones. The feed's columns depend on
// its history: items were inserted at the top.
//
// Invariants: present items keep their columns and frames; both ways have the same answers, then
// and after further commits; the result keeps its incarnation.

@Suite struct AppendingImportTests {
  private static let layout = LayoutID("layout", of: "feed")
  private static let kinds = [
    KindExample(
      name: "waterfall of a small skew",
      members: KindExample.waterfall.members + #","maximumSkew":20"#),
    KindExample(name: "custom", members: #""kind":"stack","options":{"gap":5}"#),
    .waterfall, .exactWaterfall, .flow, .grid,
  ]

  private func section(_ key: String, _ prefix: String, count: Int) -> OracleSection {
    var section = OracleSection.mixed(prefix, count: count)
    for index in section.items.indices where index % 7 == 3 { section.items[index].span = 2 }
    section.key = key
    return section
  }

  private func makeFeed(_ kind: KindExample) throws -> TestFeed {
    let test = try TestFeed(
      [section("s", "s", count: 60), section("t", "t", count: 20)],
      configuration: kind.configuration(extra: #","header":10"#, rest: #","sectionSpacing":3"#))
    try test.cache.prepare(Self.layout)
    // Uneven columns, whose rebalance later commits continue.
    try test.cache.update("feed", with: try inserts([section("s", "top", count: 30)], at: 0))
    return test
  }

  private func inserts(_ sections: [OracleSection], at index: Int? = nil) throws -> [BatchOperation]
  {
    try sections.flatMap { section -> [BatchOperation] in
      let isNew = section.key.hasPrefix("new")
      let place = index.map { ItemDestination.index($0, section: section.key) }
      return (isNew ? [.insertSection(key: section.key, index: 2)] : [])
        + [.insert(try section.items.map { try Item($0) }, at: place ?? .end(section: section.key))]
    }
  }

  private func incarnation(_ test: TestFeed) throws -> Incarnation {
    try test.read { $0.resultIncarnation }
  }

  @Test(arguments: kinds, [5, 13, 14, 40, 300])
  func appendedItemsMoveNoneWhicheverWayTheyAreImported(kind: KindExample, count: Int) throws {
    let added = [
      section("t", "a", count: count / 3), section("new", "b", count: count / 5),
      section("s", "c", count: count - count / 3 - count / 5),
    ]
    let (imported, batched) = try (makeFeed(kind), makeFeed(kind))
    let before = try (elements: OracleElement.all(of: imported.cache), incarnation(imported))
    try imported.importItems(added, mode: .append)
    try batched.cache.update("feed", with: inserts(added))
    let after = try OracleElement.all(of: imported.cache)
    #expect(try after == OracleElement.all(of: batched.cache))
    let columns = Dictionary(
      uniqueKeysWithValues: after.compactMap { element in element.key.map { ($0, element.column) } }
    )
    let isStable = try imported.read { $0.plan.hasHistory }
    if isStable {
      #expect(
        before.elements.allSatisfy { element in
          element.key.map { columns[$0] == element.column } ?? true
        })
      #expect(try incarnation(imported) == before.1)
    }
    for round in 0..<3 {
      let resize = [
        BatchOperation.resize(
          key: "s-1", size: Size(width: 50, height: .points(Double(30 + round))))
      ]
      try imported.cache.update("feed", with: resize)
      try batched.cache.update("feed", with: resize)
      #expect(
        try OracleElement.all(of: imported.cache) == OracleElement.all(of: batched.cache),
        "round \(round)")
    }
    #expect(try imported.cache.verify().problems.isEmpty)
    let other = try LayoutCache(path: imported.path, sectionLayouts: TestKinds.all)
    #expect(try OracleElement.all(of: other) == OracleElement.all(of: batched.cache))
  }

  /// A layout that no process has requested for a time has the columns of its stored result.
  @Test func anIdleLayoutKeepsItsColumns() throws {
    let test = try makeFeed(.waterfall)
    let before = try OracleElement.all(of: test.cache)
    try test.cache.close()
    let cache = try LayoutCache(path: test.path)
    try cache.update("feed", with: [.delete(keys: ["t-19"])], preparing: .none)
    _ = try cache.importItems(into: "feed", mode: .append, onDuplicate: .update) { importer in
      for number in 0..<200 {
        try importer.add(Item(key: "n\(number)", width: 5, height: 7), section: "t")
      }
      // Another span: the item is placed again.
      try importer.add(Item(key: "s-0", width: 5, height: 7, columnSpan: 3), section: "t")
    }
    let after = try OracleElement.all(of: cache)
    let columns = Dictionary(
      uniqueKeysWithValues: after.compactMap { element in element.key.map { ($0, element) } })
    for element in before {
      guard let key = element.key, key != "t-19", key != "s-0" else { continue }
      #expect(columns[key]?.column == element.column, "\(key)")
    }
    #expect(columns["s-0"]?.column == 0)
    #expect(try cache.verify().problems.isEmpty)
  }
}
