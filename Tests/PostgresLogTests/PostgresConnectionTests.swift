import Foundation
import Testing

@testable import PostgresLog

@Suite(needsPostgres) struct PostgresConnectionTests {
  private let server: PostgresServer
  private let connection: PostgresConnection

  init() throws {
    server = try PostgresServer.shared.get()
    connection = try server.connection()
  }

  private func failure(_ body: () throws -> Void) -> PostgresError? {
    do {
      try body()
      return nil
    } catch {
      return error as? PostgresError
    }
  }

  @Test func sessionWaitsForStandbysDespiteDatabaseDefaults() throws {
    let name = try server.freshDatabase()
    try connection.execute("ALTER DATABASE \(name) SET synchronous_commit = off")
    try connection.execute(
      "ALTER DATABASE \(name) SET default_transaction_isolation = 'serializable'")
    let settings = try server.connection(name).read(
      """
      SELECT current_setting('synchronous_commit'), current_setting('transaction_isolation')
      """
    ) { [try $0.text(0), try $0.text(1)] }
    #expect(settings == [["on", "read committed"]])
  }

  @Test func warningFailsWritesButNotReads() throws {
    try connection.execute(
      """
      CREATE OR REPLACE FUNCTION pg_temp.warns() RETURNS integer LANGUAGE plpgsql AS
      $$ BEGIN RAISE WARNING 'beware'; RETURN 1; END $$
      """)
    let error = failure { try connection.write("SELECT pg_temp.warns()", []) }
    #expect(error == PostgresError(.warned, state: "01000", "beware"))
    #expect(connection.isSound)
    #expect(try connection.read("SELECT pg_temp.warns()") { try $0.int(0) } == [1])
    // The warning belonged to the previous statement.
    try connection.write("SELECT 2", [])
  }

  @Test func terminatedSessionLeavesTheOutcomeUnknown() throws {
    let error = failure {
      try connection.write("SELECT pg_terminate_backend(pg_backend_pid())", [])
    }
    #expect(error?.kind == .lost)
    #expect(!connection.isSound)
    #expect(failure { try connection.write("SELECT 1", []) }?.kind == .unsent)
  }

  @Test func serverTimeoutLeavesTheOutcomeUnknown() throws {
    let hasty = try server.connection(deadline: 0.3)
    let error = failure { try hasty.execute("SELECT pg_sleep(20)") }
    #expect(error?.kind == .lost)
    #expect(!hasty.isSound)
  }

  @Test func messagesQuoteNoValues() throws {
    try connection.execute("CREATE TEMPORARY TABLE once (word text UNIQUE)")
    try connection.write("INSERT INTO once VALUES ($1)", [.text("secret")])
    let error = failure {
      try connection.write("INSERT INTO once VALUES ($1)", [.text("secret")])
    }
    #expect(error?.state == PostgresError.duplicateKey)
    #expect(error?.message.contains("secret") == false)
    let unread = failure {
      _ = try PostgresTarget(url: "postgresql://me:secret@host/?secret=1", statementTimeout: 1)
    }
    #expect(unread?.kind == .invalidAddress)
    #expect(unread?.message.contains("secret") == false)
  }
}
