import GRDB
import GRDBSQLite
import Migrations

extension Store {
  /// "LAYC", which marks the file as ours in SQLite's header.
  static let applicationID: Int64 = 0x4C41_5943

  /// Refuses another program's database, and an empty one where none is to be made,
  /// before anything is written to it: switching to WAL would already change it.
  static func refuseForeignFile(
    _ db: Database, path: String, _ options: StoreOptions
  ) throws {
    let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
    let id = try Int64.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    if tables > 0 && id != applicationID {
      throw StoreError(.notADatabase(detail: "another program made it"), path: path)
    }
    if tables == 0 && !options.createsFile {
      throw StoreError(.notADatabase(detail: "it is empty"), path: path)
    }
  }

  /// Applies the migrations that the file has not had, in order.
  ///
  /// Each runs in an immediate transaction of its own and is recorded in it, so
  /// two processes that open a fresh file take turns and a killed one leaves
  /// whole steps.
  static func migrate(_ db: Database, path: String) throws {
    // A reader takes the fast way out: no write lock when all is done.
    let known = Migration.all.count
    if try version(db) == known { return }
    for migration in Migration.all {
      try db.inTransaction(.immediate) {
        if try version(db) < migration.number {
          if migration.number == 1 { try prepareFile(db) } else { try addFunctions(db, path) }
          try db.execute(sql: migration.sql)
          try db.execute(
            sql: "INSERT INTO migrations (number, name) VALUES (?, ?)",
            arguments: [migration.number, migration.name])
          if migration.number == 1 {
            try db.execute(
              sql: "INSERT INTO database (id, hash_key, next_space) VALUES (1, randomblob(16), 1)")
          }
        }
        return .commit
      }
    }
    let found = try version(db)
    if found > known {
      throw StoreError(.newerVersion(found: found, known: known), path: path)
    }
  }

  /// Adds what migrations call beside SQLite's own functions.
  private static func addFunctions(_ db: Database, _ path: String) throws {
    let hash = try hash(db, path: path)
    // The checksum of a row, as of its columns.
    db.add(
      function: DatabaseFunction("sealed", pure: true) { values in
        ColumnValue.checksum(of: values.map(ColumnValue.init), hash)
      })
  }

  private static func prepareFile(_ db: Database) throws {
    try db.execute(sql: "PRAGMA application_id = \(applicationID)")
    try db.execute(
      sql: "CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
  }

  private static func version(_ db: Database) throws -> Int {
    let tables = try Int.fetchOne(
      db, sql: "SELECT count(*) FROM sqlite_schema WHERE name = 'migrations'")
    guard tables == 1 else { return 0 }
    return try Int.fetchOne(db, sql: "SELECT max(number) FROM migrations") ?? 0
  }
}

extension ColumnValue {
  /// A value as SQLite has it; no column of ours holds a floating-point number.
  fileprivate init(_ value: DatabaseValue) {
    switch value.storage {
    case .null, .double: self = .null
    case .int64(let number): self = .number(number)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .bytes([UInt8](data))
    }
  }
}
