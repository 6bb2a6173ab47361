import ClusterTestSupport
import Dispatch
import LayoutCache
import LayoutCluster
import LayoutReplication
import Synchronization
import TestSupport
import Testing

@testable import PostgresLog

/// Production nodes over the production log, with many threads: batched commits of several
/// datasets.
@Suite(needsPostgres) struct NodeTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private struct Node {
    let cache: LayoutCache
    let node: ClusterNode
  }

  private func makeNode(_ log: PostgresLog, _ name: String) throws -> Node {
    var options = LayoutCacheOptions()
    options.lookInterval = nil
    let cache = try LayoutCache(path: folder.path(of: name), options: options)
    return Node(cache: cache, node: try ClusterNode(of: log, on: cache))
  }

  @Test func concurrentCommitsAreInTheLogOnce() throws {
    let log = try freshLog()
    defer { log.close() }
    let nodes = try [makeNode(log, "one.sqlite"), makeNode(log, "two.sqlite")]
    let names = (0..<6).map { "feed \($0)" }
    for name in names {
      try nodes[0].node.commit(.create(name))
      try nodes[0].cache.setLayout(
        LayoutID("list", of: name),
        to: try ConfigurationText.decode(
          #"{"container":{"width":300},"section":{"kind":"waterfall","columns":3}}"#))
      try nodes[0].cache.update(name, with: [.insertSection(key: "main")])
      _ = try nodes[0].cache.prepare(LayoutID("list", of: name))
    }
    let (threadCount, commitCount) = (8, 40)
    let sequences = Mutex<[String: [Int]]>([:])
    let failures = Mutex<[String]>([])
    let group = DispatchGroup()
    for thread in 0..<threadCount {
      DispatchQueue(label: "\(thread)").async(group: group) {
        do {
          for number in 0..<commitCount {
            let name = names[(thread + number) % names.count]
            let item = try Item(
              key: "\(thread)-\(number)", width: 4, height: Double(1 + number % 7))
            let commit = try nodes[thread % 2].cache.update(
              name, with: [.insert([item], at: .end(section: "main"))])
            sequences.withLock { $0[name, default: []].append(commit.sequence ?? 0) }
          }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    group.wait()
    #expect(failures.withLock { $0 } == [])
    for node in nodes { try node.node.poll() }
    for name in names {
      let acknowledged = sequences.withLock { $0[name, default: []].sorted() }
      let head = try #require(try log.dataset(named: name))
      // Three entries existed before.
      #expect(acknowledged == Array(4..<(head.position.sequence + 1)), "\(name)")
      let digests = try nodes.map { node in
        try node.node.ensureResident(name)
        return try node.cache.exportReplica(of: name, in: log.info().incarnation) { _ in }
      }
      #expect(digests[0].position == head.position, "\(name)")
      #expect(digests[0].digest == digests[1].digest, "\(name)")
    }
    for node in nodes { #expect(try node.cache.verify().problems.isEmpty) }
  }
}
