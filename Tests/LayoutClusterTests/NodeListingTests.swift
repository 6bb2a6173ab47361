import ClusterSimulation
import LayoutCache
import LayoutCluster
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

/// Lists of a node, and the limits of datasets and layouts.
@Suite struct NodeListingTests {
  private let folder: TemporaryDirectory
  private let log = SimulatedLog(seed: 1).handle(node: 0)

  init() throws { folder = try TemporaryDirectory() }

  private func node(
    _ name: String, datasets: Int = 100, layouts: Int = 100
  ) throws -> (cache: LayoutCache, node: ClusterNode) {
    var options = LayoutCacheOptions()
    (options.datasetsMax, options.layoutsMax) = (datasets, layouts)
    let cache = try LayoutCache(path: folder.path(of: "\(name).sqlite"), options: options)
    return (cache, try ClusterNode(of: log, on: cache))
  }

  @Test func datasetsAreListedByPrefix() throws {
    let (cache, node) = try node("a")
    let names = ["Z", "a", "ab", "ab-", "ab-c", "ab-é", "ab.", "b"]
    for name in names { try cache.createDataset(name) }
    for prefix in ["", "a", "ab", "ab-", "ab-x", "c"] {
      for after in [nil, "", "A", "a", "ab-", "ab-c", "ab/", "b", "z"] {
        for count in [2, 3, 9] {
          let found = try node.datasets(prefix: prefix, after: after, countMax: count)
          let expected = names.filter { name in
            name.utf8.starts(with: prefix.utf8)
              && after.map { $0.utf8.lexicographicallyPrecedes(name.utf8) } ?? true
          }.prefix(count)
          #expect(found.map(\.name) == Array(expected), "'\(prefix)' \(after ?? "-") \(count)")
        }
      }
    }
  }

  /// A change of a name applies to the dataset that has it, not to one that had it when the call
  /// began.
  @Test(arguments: [WatchedLog.Call.willRemove, .willRename])
  func aRenamedDatasetIsNeitherRemovedNorRenamedByItsOldName(_ call: WatchedLog.Call) throws {
    let log = WatchedLog()
    let caches = try ["a", "b"].map {
      try LayoutCache(path: folder.path(of: "\($0).sqlite"))
    }
    let nodes = try caches.map { try ClusterNode(of: log, on: $0) }
    try caches[0].createDataset("feed")
    let isFirst = Atomic(true)
    log.onCall { [other = caches[1]] in
      guard $0 == call, isFirst.exchange(false, ordering: .relaxed) else { return }
      try other.renameDataset("feed", to: "kept")
    }
    let error = #expect(throws: LayoutCacheError.self) {
      if call == .willRemove {
        try caches[0].removeDataset("feed")
      } else {
        try caches[0].renameDataset("feed", to: "lost")
      }
    }
    guard case .noSuchDataset("feed") = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    let isUntouched = isFirst.load(ordering: .relaxed)
    #expect(!isUntouched)
    for node in nodes {
      #expect(try node.datasets(after: nil, countMax: 9).map(\.name) == ["kept"])
    }
  }

  private func expectLimit(_ value: Double, _ body: () throws -> Void) {
    let error = #expect(throws: LayoutCacheError.self) { try body() }
    guard case .countLimit(let limit) = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(limit.value == value && limit.limit == value - 1)
  }

  @Test func nodeEnforcesDatasetAndLayoutLimits() throws {
    let (a, b) = (try node("a", datasets: 2, layouts: 2), try node("b", datasets: 2, layouts: 2))
    let configuration = try ConfigurationText.decode(#"{"container":{"width":300}}"#)
    try a.cache.createDataset("feed")
    try a.cache.setLayout(LayoutID("1", of: "feed"), to: configuration)
    try b.cache.setLayout(LayoutID("2", of: "feed"), to: configuration)
    for cache in [a.cache, b.cache] {
      expectLimit(3) { try cache.setLayout(LayoutID("3", of: "feed"), to: configuration) }
    }
    try a.cache.removeLayout(LayoutID("1", of: "feed"))
    try b.cache.setLayout(LayoutID("3", of: "feed"), to: configuration)
    try a.cache.createDataset("more")
    expectLimit(3) { try a.cache.createDataset("third") }
    expectLimit(3) {
      _ = try a.cache.importItems(into: "third", mode: .create) { try $0.addSection("s") }
    }
    try a.cache.removeDataset("more")
    try a.cache.createDataset("third")
  }
}
