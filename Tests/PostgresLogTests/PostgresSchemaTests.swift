import ClusterTestSupport
import Dispatch
import LayoutCache
import LayoutCluster
import LayoutReplication
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
    #expect(first.format == 5)
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
    #expect(isForeign { _ = try log.dataset(named: "feed") })
    _ = try PostgresLog.initialize(url, rules: 1)
    _ = try log.info()
    let connection = try server.connection(database)
    for (least, format) in [(6, 6), (4, 4)] {
      try connection.execute(
        "UPDATE layoutcache.cluster SET format_min = \(least), format = \(format)")
      // Found at the next poll, and by a new connection.
      #expect(isForeign { _ = try log.info() })
      #expect(isForeign { _ = try PostgresLog(url).dataset(named: "feed") })
      #expect(isForeign { _ = try PostgresLog.initialize(url, rules: 1) })
    }
    // A newer format that this version may use.
    try connection.execute("UPDATE layoutcache.cluster SET format_min = 5, format = 6")
    _ = try log.info()
    _ = try PostgresLog(url).info()
    #expect(try !PostgresLog.initialize(url, rules: 1).isNew)
  }

  @Test func logOfTheUnreleasedFormatIsRejected() throws {
    try server.connection(database).execute(
      """
      CREATE SCHEMA layoutcache;
      CREATE TABLE layoutcache.cluster (format integer);
      INSERT INTO layoutcache.cluster VALUES (1)
      """)
    #expect(isForeign { _ = try PostgresLog(url).info() })
    #expect(isForeign { _ = try PostgresLog.initialize(url, rules: 1) })
  }

  @Test func databaseOfAnotherEncodingIsRejected() throws {
    let name = try server.freshDatabase()
    try server.connection().execute(
      "CREATE DATABASE \(name)_latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    #expect(isForeign { _ = try PostgresLog.initialize(server.url("\(name)_latin"), rules: 1) })
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

  @Test func nodesAreListedByTheirPolls() throws {
    _ = try PostgresLog.initialize(url, rules: 1)
    func log(_ title: String) throws -> PostgresLog {
      var options = PostgresOptions()
      options.rules = 2...5
      options.title = title
      return try PostgresLog(url, options: options)
    }
    let (a, b) = (try log("a"), try log("b"))
    #expect(try a.nodes() == [])
    for node in [b, a, a] { #expect(try !node.info().isNameReplaced) }
    let nodes = try a.nodes()
    #expect(nodes.map(\.title) == ["a", "b"])
    #expect(nodes.map(\.rules) == [2...5, 2...5])
    #expect(nodes.allSatisfy { $0.age >= 0 && $0.age < 60 })
    #expect(Set(nodes.map(\.boot)).count == 2)
  }

  @Test func processWhoseNameIsTakenIsTold() throws {
    _ = try PostgresLog.initialize(url, rules: 1)
    let (first, second) = (try PostgresLog(url), try PostgresLog(url))
    #expect(try !first.info().isNameReplaced)
    #expect(try !second.info().isNameReplaced)
    for _ in 0..<2 {
      #expect(try first.info().isNameReplaced)
      #expect(try !second.info().isNameReplaced)
    }
  }

  /// A locked dataset delays neither those that are appended to with it, nor this caller.
  @Test func lockedDatasetDelaysNoOther() throws {
    _ = try PostgresLog.initialize(url, rules: 1)
    var options = PostgresOptions()
    options.statementTimeout = 60
    options.answerTimeout = 60
    let log = try PostgresLog(url, options: options)
    let heads = try ["a", "b", "c"].map { try ContractTools.make($0, in: log) }
    func appends() -> [SharedAppend] {
      heads.map {
        SharedAppend(ContractTools.requests([[1]]), to: $0.position.dataset, epoch: 1, cost: 1)
      }
    }
    func isAppended(_ outcome: SharedAppending) -> Bool {
      if case .appended = outcome { true } else { false }
    }
    let (other, connection) = (try server.connection(database), try server.connection(database))
    let session = DispatchGroup()
    DispatchQueue(label: "locking").async(group: session) {
      // It is cancelled below.
      try? other.execute(
        "BEGIN; SELECT FROM layoutcache.dataset WHERE name = 'b' FOR UPDATE; SELECT pg_sleep(600)")
    }
    let sleeping =
      "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
    try waitUntil("the dataset is locked") {
      try connection.read("SELECT count(*) \(sleeping)") { try $0.int(0) } == [1]
    }
    let outcomes = try log.append(appends()).map { try $0.get() }
    #expect(outcomes[1] == .locked && isAppended(outcomes[0]) && isAppended(outcomes[2]))
    _ = try connection.read("SELECT pg_cancel_backend(pid) \(sleeping)") { try $0.bool(0) }
    session.wait()
    other.close()
    #expect(isAppended(try log.append([appends()[1]])[0].get()))
    #expect(try log.append(appends()).allSatisfy { isAppended(try $0.get()) })
  }

  /// Each append takes one row, whatever the number of its entries.
  @Test func appendIsOneRow() throws {
    _ = try PostgresLog.initialize(url, rules: 1)
    let log = try PostgresLog(url)
    var head = try ContractTools.make("feed", in: log)
    for count in [1, 8, 64] {
      head = try ContractTools.append([[UInt8]](repeating: [7], count: count), after: head, to: log)
    }
    let rows = try server.connection(database).read(
      "SELECT first, last FROM layoutcache.log ORDER BY last"
    ) { [try $0.int(0), try $0.int(1)] }
    #expect(rows == [[1, 1], [2, 9], [10, 73]])
    // From within a row.
    let entries = try log.entries(of: head.position.dataset, after: 5, bytesMax: 1)
    #expect(entries.map(\.sequence) == Array(6...9))
  }

  @Test func damagedRowIsReported() throws {
    _ = try PostgresLog.initialize(url, rules: 1)
    let log = try PostgresLog(url)
    var head = try ContractTools.make("feed", in: log)
    for number in UInt8(1)...3 { head = try ContractTools.append([[number]], after: head, to: log) }
    let id = head.position.dataset
    try server.connection(database).execute(
      "UPDATE layoutcache.log SET requests = set_byte(requests, length(requests) - 1, 9) "
        + "WHERE last = 2")
    // The entries before it can be followed.
    #expect(try log.entries(of: id, after: 0, bytesMax: .max).map(\.request.payload) == [[1]])
    #expect(isForeign { _ = try log.entries(of: id, after: 1, bytesMax: .max) })
    #expect(try log.entries(of: id, after: 2, bytesMax: .max).map(\.request.payload) == [[3]])
  }

  @Test func interruptedRemovalIsSweptByAnotherNode() throws {
    _ = try PostgresLog.initialize(url, rules: 1)
    let log = try PostgresLog(url)
    var head = try ContractTools.make("feed", in: log)
    for _ in 0..<3 {
      head = try ContractTools.append([[UInt8]](repeating: [1], count: 700), after: head, to: log)
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
