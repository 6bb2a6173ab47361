import ClusterTestSupport
import Dispatch
import LayoutCache
import LayoutCluster
import TestSupport
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

  @Test func lockedRowIsBusyAndOthersAreNot() throws {
    var options = PostgresOptions()
    options.statementTimeout = 0.3
    let log = try PostgresLog(server.url(database), options: options)
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
    try waitUntil("the row is locked") {
      let probe = try server.connection(database)
      return try probe.read(
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND wait_event = 'PgSleep'"
      ) { try $0.int(0) } == [1]
    }
    do {
      _ = try ContractTools.append([[1]], after: one, to: log)
      Issue.record("the row is locked")
    } catch SharedLogFailure.busy {
    }
    _ = try ContractTools.append([[1]], after: two, to: log)
    try server.connection(database).execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
    group.wait()
    _ = try ContractTools.append([[1]], after: one, to: log)
  }

  @Test func entryOfANewerKindIsReported() throws {
    let log = try PostgresLog(server.url(database))
    defer { log.close() }
    let head = try ContractTools.append(
      [[1], [2], [3]], after: ContractTools.make("d", in: log), to: log)
    try server.connection(database).execute(
      "UPDATE layoutcache.log SET kind = 99 WHERE sequence = 2")
    let id = head.position.dataset
    #expect(try log.entries(of: id, after: 0, bytesMax: .max).map(\.sequence) == [1])
    #expect(throws: SharedLogFailure.self) { try log.entries(of: id, after: 1, bytesMax: .max) }
    do {
      _ = try log.entries(of: id, after: 1, bytesMax: .max)
    } catch SharedLogFailure.newerEntry {
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
