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
  func smallSectionsShareNodesAndALargerOneHasItsOwn(members: String) throws {
    let sections = (0..<64).map { OracleSection.mixed("s\($0)", count: 5 + $0 % 4) }
    let test = try TestFeed(
      sections, configuration: #"{"container":{"width":200},"section":{\#(members)}}"#)
    try test.read { _ in }
    // Bulk-built leaves have room: three of at most 24 sections, and a root.
    #expect(try nodeCount(test) == 4)
    // Another configuration of a section reuses them.
    try test.set(
      #"{"container":{"width":200},"section":{\#(members)},"sections":{"s3":{"header":9}}}"#)
    try test.read { _ in }
    #expect(try nodeCount(test) == 4)
    let more = OracleSection.mixed("new", count: 200).items
    for (operation, hasNode): (BatchOperation, Bool) in [
      (.insert(try more.map { try Item($0) }, at: .index(1, section: "s1")), true),
      (.resize(key: "new-7", size: Size(width: 50, height: 60)), true),
      (.delete(keys: more[2...].map(\.key)), false),
    ] {
      try test.cache.update("feed", with: [operation], preparing: .upToDate)
      try test.cache.checkpoint()
      #expect(try (nodeCount(test) > 4) == hasNode, "\(operation)")
      #expect(try test.cache.verify().problems.isEmpty)
    }
  }
}
