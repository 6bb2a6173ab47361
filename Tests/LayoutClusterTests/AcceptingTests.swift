import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

@testable import ClusterSimulation
@testable import LayoutCluster

// NodeReadingTests and NodeIsolationTests have entries that a node cannot apply, and
// NodeSimulationTests compares nodes that apply many entries at once with one that applies each by
// itself.

@Suite struct AcceptingTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func nodeCommitListsOnlyTheNamedLayouts() throws {
    let cache = try SimulatedClusterNode.cache(at: folder.path(of: "named.sqlite"))
    let node = try ClusterNode(of: SimulatedLog(seed: 3).handle(node: 0), on: cache)
    try node.commit(.create("feed"))
    try cache.update(
      "feed",
      with: [
        .insertSection(key: "s"),
        .insert([try Item(key: "i", width: 1, height: 5)], at: .end(section: "s")),
      ])
    for name in ["a", "b"] {
      try cache.setLayout(
        LayoutID(name, of: "feed"),
        to: ConfigurationText.decode(
          #"{"container":{"width":1},"section":{"columns":1,"itemLength":"natural"}}"#))
    }
    func listed(_ operation: BatchOperation, _ layouts: UpdatedLayouts) throws -> [String] {
      try cache.update("feed", with: [operation], preparing: layouts).layouts.map(\.layout)
    }
    // Nothing has been laid out yet.
    #expect(try listed(.prefer(layout: "a", key: "i", length: 6), .named(["b"])) == ["b"])
    #expect(try listed(.prefer(layout: "a", key: "i", length: 7), .named(["a"])) == ["a"])
    #expect(try listed(.prefer(layout: "a", key: "i", length: 8), .named(["b"])) == ["a", "b"])
    #expect(try listed(.insertSection(key: "t"), .named(["b"])) == ["a", "b"])
    #expect(try listed(.invalidate(layout: "b", everything: true), .inUse) == ["b"])
  }
}
