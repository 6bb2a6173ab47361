#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Store {
  /// Moves the write-ahead log into the file and truncates it, as far as readers permit.
  package func emptyWriteAheadLog() throws {
    // Truncating blocks writers, so move the pages before.
    mover.moveAll()
    try withWriterConnection { db in
      // The pragma returns whether it was blocked, which is not an error.
      try db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }

  /// Returns the size of the write-ahead log, in bytes; 0 if there is none.
  package func writeAheadLogBytes() -> Int {
    var status = stat()
    return stat("\(path)-wal", &status) == 0 ? Int(status.st_size) : 0
  }
}
