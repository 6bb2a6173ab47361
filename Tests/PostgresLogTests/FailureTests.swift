import ClusterTestSupport
import Dispatch
import LayoutCache
import LayoutCluster
import LayoutReplication
import Testing

@testable import PostgresLog

/// The classification of a real server's failures.
@Suite(needsPostgres) struct FailureTests {
  private let server: PostgresServer
  private let database: String

  init() throws {
    server = try PostgresServer.shared.get()
    database = try server.freshDatabase()
    _ = try PostgresLog.initialize(server.url(database), rules: 1)
  }

  private func failure(_ url: String) -> SharedLogFailure? {
    do {
      _ = try PostgresLog(url).info()
      return nil
    } catch {
      return error as? SharedLogFailure
    }
  }

  @Test func rejectedConnectionsAreErrorsOfTheConfiguration() throws {
    let role = database + "r"
    try server.connection().execute("CREATE ROLE \(role) LOGIN")
    let urls = [
      "postgresql://postgres@127.0.0.1:\(server.port)/missing",
      "postgresql://missing@127.0.0.1:\(server.port)/\(database)",
      "postgresql://\(role)@127.0.0.1:\(server.port)/\(database)", "postgresql://[",
      "host",
    ]
    for url in urls {
      guard case .misconfigured? = failure(url) else {
        Issue.record("\(url): \(String(describing: failure(url)))")
        continue
      }
    }
    guard case .unavailable? = failure("postgresql://postgres@127.0.0.1:1/postgres") else {
      Issue.record("a missing server is unavailable")
      return
    }
  }

  @Test func aRejectedReadClosesNoConnection() throws {
    var options = PostgresOptions()
    options.statementTimeout = 0.3
    let log = try PostgresLog(server.url(database), options: options)
    defer { log.close() }
    _ = try log.pool.use { _ in try log.info() }
    #expect(log.pool.idleCount == 2)
    let other = try server.connection(database)
    try other.execute("ALTER TABLE layoutcache.dataset RENAME TO away")
    #expect(throws: SharedLogFailure.self) { try log.dataset(named: "a") }
    #expect(log.pool.idleCount == 2)
    try other.execute("ALTER TABLE layoutcache.away RENAME TO dataset")
    #expect(try log.dataset(named: "a") == nil && log.pool.idleCount == 2)
    // A server that takes no changes, such as a former primary, confirms nothing.
    try log.pool.use { try $0.execute("SET default_transaction_read_only = on") }
    #expect(throws: SharedLogFailure.self) { try log.dataset(named: "a") }
    #expect(try log.pool.idleCount == 0 && log.dataset(named: "a") == nil)
  }

  @Test func lockedRowIsBusyAndOthersAreNot() throws {
    var options = PostgresOptions()
    options.statementTimeout = 0.3
    let hasty = try PostgresLog(server.url(database), options: options)
    defer { hasty.close() }
    let log = try PostgresLog(server.url(database))
    defer { log.close() }
    let (one, two) = (try ContractTools.make("1", in: log), try ContractTools.make("2", in: log))
    let other = try server.connection(database)
    // A statement that holds the lock until it is cancelled.
    let lock = DispatchQueue(label: "lock")
    let group = DispatchGroup()
    lock.async(group: group) {
      try? other.execute(
        "SELECT FROM layoutcache.dataset WHERE name = '1' FOR UPDATE; SELECT pg_sleep(60)")
    }
    // Other tests use the same server at the same time.
    let sleeping =
      "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
    try waitUntil("the row is locked") {
      let probe = try server.connection(database)
      return try probe.read("SELECT count(*) \(sleeping)") { try $0.int(0) } == [1]
    }
    do {
      _ = try ContractTools.append([[1]], after: one, to: hasty)
      Issue.record("the row is locked")
    } catch SharedLogFailure.busy {
    }
    _ = try ContractTools.append([[1]], after: two, to: log)
    try server.connection(database).execute("SELECT pg_terminate_backend(pid) \(sleeping)")
    group.wait()
    _ = try ContractTools.append([[1]], after: one, to: log)
  }

  /// The entry is the first, the second or the last of its append.
  @Test(arguments: 3...5)
  func entryOfANewerKindIsReported(newer: Int) throws {
    let log = try PostgresLog(server.url(database))
    defer { log.close() }
    var head = try ContractTools.append(
      [[1], [2]], after: ContractTools.make("d", in: log), to: log)
    head = try ContractTools.append([[3], [4], [5]], after: head, to: log)
    let id = head.position.dataset
    let entries = try log.entries(of: id, after: 0, bytesMax: .max)
    #expect(entries.map(\.sequence) == Array(1...5))
    // The kind is followed by the time, of one byte if it is that of the request before, and the
    // name. The chain is that of the changed requests.
    let distance = newer == 3 ? 7 : 2
    try server.connection(database).write(
      """
      UPDATE layoutcache.log
      SET requests = newer, chain = \(PostgresLog.chain(after: "before", "newer"))
      FROM (
        SELECT last AS place,
          set_byte(requests, position($1 IN requests) - 1 - \(distance), 99) AS newer
        FROM layoutcache.log WHERE position($1 IN requests) > 0
      ) AS changed WHERE last = place
      """, [.bytes(entries[newer - 1].request.name)])
    for sequence in 0..<newer - 1 {
      let found = try log.entries(of: id, after: sequence, bytesMax: .max)
      #expect(found.map(\.sequence) == Array(sequence + 1..<newer))
    }
    for sequence in newer - 1..<newer {
      do {
        _ = try log.entries(of: id, after: sequence, bytesMax: .max)
        Issue.record("the entry was read")
      } catch SharedLogFailure.newerEntry {
      }
    }
  }

  @Test func epochIsRaisedOnce() throws {
    let log = try PostgresLog(server.url(database))
    defer { log.close() }
    let id = try ContractTools.make("d", in: log).position.dataset
    for new in [7, 9] { try log.raiseEpoch(of: id, from: 1, to: new) }
    #expect(try log.heads(of: [id]).map(\.epoch) == [7])
  }
}
