import ClusterSimulation
import LayoutCache
import LayoutCluster
import Synchronization
import TestSupport

/// Nodes over one log in memory, with a clock that advances without real waiting.
struct TestCluster {
  let store = WatchedLog()
  let nodes: [(cache: LayoutCache, node: ClusterNode)]
  private let folder: TemporaryDirectory

  init(nodes count: Int = 2) throws {
    let folder = try TemporaryDirectory()
    let store = store
    let clock = TestClock()
    nodes = try (0..<count).map { number in
      let cache = try LayoutCache(path: folder.path(of: "\(number).sqlite"), options: Self.options)
      var options = ClusterOptions()
      options.timeout = .milliseconds(400)
      options.now = { clock.now }
      options.pause = { clock.pass($0) }
      return (cache, try ClusterNode(of: store, on: cache, options: options))
    }
    self.folder = folder
  }

  /// Options for small tree nodes and archives of several chunks.
  static var options: LayoutCacheOptions {
    var options = LayoutCacheOptions()
    options.lookInterval = nil
    options.treeShapes = .tiny
    options.archiveChunkBytes = 256
    return options
  }

  subscript(_ index: Int) -> LayoutCache { nodes[index].cache }

  func node(_ index: Int) -> ClusterNode { nodes[index].node }

  /// Brings a dataset up to date with its log on all nodes.
  func follow(_ dataset: String) throws {
    for (_, node) in nodes {
      try node.ensureResident(dataset)
      try node.poll()
    }
  }

  /// Returns each node's sections, items, revision and marks of a dataset.
  func contents(of dataset: String) throws -> [Contents] {
    try follow(dataset)
    return try nodes.map { try Contents(of: dataset, in: $0.cache) }
  }
}

/// A clock that advances by waiting, and a little with each reading.
private final class TestClock: Sendable {
  private let time = Mutex(Duration.zero)

  var now: Duration {
    pass(.microseconds(10))
    return time.withLock { $0 }
  }

  func pass(_ duration: Duration) { time.withLock { $0 += duration } }
}
