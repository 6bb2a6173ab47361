import LayoutCacheSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Files that this process can only read. While a process that can write has the file open, or has
// left its write-ahead log and the log's index, SQLite reads both. Without an index, which cannot
// be created in a read-only folder, SQLite reads the file only if it is told that the file does
// not change.
//
// Source: https://sqlite.org/wal.html, "Read-Only Databases".

extension Store {
  /// A database file that was opened.
  struct OpenedFile {
    /// The connection that opened it, which becomes the first reader.
    var first: Connection
    /// `nil` if the process may not create it.
    var lock: FileLock?
    var hash: KeyedHash
    var number: FileNumber
    /// Whether it is read as a file that does not change.
    var isFixed = false

    var isReadOnly: Bool { isFixed || first.isReadOnly }
  }

  /// Opens a file as one that does not change: it or its folder is read-only, and no process that
  /// could write has it open. A change that is made anyway is detected by `FileWatch`.
  ///
  /// - Parameters:
  ///   - db: A connection to the file, which is closed.
  ///   - error: The error of reading the file with its log.
  /// - Throws: ``StoreError`` with `cannotOpen` if content is only in the write-ahead log, which
  ///   is not read; `readOnly` if the schema would have to be updated.
  static func openFixed(
    in db: Connection, _ lock: FileLock?, at path: String, _ options: StoreOptions,
    insteadOf error: SQLiteError
  ) throws -> OpenedFile {
    if let file = db.filePath, fileBytes("\(file)-wal") > 0 {
      if FileIdentity(at: "\(file)-shm") != nil { throw error }
      throw StoreError(
        .cannotOpen(
          detail: """
            its folder is read-only, and its -wal file cannot be read without a -shm file; copy \
            both into a folder that can be written, and use 'layoutcache restore' on the copy
            """), path: path)
    }
    let fixed = try Connection(path: path, .fixed, busyTimeout: options.busyTimeout)
    try db.close()
    let hash = try fixed.reportingReadFailures { try hashOfPresentSchema(fixed, path, options) }
    guard let hash else { throw StoreError(.readOnly, path: path) }
    return OpenedFile(
      first: fixed, lock: lock, hash: hash, number: try FileNumber(in: fixed), isFixed: true)
  }

  /// The bits by which this process changes the incarnations of a file that other processes may
  /// replace unnoticed.
  static let fixedMask = Int64.random(in: 1 ... .max)

  /// Returns the number of names of a file; 0 if it is missing.
  static func linkCount(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_nlink) : 0
  }

  /// Returns the size of a file in bytes; 0 if it is missing.
  static func fileBytes(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
