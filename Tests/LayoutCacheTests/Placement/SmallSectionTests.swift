import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

// Small sections are stored together, some dozens in one node; a larger one has separate nodes.

@Suite struct SmallSectionTests {
  /// One layout for each way of storing items in a tree.
  private static let kinds = [
    #""kind":"waterfall","columns":3,"lineSpacing":4,"assignment":"exact""#,
    #""kind":"flow","minimumInteritemSpacing":3"#,
    #""kind":"stack","options":{"gap":3}"#,
  ]

  private static func text(_ members: String) -> String {
    #"{"container":{"width":200},"section":{\#(members)}}"#
  }

  private static func sizes(_ count: Int) -> [(Double, Double)] {
    (0..<count).map { index in
      let (width, height) = (20 + index * 7919 % 90, 15 + index * 104_729 % 70)
      return (Double(width), Double(height))
    }
  }

  /// The nodes of the layout's result.
  private func nodeCount(_ test: TestFeed) throws -> Int {
    try test.cache.store.read { reader in
      let dataset = try reader.requireDataset("feed")
      let row = try #require(try reader.layouts(of: dataset.id).first)
      let result = try #require(row.result)
      // Except those that only its trailing checkpoints need.
      return try reader.nodeBytes(in: result.space).count
        - reader.baseCount(in: result.space, besides: result.trailing)
        - result.trailing.reduce(0) { $0 + $1.supersededCount }
    }
  }

  @Test(arguments: kinds)
  func manySmallSectionsTakeFewNodes(members: String) throws {
    let sections = (0..<64).map { OracleSection("s\($0)", sizes: Self.sizes(5 + $0 % 4)) }
    let text = Self.text(members)
    let test = try TestFeed(sections, configuration: text)
    let expected = OracleElement.all(of: try Oracle(configuration: text, sections: sections))
    #expect(try OracleElement.all(of: test.cache) == expected)
    // Bulk-built leaves have room: three of at most 24 sections, and a root.
    #expect(try nodeCount(test) == 4)
    #expect(try OracleElement.all(of: LayoutCache(path: test.path, test)) == expected)
    #expect(try test.cache.verify().problems.isEmpty)
  }

  @Test(arguments: kinds)
  func aGrowingSectionGetsANodeAndAShrinkingOneLosesIt(members: String) throws {
    let sections = [
      OracleSection("a", sizes: Self.sizes(3)), OracleSection("b", sizes: Self.sizes(4)),
    ]
    let text = Self.text(members)
    let test = try TestFeed(sections, configuration: text)
    try test.read { _ in }
    #expect(try nodeCount(test) == 1)

    /// Checks all answers after a checkpoint, also those of a cache that opens the file.
    func check(_ items: [OracleItem], hasNode: Bool) throws {
      try test.cache.checkpoint()
      let sections = [OracleSection(key: "a", items: items), sections[1]]
      let expected = OracleElement.all(of: try Oracle(configuration: text, sections: sections))
      #expect(try OracleElement.all(of: test.cache) == expected)
      #expect(try OracleElement.all(of: LayoutCache(path: test.path, test)) == expected)
      #expect(try (nodeCount(test) > 1) == hasNode, "\(items.count) items")
      #expect(try test.cache.verify().problems.isEmpty)
    }

    var items = sections[0].items
    let more = OracleSection("new", sizes: Self.sizes(200)).items
    try test.cache.update(
      "feed", with: [.insert(more.map { try Item($0) }, at: .index(1, section: "a"))],
      preparing: .upToDate)
    items.insert(contentsOf: more, at: 1)
    try check(items, hasNode: true)
    try test.cache.update(
      "feed", with: [.resize(key: "new-7", size: Size(width: 50, height: 60))],
      preparing: .upToDate)
    items[8].width = 50
    items[8].height = 60
    try check(items, hasNode: true)
    try test.cache.update(
      "feed", with: [.delete(keys: more[2...].map(\.key))], preparing: .upToDate)
    items.removeSubrange(3..<201)
    try check(items, hasNode: false)
  }

  @Test func aSmallSectionIsReusedByAnotherConfiguration() throws {
    let sections = (0..<40).map { OracleSection("s\($0)", sizes: Self.sizes(6)) }
    let test = try TestFeed(sections, configuration: Self.text(Self.kinds[0]))
    try test.read { _ in }
    for override in [#""columns":2"#, #""header":9"#] {
      let text = #"""
        {"container":{"width":200},"section":{\#(Self.kinds[0])},"sections":{"s3":{\#(override)}}}
        """#
      try test.set(text)
      let expected = OracleElement.all(of: try Oracle(configuration: text, sections: sections))
      #expect(try OracleElement.all(of: test.cache) == expected)
      #expect(try nodeCount(test) == 3)
      #expect(try test.cache.verify().problems.isEmpty)
    }
  }
}

extension LayoutCache {
  /// A second cache of a test's file.
  fileprivate convenience init(path: String, _ test: TestFeed) throws {
    try self.init(path: path, sectionLayouts: TestKinds.all)
  }
}
