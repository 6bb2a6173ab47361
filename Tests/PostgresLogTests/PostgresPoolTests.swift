import Foundation
import Testing

@testable import PostgresLog

@Suite(needsPostgres) struct PostgresPoolTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared.get() }

  private func pool(
    hosts: String? = nil, options: PostgresOptions = PostgresOptions()
  ) throws -> PostgresPool {
    let url = hosts.map { "postgresql://postgres@\($0)/postgres" } ?? server.url()
    return PostgresPool(
      try PostgresTarget(url: url, statementTimeout: 5), options
    ) { _ in }
  }

  private func pid(_ connection: PostgresConnection) throws -> Int {
    try connection.read("SELECT pg_backend_pid()") { try $0.int(0) }[0]
  }

  @Test func connectionIsReused() throws {
    let pool = try self.pool()
    let first = try pool.use { try pid($0) }
    #expect(try pool.use { try pid($0) } == first)
    let nested = try pool.use { outer in (try pid(outer), try pool.use { try pid($0) }) }
    #expect(nested.0 == first)
    #expect(nested.1 != first)
    #expect(pool.idleCount == 2)
    pool.close()
    #expect(pool.idleCount == 0)
    #expect(throws: PostgresError.self) { try pool.use { _ in } }
  }

  @Test func failedConnectionDropsThoseOpenedAtTheSameTime() throws {
    let pool = try self.pool()
    let old = try pool.use { outer in [try pid(outer), try pool.use { try pid($0) }] }
    #expect(throws: PostgresError.self) {
      try pool.use { try $0.write("SELECT pg_terminate_backend(pg_backend_pid())", []) }
    }
    #expect(pool.idleCount == 0)
    let next = try pool.use { try pid($0) }
    #expect(!old.contains(next))
    // A rejected statement is no failure of the connection.
    #expect(throws: PostgresError.self) { try pool.use { try $0.write("SELECT nothing", []) } }
    #expect(try pool.use { try pid($0) } == next)
  }

  @Test func connectionClosedWhileIdleFailsNoCaller() throws {
    let pool = try self.pool()
    let first = try pool.use { try pid($0) }
    let other = try server.connection()
    try other.write("SELECT pg_terminate_backend($1)", [.int32(Int32(first))])
    try waitUntil("the session has ended") {
      try other.read("SELECT count(*) FROM pg_stat_activity WHERE pid = $1", [.int32(Int32(first))])
      { try $0.int(0) } == [0]
    }
    #expect(try pool.use { try pid($0) } != first)
  }

  @Test func connectionsAreLimited() throws {
    var options = PostgresOptions()
    options.connectionCountMax = 2
    options.answerTimeout = 0.2
    let pool = try self.pool(options: options)
    let refused = PostgresError(.crowded, "all connections to PostgreSQL are in use")
    try pool.use { _ in
      try pool.use { _ -> Void in
        #expect(throws: refused) { try pool.use { _ in } }
      }
    }
    try pool.use { _ in }
  }

  @Test func nextHostIsTriedIfOneIsUnavailable() throws {
    let pool = try self.pool(hosts: "127.0.0.1:1,127.0.0.1:\(server.port)")
    #expect(try pool.use { try pid($0) } > 0)
    let away = try self.pool(hosts: "127.0.0.1:1,127.0.0.1:2")
    do {
      try away.use { _ in }
      Issue.record("no server answers")
    } catch let error as PostgresError {
      #expect(error.kind == .unsent)
      #expect(error.message.split(separator: ";").count >= 2)
      // The library indents its second lines.
      #expect(!error.message.contains("\t"), "\(error.message)")
    }
  }

  @Test func eachHostHasItsPortOrTheCommonOne() throws {
    func hosts(_ url: String) throws -> [[String?]] {
      try PostgresTarget(url: url, statementTimeout: 1).hosts.map {
        [$0.values["host"], $0.values["port"]]
      }
    }
    #expect(try hosts("postgresql://a:1,b:2,c:3/d") == [["a", "1"], ["b", "2"], ["c", "3"]])
    #expect(try hosts("host=a,b port=7 dbname=d") == [["a", "7"], ["b", "7"]])
    #expect(try hosts("postgresql:///d") == [[nil, nil]])
  }

  @Test func readOnlyServerIsSkipped() throws {
    let name = try server.freshDatabase()
    try server.connection().execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
    #expect(throws: PostgresError.self) { try server.connection(name) }
  }
}
