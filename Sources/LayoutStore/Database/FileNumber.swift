import LayoutCacheSQLite

/// The number of a database file, `user_version` in SQLite's header.
///
/// In a database it is the number of the write-ahead log: random from 2 to 2^31 - 1, and renewed by
/// the first commit of each log. Page 1 reaches the disk with a checkpoint, so the header on the
/// disk has the number of the log, or the one before it (``LogBinding``). Any other file at the
/// path has another number.
///
/// In a copy that a backup has made and that no process has written it is random from 2^31 on; in
/// copies of earlier versions it is 1. A file that is being created has 0.
struct FileNumber: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt32

  /// A new number of a database.
  static func ofDatabase(_ random: RandomSource) -> FileNumber {
    FileNumber(rawValue: random.number(in: 2 ... .max >> 1))
  }

  /// A new number of a copy.
  static func ofCopy(_ random: RandomSource) -> FileNumber {
    FileNumber(rawValue: random.number(in: (.max >> 1 + 1) ... .max))
  }

  var isOfCopy: Bool { rawValue == 1 || rawValue > .max >> 1 }

  /// The bits by which incarnations in answers differ from the stored ones. A copy may be used as a
  /// separate database, which reaches the revisions of the original with other content.
  var incarnationMask: Int64 { Int64(rawValue) << 31 | Int64(rawValue >> 1) | 1 }

  /// Reads the number that the present transaction sees.
  init(in db: Connection) throws {
    rawValue = UInt32(truncatingIfNeeded: try db.pragma("user_version", as: Int64.self) ?? 0)
  }

  init(rawValue: UInt32) { self.rawValue = rawValue }

  func write(to db: Connection) throws {
    try db.execute("PRAGMA user_version = \(Int32(bitPattern: rawValue))")
  }

  /// Marks a file that no other process has open as a copy, and sets it to WAL mode.
  ///
  /// - Throws: ``SQLiteError``.
  static func markCopy(at path: String, _ random: RandomSource) throws {
    let db = try Connection(path: path, .readWrite, busyTimeout: 0)
    // In this order: closing moves the log into the file, and does not report a failure of that.
    try db.reportingReadFailures {
      try ofCopy(random).write(to: db)
      // With an earlier schema, opening the copy makes it a database.
      if try Store.hasPresentSchema(db, path: path) { try StoreWriter.leaveCluster(db) }
      try db.execute("PRAGMA journal_mode = WAL")
    }
    try db.close()
  }
}

/// The binding of a write-ahead log to its file: columns of the table `database`, as of the last
/// commit that the present transaction sees. It is renewed by the first commit of each log, and by
/// each that finds the present number in the header on the disk, as that of a copy made earlier.
struct LogBinding {
  /// The number of the log.
  let number: FileNumber
  private let schemaVersion: UInt32
  /// The number that the header on the disk had before the log's first commit.
  let previous: FileNumber
  /// The file for which the log was begun. Without the device, whose number changes with a restart.
  let inode: Int64
  /// A random number of the database, new when a copy is first written.
  let identity: Int64

  /// - Throws: ``SQLiteError``; with SQLITE_ERROR for a schema of an earlier version, or another
  ///   program's.
  init(in db: Connection) throws {
    number = try FileNumber(in: db)
    schemaVersion = UInt32(truncatingIfNeeded: try db.pragma("schema_version", as: Int64.self) ?? 0)
    let statement = try Statement(
      "SELECT previous_number, inode, identity FROM database WHERE id = 1", db)
    guard let row = try statement.next(), let previous = row.int64(at: 0),
      let inode = row.int64(at: 1), let identity = row.int64(at: 2)
    else { throw SQLiteError(SQLITE_CORRUPT) }
    self.previous = FileNumber(rawValue: UInt32(truncatingIfNeeded: previous))
    self.inode = inode
    self.identity = identity
  }

  /// Whether a file with a header on the disk is the one that the log belongs to, or a copy of both.
  func fits(_ stored: FileHeader) -> Bool {
    // A migration in the log raises the version too.
    stored.number == number && stored.schemaVersion == schemaVersion
      || stored.number == previous && stored.schemaVersion <= schemaVersion
  }

  /// Renews the binding if the number has reached the disk. All commits of a log precede the next
  /// one, so the present transaction cannot begin a log otherwise.
  ///
  /// - Throws: ``SQLiteError``.
  static func renewIfMoved(in db: Connection, _ random: RandomSource) throws {
    if case .header(let header) = db.storedHeader(), try FileNumber(in: db) != header.number {
      return
    }
    try renew(in: db, random)
  }

  /// Writes the binding of the present log to the file, with a new number if the present one has
  /// reached the disk.
  ///
  /// - Throws: ``SQLiteError``.
  static func renew(
    in db: Connection, _ random: RandomSource, isNewDatabase: Bool = false
  ) throws {
    guard let file = db.filePath.flatMap(FileIdentity.init(at:)),
      case .header(let header) = db.storedHeader()
    else { throw db.takeReadFailure() ?? SQLiteError(Connection.readFailed) }
    if try FileNumber(in: db) == header.number {
      try FileNumber.ofDatabase(random).write(to: db)
    }
    try Statement(
      once: """
        UPDATE database SET previous_number = ?, inode = ?,
          identity = CASE WHEN ?3 THEN ?4 ELSE identity END WHERE id = 1
        """, db
    ).run([
      .number(Int64(header.number.rawValue)), .number(Int64(bitPattern: file.inode)),
      .number(isNewDatabase ? 1 : 0), .number(Int64(bitPattern: random.next())),
    ])
  }
}

extension StoreWriter {
  /// Turns a marked copy into a database: gives the file a new number and identity, and its
  /// datasets and results new incarnations.
  ///
  /// - Throws: ``SQLiteError``.
  func becomeDatabase(_ random: RandomSource) throws {
    try LogBinding.renew(in: db, random, isNewDatabase: true)
    try renew("datasets") { (row: inout DatasetRow) in row.incarnation = random.incarnation() }
    try renew("layouts") { (row: inout LayoutRow) in row.result?.incarnation = random.incarnation()
    }
    try Self.leaveCluster(db)
  }

  /// A copy of a cluster node's file follows no log.
  fileprivate static func leaveCluster(_ db: Connection) throws {
    try db.execute("DELETE FROM replicas; DELETE FROM pins; DELETE FROM loading")
  }

  /// Changes each row of a table. Skips damaged rows.
  private func renew<R: SealedRow>(_ table: String, _ change: (inout R) -> Void) throws {
    for id: Int64 in try Statement(once: "SELECT id FROM \(table)", db).values() {
      do {
        guard var row: R = try reader.firstRow("WHERE id = ?", [.number(id)]) else { continue }
        change(&row)
        try store(row)
      } catch let error as StoreError {
        guard case .corrupt = error.code else { throw error }
      }
    }
  }
}
