import ClusterSimulation
import LayoutCache
import LayoutCluster
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

// Strategy: two nodes over one log, the second with a clock two days ahead; and a node with less
// space than its write-ahead log takes.

@Suite struct NodeBudgetTests {
  private static func resize(
    _ width: Int, on node: NodeHouse.Node, once request: IdempotentRequest? = nil
  ) throws -> ChangeOutcome {
    _ = try node.node.visit("d", ReadBounds(ageMax: .zero))
    let size = Size(width: .points(Double(width)), height: .points(3))
    return try node.cache.update(
      "d", with: [.resize(key: "0", size: size)], once: request, answer: nil)
  }

  private static func isApplied(_ outcome: ChangeOutcome) -> Bool {
    if case .applied = outcome { true } else { false }
  }

  /// Whether a key has expired must be the same on all nodes, or one of them applies a request
  /// again that another one answers from memory.
  @Test func idempotencyKeysExpireByTheEntriesTimes() throws {
    let folder = try TemporaryDirectory()
    let log = SimulatedLog(seed: 1).handle(node: 0)
    var options = ClusterOptions()
    options.now = { .seconds(100) }
    let nodes = try [0, 48].map { (hours: Int64) in
      let clock = WallClock { WallClock.system.now() + hours * 60 * 60 * 1000 }
      let cache = try LayoutCache(
        path: folder.path(of: "\(hours).sqlite"), options: TestCluster.options, clock: clock)
      return NodeHouse.Node(
        cache: cache, node: try ClusterNode(of: log, on: cache, options: options))
    }
    let (present, ahead) = (nodes[0], nodes[1])
    try present.append(1, to: "d")
    let request = try IdempotentRequest(key: "k", owner: "", bodyHash: [])
    #expect(Self.isApplied(try Self.resize(5, on: present, once: request)))
    // By the clock of this node, the key has expired.
    #expect(!Self.isApplied(try Self.resize(5, on: ahead, once: request)))
    // By the time of this entry, it has.
    #expect(Self.isApplied(try Self.resize(6, on: ahead)))
    #expect(Self.isApplied(try Self.resize(5, on: present, once: request)))
  }

  /// A reader that keeps an earlier state blocks the write-ahead log, whose truncation must not
  /// make the node's writers wait.
  @Test(.timeLimit(.minutes(1))) func evictionDoesNotWaitForReaders() throws {
    let folder = try TemporaryDirectory()
    var options = TestCluster.options
    options.busyTimeout = 1_000_000
    let path = folder.path(of: "node.sqlite")
    let cache = try LayoutCache(path: path, options: options)
    let clock = Mutex(Duration.seconds(100))
    var cluster = ClusterOptions()
    cluster.now = { clock.withLock { $0 } }
    cluster.diskBytes = 1
    let node = NodeHouse.Node(
      cache: cache,
      node: try ClusterNode(
        of: SimulatedLog(seed: 1).handle(node: 0), on: cache, options: cluster))
    for dataset in ["a", "b"] { try node.append(100, to: dataset) }
    let reader = try RawDatabase(path: path)
    try reader.execute("BEGIN; SELECT count(*) FROM nodes")
    try node.append(100, to: "b")
    clock.withLock { $0 += .seconds(60) }
    try node.node.evictUnused()
    #expect(node.node.status().residentCount == 1)
    try reader.execute("COMMIT")
    try node.node.evictUnused()
    #expect(node.node.status().residentCount == 0)
  }

  @Test func theWriteAheadLogCountsAsUsedSpace() throws {
    let house = try NodeHouse()
    try house.node("writer").append(2_000, to: "d")
    let unlimited = try house.node("unlimited")
    _ = try unlimited.node.visit("d")
    try unlimited.cache.emptyWriteAheadLog()
    let limit = try unlimited.cache.usedBytes() + 64 * 1024
    let node = try house.node("limited") { $0.diskBytes = limit }
    _ = try node.node.visit("d")
    #expect(try node.cache.usedBytes() > limit)
    house.pass(.seconds(60))
    try node.node.evictUnused()
    #expect(try node.cache.usedBytes() <= limit)
    // Emptying the write-ahead log was sufficient.
    #expect(node.node.status().residentCount == 1)
  }
}
