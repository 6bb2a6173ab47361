import ClusterSimulation
import ClusterTestSupport
import CollectionLayout
import LayoutCache
import LayoutCluster
import Synchronization
import TestSupport

/// A log with only the faults that a test requests, a clock that the test sets, and nodes.
final class NodeHouse: Sendable {
  /// A node with its file and cache.
  struct Node {
    let cache: LayoutCache
    let node: ClusterNode
  }

  /// The log that ``log`` forwards to. It takes one call at a time.
  let simulated = SimulatedLog(seed: 1)
  let log: SwitchedLog
  private let folder: TemporaryDirectory
  private let clock = Mutex(Duration.seconds(100))

  static var configuration: LayoutConfiguration {
    get throws {
      try ConfigurationText.decode(#"{"container":{"width":390},"section":{"columns":2}}"#)
    }
  }

  init() throws {
    folder = try TemporaryDirectory()
    log = SwitchedLog(simulated.handle(node: 0))
  }

  func pass(_ duration: Duration) { clock.withLock { $0 += duration } }

  /// Opens a node with the file of its name, continuing from the file's contents.
  ///
  /// - Parameter store: The node's view of the log, if it differs from that of other nodes.
  func node(
    _ name: String, on store: (any SharedLog)? = nil, clock: WallClock = .system,
    _ change: (inout ClusterOptions) -> Void = { _ in }
  ) throws -> Node {
    var options = ClusterOptions()
    options.now = { self.clock.withLock { $0 } }
    options.pause = { self.pass($0) }
    change(&options)
    let cache = try SimulatedClusterNode.cache(at: folder.path(of: "\(name).sqlite"), clock: clock)
    return Node(cache: cache, node: try ClusterNode(of: store ?? log, on: cache, options: options))
  }
}

extension NodeHouse.Node {
  /// Appends items to a dataset, which is created if missing.
  func append(_ count: Int, to dataset: String) throws {
    _ = try? cache.createDataset(dataset)
    let first = try cache.dataset(dataset).itemCount
    var operations: [BatchOperation] = first == 0 ? [.insertSection(key: "s")] : []
    let items = try (first..<first + count).map { try Item(key: "\($0)", width: 4, height: 3) }
    operations.append(.insert(items, at: .end(section: "s")))
    try cache.update(dataset, with: operations)
  }

  func itemCount(of dataset: String) throws -> Int { try cache.dataset(dataset).itemCount }
}
