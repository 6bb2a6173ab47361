extension Store {
  /// Whether free pages can be given back in steps: not in files that an older version
  /// has made.
  package func canGiveBackPages() throws -> Bool {
    try read { try $0.db.pragma("auto_vacuum") == 2 }
  }

  /// Writes the whole file again, so that free pages can be given back in steps from then
  /// on. Nobody can write in the meantime.
  ///
  /// - Complexity: O(file).
  package func rewriteFile() throws {
    try withWriterConnection { db in
      try db.execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
    }
  }

  /// Moves the write-ahead log into the file and empties it, as far as nobody reads it.
  package func emptyWriteAheadLog() throws {
    // Nobody can write while the log is emptied: what there is to move is moved before.
    mover.moveAll()
    try withWriterConnection { db in
      // It answers whether it was hindered, which is no error.
      try db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }
}
