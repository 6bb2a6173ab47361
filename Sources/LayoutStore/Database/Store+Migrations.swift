import Migrations

extension Store {
  /// "LAYC", which marks the file as ours in SQLite's header.
  static let applicationID: Int64 = 0x4C41_5943

  static func isOurs(_ db: Connection) throws -> Bool {
    try db.pragma("application_id") == applicationID
  }

  /// Whether the file has had all migrations and no others.
  static func hasPresentSchema(_ db: Connection) throws -> Bool {
    try version(db) == Migration.last
  }

  /// Applies the migrations that the file has not had, in order.
  ///
  /// Each runs in its own immediate transaction and is recorded in it, so
  /// two processes that open a fresh file take turns and a killed one leaves
  /// whole steps.
  static func migrate(_ db: Connection, path: String) throws {
    for migration in Migration.all {
      try db.transaction(.immediate) {
        if try version(db) < migration.number {
          if migration.number == 1 { try prepareFile(db) } else { try addFunctions(db, path) }
          try db.execute(migration.sql)
          try Statement("INSERT INTO migrations (number, name) VALUES (?, ?)", db)
            .run([.number(Int64(migration.number)), .text(migration.name)])
          if migration.number == 1 {
            try db.execute(
              "INSERT INTO database (id, hash_key, next_space) VALUES (1, randomblob(16), 1)")
          }
        }
      }
    }
    let (found, known) = (try version(db), Migration.last)
    if found > known {
      throw StoreError(.newerVersion(found: found, known: known), path: path)
    }
  }

  /// Adds what migrations call besides SQLite's own functions.
  private static func addFunctions(_ db: Connection, _ path: String) throws {
    let hash = try hash(db, path: path)
    // The checksum of a row, as of its columns.
    try db.addFunction("sealed") { ColumnValue.checksum(of: $0, hash) }
  }

  private static func prepareFile(_ db: Connection) throws {
    try db.execute("PRAGMA application_id = \(applicationID)")
    try db.execute("PRAGMA user_version = \(CopyMark.random())")
    try db.execute(
      "CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
  }

  private static func version(_ db: Connection) throws -> Int {
    // The first migration makes both.
    guard try isOurs(db) else { return 0 }
    return try Statement("SELECT max(number) FROM migrations", db).value() ?? 0
  }
}
