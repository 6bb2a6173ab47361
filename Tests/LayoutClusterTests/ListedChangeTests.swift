import LayoutCache
import LayoutCluster
import LayoutGeometry
import TestSupport
import Testing

@testable import ClusterSimulation

// Changes that resolve to ordinary operations of the log. After a change by one node, both
// nodes show the same state, including measured lengths.

@Suite struct ListedChangeTests {
  private static let layout = LayoutID("list", of: "feed")
  private let cluster: TestCluster

  @Test func aBatchWithTwoMarksIsRejected() throws {
    for second in ["a", "b"] {
      let marks = [
        BatchOperation.mark(source: "a", position: "1"), .mark(source: second, position: "2"),
      ]
      do {
        try cluster[0].update("feed", with: marks)
        Issue.record("the batch is accepted")
      } catch let error as LayoutCacheError {
        guard case .refused(_, .duplicateMark) = error.code else { throw error }
      }
    }
  }

  init() throws {
    cluster = try TestCluster()
    try cluster[0].createDataset("feed")
    try cluster[0].update(
      "feed", toMatch: [section("s", "a", "b", "c", "d"), section("t", "e", "f")])
    try configure(width: 100)
    try prefer([("a", 50), ("c", 60), ("e", 70)], by: 0)
  }

  private func section(_ key: String, _ items: String...) throws -> MatchedSection {
    MatchedSection(
      key: key, items: try items.map { try Item(key: $0, width: 100, height: 20) })
  }

  private func configure(width: Int, extra: String = "") throws {
    try cluster[0].setLayout(
      Self.layout,
      to: ConfigurationText.decode(
        #"""
        {"container":{"width":\#(width)},"section":{"columns":1,"itemLength":"natural"}\#(extra)}
        """#))
  }

  @Test func stylesAreTheSameOnEveryNode() throws {
    let styles = #","styles":{"wide":{"columns":2},"grid":{"kind":"grid","columns":3}}"#
    try configure(width: 100, extra: styles)
    _ = try heights("without styles")
    try cluster[0].update("feed", with: [.style(section: "s", style: "wide")])
    _ = try heights("a style by the first node")
    try cluster[1].update(
      "feed",
      with: [
        .delete(keys: ["a"]), .style(section: "t", style: "grid"),
        .insertSection(key: "u", index: 0, style: "wide"),
      ])
    _ = try heights("styles by the second node")
    for node in 0..<2 {
      let found = try cluster[node].section(forKey: "t", of: "feed")?.section.style
      #expect(found == "grid")
    }
    try cluster[0].undo("feed")
    let undone = try heights("undone by the first node")
    #expect(undone["a"] == 50)
    try cluster[1].update(
      "feed", toMatch: [section("s", "a", "b", "c", "d"), section("t", "e", "f")])
    _ = try heights("a list without styles")
    #expect(try cluster[0].section(forKey: "s", of: "feed")?.section.style == nil)
  }

  private func prefer(_ lengths: [(String, Length)], by node: Int) throws {
    try cluster[node].update(
      "feed",
      with: [
        .preferLengths(
          layout: "list", lengths.map { MeasuredLength(key: $0.0, length: $0.1) })
      ])
  }

  /// Returns the heights of the items by key, and checks that both nodes show the same.
  private func heights(_ origin: Comment) throws -> [String: Double] {
    try cluster.follow("feed")
    let contents = try cluster.contents(of: "feed")
    #expect(contents[0] == contents[1], origin)
    let shown = try (0..<2).map { node in
      try cluster[node].read(Self.layout) { snapshot in
        try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
      }
    }
    #expect(shown[0] == shown[1], origin)
    for node in 0..<2 { #expect(try cluster[node].verify().problems.isEmpty, origin) }
    return Dictionary(
      uniqueKeysWithValues: shown[0].compactMap { element in
        guard case .cell(let key) = element.category else { return nil }
        return (key, element.frame.size.height.points)
      })
  }

  @Test func matchGivesTheSameResultOnBothNodes() throws {
    #expect(try heights("measured") == ["a": 50, "b": 20, "c": 60, "d": 20, "e": 70, "f": 20])
    let commit = try cluster[1].update(
      "feed", toMatch: [section("t", "f", "c"), section("s", "n", "d", "a")])
    #expect(!commit.updates.everything)
    #expect(try heights("matched") == ["f": 20, "c": 60, "n": 20, "d": 20, "a": 50])
    #expect(try cluster.contents(of: "feed")[0].sections.map(\.key) == ["t", "s"])
    // The other node matches the same items again: nothing changes.
    let again = try cluster[0].update(
      "feed", toMatch: [section("t", "f", "c"), section("s", "n", "d", "a")])
    #expect(again.revision == commit.revision)
  }

  @Test func droppedLengthsDisappearOnBothNodes() throws {
    _ = try heights("measured")
    try cluster[1].update("feed", with: [.resetLengths(layout: "list")])
    #expect(Set(try heights("dropped").values) == [20])
    try cluster[0].undo("feed")
    #expect(try heights("undone")["c"] == 60)
  }

  @Test func anotherContainerDropsLengthsOnBothNodes() throws {
    _ = try heights("measured")
    try configure(width: 100, extra: #","keepsMeasuredLengths":true"#)
    try configure(width: 200, extra: #","keepsMeasuredLengths":true"#)
    #expect(try heights("kept")["c"] == 60)
    try configure(width: 200)
    #expect(try heights("the same width")["c"] == 60)
    try configure(width: 300)
    #expect(Set(try heights("another width").values) == [20])
    try prefer([("b", 30)], by: 1)
    #expect(try heights("measured again")["b"] == 30)
  }
}
