import ClusterTestSupport
import Foundation
import Testing

@testable import PostgresLog

/// Skips the tests if PostgreSQL is missing, unless it is required.
let needsPostgres = ConditionTrait.enabled(
  if: PostgresServer.programs != nil
    || ProcessInfo.processInfo.environment["LAYOUTCACHE_REQUIRE_POSTGRES"] != nil,
  "PostgreSQL is not installed")

/// Creates a log in a new database of the shared server.
func freshLog(_ options: PostgresOptions = PostgresOptions()) throws -> PostgresLog {
  let server = try PostgresServer.shared.get()
  let url = server.url(try server.freshDatabase())
  _ = try PostgresLog.initialize(url, rules: 1)
  return try PostgresLog(url, options: options)
}

@Suite(needsPostgres) struct SharedLogContractTests {
  @Test(arguments: SharedLogContract.clauses)
  func postgresLogMeetsTheContract(clause: SharedLogContract) throws {
    let log = try freshLog()
    defer { log.close() }
    try clause.check(log)
  }
}
