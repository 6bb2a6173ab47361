#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// What a process does before its first answer: each statement here is paid for by every
// `layoutcache query` from a shell.

extension Store {
  /// Says what is wrong with a path before SQLite does, which has one message for all.
  static func checkPlace(of path: String, _ options: StoreOptions) throws {
    switch FileKind(at: path) {
    case .directory: throw StoreError(.cannotOpen(detail: "it is a directory"), path: path)
    case .other: return
    case nil: break
    }
    if !options.createsFile { throw StoreError(.noSuchFile, path: path) }
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
    if FileKind(at: String(folder)) != .directory {
      throw StoreError(.cannotOpen(detail: "there is no folder \(folder)"), path: path)
    }
  }

  /// Opens a file that is ours, or makes it ours, and brings its schema up to date.
  ///
  /// - Returns: The connection that has done so, which is the first to read, and the hash.
  static func openFile(
    at path: String, _ options: StoreOptions
  ) throws -> (first: Connection, hash: KeyedHash) {
    let db = try Connection(path: path, .readWrite, busyTimeout: options.busyTimeout)
    return try db.tellingReadFailures {
      // Nothing is written to another program's file: switching to WAL would change it.
      let known = try db.transaction(.deferred) { try hashOfPresentSchema(db, path, options) }
      if known == nil, try db.pragma("page_count") == 0 {
        // Before the first page is written: later it takes a VACUUM, which `compact` does.
        try db.execute("PRAGMA auto_vacuum = INCREMENTAL")
      }
      try setUp(db, path: path, options)
      if known == nil { try migrate(db, path: path) }
      let hash = try known ?? hash(db, path: path)
      try CopyMark.resolve(db, path: path, hash: hash)
      return (db, hash)
    }
  }

  /// The hash of a file that needs no migration; `nil` where it does.
  ///
  /// - Throws: ``StoreError`` with `notADatabase` for another program's file, and for an
  ///   empty one where none is to be made.
  private static func hashOfPresentSchema(
    _ db: Connection, _ path: String, _ options: StoreOptions
  ) throws -> KeyedHash? {
    guard try isOurs(db) else {
      if try Statement("SELECT count(*) FROM sqlite_schema", db).value() != 0 {
        throw StoreError(.notADatabase(detail: "another program made it"), path: path)
      }
      if !options.createsFile {
        throw StoreError(.notADatabase(detail: "it is empty"), path: path)
      }
      return nil
    }
    return try hasPresentSchema(db) ? hash(db, path: path) : nil
  }

  /// Prepares a connection that may write.
  static func setUp(_ db: Connection, path: String, _ options: StoreOptions) throws {
    guard try db.pragma("journal_mode = WAL") == "wal" else {
      throw StoreError(.cannotOpen(detail: "it can't have a write-ahead log"), path: path)
    }
    // Debian's SQLite overwrites what it deletes; nodes are rewritten all the time and
    // hold nothing that the file does not hold elsewhere.
    try db.execute(
      """
      PRAGMA foreign_keys = ON;
      PRAGMA secure_delete = OFF;
      PRAGMA temp_store = FILE;
      PRAGMA synchronous = \(options.survivesPowerCut ? "FULL" : "NORMAL");
      """)
  }

  static func hash(_ db: Connection, path: String) throws -> KeyedHash {
    let key: [UInt8]? = try Statement("SELECT hash_key FROM database WHERE id = 1", db).value()
    guard let key, key.count == 16 else {
      throw StoreError(.corrupt(detail: "the table database has no row"), path: path)
    }
    return KeyedHash(key: key)
  }
}

/// What stands at a path.
private enum FileKind {
  case directory
  case other

  /// - Returns: `nil` where there is nothing, or nothing that this process can see.
  init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self = status.st_mode & S_IFMT == S_IFDIR ? .directory : .other
  }
}
