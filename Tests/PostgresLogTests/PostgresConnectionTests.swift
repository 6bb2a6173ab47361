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

  @Test func valuesRoundTrip() throws {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let name = [UInt8](repeating: 0xF0, count: 15) + [1]
    func check(_ row: PostgresRow) throws {
      #expect(try row.int(0) == -7)
      #expect(try row.int64(1) == .min)
      #expect(try row.double(2) == -0.1)
      #expect(try row.text(3) == "é日\u{1F468} '\\")
      #expect(try row.bytes(4) == bytes)
      #expect(try row.bytes(5) == name)
      #expect(try row.bytes(6) == [])
      #expect(row.bytesIfPresent(7) == nil)
      #expect(row.isNull(7))
      #expect(try row.int(8) == Int(Int32.max))
      #expect(throws: PostgresError.self) { try row.bytes(7) }
      #expect(throws: PostgresError.self) { try row.int64(3) }
    }
    let rows: [Void] = try connection.read(
      """
      SELECT $1::integer, $2::bigint, $3::float8, $4::text, $5::bytea, $6::uuid, $7::bytea,
        $8::bytea, $9::integer + 1
      """,
      [
        .int32(-7), .int64(.min), .double(-0.1), .text("é日\u{1F468} '\\"), .bytes(bytes),
        .uuid(name), .bytes([]), .null, .int32(.max - 1),
      ], check)
    #expect(rows.count == 1)
  }

  @Test func arraysKeepTheirNulls() throws {
    let found = try connection.read(
      "SELECT a, b FROM unnest($1::bigint[], $2::bytea[]) AS t (a, b)",
      [.int64s([1, -2, .max]), .byteStrings([[], nil, [0, 255]])]
    ) { (try $0.int(0), $0.bytesIfPresent(1)) }
    #expect(found.map(\.0) == [1, -2, .max])
    #expect(found.map(\.1) == [[], nil, [0, 255]])
    let none = try connection.read(
      "SELECT cardinality($1), cardinality($2)", [.int64s([]), .byteStrings([])]
    ) { try $0.int(0) + $0.int(1) }
    #expect(none == [0])
  }

  @Test func statementIsPreparedOnce() throws {
    for number in 0..<5 {
      let found = try connection.read("SELECT $1::bigint", [.int64(Int64(number))]) {
        try $0.int(0)
      }
      #expect(found == [number])
    }
    let count = try connection.read(
      "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT $1::bigint'"
    ) { try $0.int(0) }
    #expect(count == [1])
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

  @Test func rejectedStatementKeepsTheConnectionUsable() throws {
    let error = failure { try connection.write("SELECT 1 / ($1::integer - 1)", [.int32(1)]) }
    #expect(error?.kind == .rejected)
    #expect(error?.state == "22012")
    #expect(connection.isSound)
    #expect(connection.isStillOpen())
    #expect(try connection.read("SELECT 1") { try $0.int(0) } == [1])
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

  @Test func closedIdleConnectionIsDetected() throws {
    let pid = try connection.read("SELECT pg_backend_pid()") { try $0.int(0) }[0]
    let other = try server.connection()
    #expect(connection.isStillOpen())
    try other.write("SELECT pg_terminate_backend($1)", [.int32(Int32(pid))])
    try waitUntil("the end is noticed") { !connection.isStillOpen() }
    #expect(failure { try connection.write("SELECT 1", []) }?.kind == .unsent)
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
