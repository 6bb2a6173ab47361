import ClusterTestSupport
import Dispatch
import LayoutCache
import LayoutCluster
import Synchronization
import Testing

@testable import PostgresLog

@Suite(needsPostgres) struct PostgresSchemaTests {
  private let server: PostgresServer
  private let database: String
  private var url: String { server.url(database) }

  init() throws {
    server = try PostgresServer.shared.get()
    database = try server.freshDatabase()
  }

  private func isForeign(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return false
    } catch SharedLogFailure.incompatible {
      return true
    } catch {
      return false
    }
  }

  @Test func logIsCreatedOnce() throws {
    let first = try PostgresLog.initialize(url, rules: 3)
    #expect(first.isNew)
    #expect(!first.isReplicated)
    #expect(first.connectedStandbyCount == 0)
    #expect(first.unsafeSettings == ["fsync"])
    let log = try PostgresLog(url)
    let info = try log.info()
    #expect(info.format == 1)
    #expect(info.rules == 3)
    _ = try ContractTools.make("feed", in: log)
    let second = try PostgresLog.initialize(url, rules: 9)
    #expect(!second.isNew)
    #expect(try log.info() == info)
    #expect(try log.dataset(named: "feed") != nil)
  }

  @Test func concurrentInitializationsCreateOneLog() throws {
    let made = Mutex<[Result<PostgresCondition, any Error>]>([])
    let group = DispatchGroup()
    for thread in 0..<4 {
      DispatchQueue(label: "\(thread)").async(group: group) { [url] in
        let result = Result { try PostgresLog.initialize(url, rules: 1) }
        made.withLock { $0.append(result) }
      }
    }
    group.wait()
    let conditions = try made.withLock { try $0.map { try $0.get() } }
    #expect(conditions.filter(\.isNew).count == 1)
    _ = try PostgresLog(url).info()
  }

  @Test func foreignOrNewerLogIsRejected() throws {
    let log = try PostgresLog(url)
    #expect(isForeign { _ = try log.info() })
    #expect(isForeign { try log.barrier(node: ContractTools.node) })
    _ = try PostgresLog.initialize(url, rules: 1)
    #expect(try log.info().format == 1)
    try server.connection(database).execute("UPDATE layoutcache.cluster SET format = 2")
    #expect(isForeign { _ = try PostgresLog(url).info() })
    #expect(isForeign { _ = try PostgresLog.initialize(url, rules: 1) })
  }

  @Test func databaseOfAnotherEncodingIsRejected() throws {
    let name = try server.freshDatabase()
    try server.connection().execute(
      "CREATE DATABASE \(name)_latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    #expect(
      isForeign { _ = try PostgresLog.initialize(server.url("\(name)_latin"), rules: 1) })
  }

  @Test func unavailableServerIsReported() throws {
    let log = try PostgresLog("postgresql://postgres@127.0.0.1:1/postgres")
    do {
      _ = try log.append(
        ContractTools.batches(
          [[1]],
          after: SharedHead(
            name: "", epoch: 1, position: SharedPosition(dataset: 1, sequence: 0, chain: []),
            revision: 1, cut: 0, begin: [], time: 0)),
        after: SharedPosition(dataset: 1, sequence: 0, chain: []), epoch: 1)
      Issue.record("no server answers")
    } catch SharedLogFailure.unavailable(let reason) {
      #expect(!reason.isEmpty)
    }
  }

  /// Every append writes the row of its dataset, but not its indexes.
  @Test func appendWritesNoDatasetIndex() throws {
    _ = try PostgresLog.initialize(url, rules: 1)
    let log = try PostgresLog(url)
    var head = try ContractTools.make("feed", in: log)
    for number in 0..<200 {
      head = try ContractTools.append([[UInt8(number)]], after: head, to: log)
    }
    let connection = try server.connection(database)
    var counts = (all: 0, hot: 0)
    try waitUntil("the statistics are there") {
      log.close()
      counts = try connection.read(
        """
        SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'dataset'
        """
      ) { (all: try $0.int(0), hot: try $0.int(1)) }[0]
      return counts.all == 200
    }
    #expect(counts.hot >= 195, "of 200 updates \(counts.hot) wrote no index")
  }

  @Test func nodesAreListedByTheirBarriers() throws {
    _ = try PostgresLog.initialize(url, rules: 1)
    var options = PostgresOptions()
    options.rules = 2...5
    let log = try PostgresLog(url, options: options)
    #expect(try log.nodes() == [])
    let other = [UInt8](repeating: 9, count: 16)
    try log.barrier(node: other)
    for _ in 0..<3 { try log.read(node: ContractTools.node) { _ in } }
    let nodes = try log.nodes()
    #expect(nodes.map(\.name) == [ContractTools.node, other])
    #expect(nodes.map(\.rules) == [2...5, 2...5])
    #expect(nodes.allSatisfy { $0.age >= 0 && $0.age < 60 && $0.boot == nodes[0].boot })
  }

  @Test func interruptedRemovalIsSweptByAnotherNode() throws {
    _ = try PostgresLog.initialize(url, rules: 1)
    let log = try PostgresLog(url)
    var head = try ContractTools.make("feed", in: log)
    for _ in 0..<3 {
      head = try ContractTools.append(
        [[UInt8]](repeating: [1], count: 700), after: head, to: log)
    }
    let archives = try (0..<2).map { _ in try log.beginArchive(of: head.position.dataset) }
    for number in 0..<150 { try log.putChunk([1], number: number, of: archives[0]) }
    #expect(try log.publishCheckpoint(archives[1], at: head.position, digest: []))
    // The state left by a node that died between marking and removing.
    let connection = try server.connection(database)
    try connection.execute("UPDATE layoutcache.dataset SET name = NULL")
    try connection.execute(
      "UPDATE layoutcache.archive SET is_going = true WHERE id = \(archives[0])")
    #expect(try log.sweepArchives(olderThan: 3_600) == 0)
    for table in ["dataset", "log", "archive", "chunk"] {
      let count = try connection.read("SELECT count(*) FROM layoutcache.\(table)") {
        try $0.int(0)
      }
      #expect(count == [0], "\(table)")
    }
  }
}
