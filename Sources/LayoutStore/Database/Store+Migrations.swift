import Migrations

extension Store {
  /// "LAYC", the application ID of LayoutCache databases in SQLite's header.
  static let applicationID: Int64 = 0x4C41_5943

  static func isOurs(_ db: Connection) throws -> Bool {
    try db.pragma("application_id") == applicationID
  }

  /// Returns whether the file has exactly the known migrations.
  ///
  /// - Throws: As ``migrate(_:path:steps:)``.
  static func hasPresentSchema(_ db: Connection, path: String) throws -> Bool {
    try version(db, path: path) == Migration.last
  }

  /// Applies the missing migrations, in order.
  ///
  /// Each runs and is recorded in one immediate transaction. So two processes that open a new
  /// file take turns, and a killed process leaves only complete steps.
  ///
  /// - Throws: ``StoreError`` with `newerVersion` or `unreleasedVersion`; the file is unchanged.
  static func migrate(
    _ db: Connection, path: String, _ random: RandomSource, steps: [Migration] = Migration.all
  ) throws {
    for migration in steps {
      try db.transaction(.immediate) {
        if try version(db, path: path) < migration.number {
          if migration.number == 1 { try prepareFile(db) }
          try db.execute(migration.sql)
          try Statement("INSERT INTO migrations (number, name) VALUES (?, ?)", db)
            .run([.number(Int64(migration.number)), .text(migration.name)])
          if migration.number == 1 {
            try Statement(
              "INSERT INTO database (id, hash_key, next_space) VALUES (1, ?, 1)", db
            ).run([.bytes(random.bytes(16))])
          }
          // A copy of an earlier version becomes a database once all steps are applied.
          if try !FileNumber(in: db).isOfCopy {
            try LogBinding.renew(in: db, random, isNewDatabase: migration.number == 1)
          }
        }
      }
    }
    let (found, known) = (try version(db, path: path), steps[steps.count - 1].number)
    if found > known {
      throw StoreError(.newerVersion(found: found, known: known), path: path)
    }
  }

  private static func prepareFile(_ db: Connection) throws {
    try db.execute("PRAGMA application_id = \(applicationID)")
    try db.execute(
      "CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
  }

  private static func version(_ db: Connection, path: String) throws -> Int {
    // The first migration sets the application ID and creates the table.
    guard try isOurs(db) else { return 0 }
    let first: String? = try Statement("SELECT name FROM migrations WHERE number = 1", db).value()
    if let first, first != Migration.all[0].name {
      throw StoreError(.unreleasedVersion, path: path)
    }
    return try Statement("SELECT max(number) FROM migrations", db).value() ?? 0
  }
}
