#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Store {
  /// Moves the write-ahead log into the file and truncates it, as far as readers permit.
  ///
  /// - Parameter patience: How long to wait for readers, in seconds, during which writers wait too;
  ///   `nil` for the busy timeout.
  /// - Returns: Whether the log is empty.
  @discardableResult
  package func emptyWriteAheadLog(waiting patience: Double? = nil) throws -> Bool {
    // Truncating blocks writers, so move the pages before.
    mover.moveAll()
    return try withWriterConnection { db in
      try db.waiting(patience) { try db.pragma("wal_checkpoint(TRUNCATE)", as: Int.self) == 0 }
    }
  }

  /// Returns the size of the write-ahead log, in bytes; 0 if there is none.
  package func writeAheadLogBytes() -> Int {
    var status = stat()
    return stat("\(path)-wal", &status) == 0 ? Int(status.st_size) : 0
  }
}
