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
}
