extension Connection {
  enum Transaction {
    /// Sees one committed state from its first read on.
    case deferred
    /// Has the write lock from its begin on.
    case immediate
  }

  /// Runs `body` in a transaction, which is committed, or rolled back whole where it
  /// throws.
  ///
  /// - Throws: ``SQLiteError``, told from failures to read; what `body` throws.
  func transaction<R>(_ kind: Transaction, _ body: () throws -> R) throws -> R {
    switch kind {
    case .deferred: try Statement("BEGIN", self).run()
    case .immediate: try Statement("BEGIN IMMEDIATE", self).run()
    }
    do {
      return try tellingReadFailures {
        let result = try body()
        try commit()
        return result
      }
    } catch {
      // SQLite has rolled back on its own after some failures, as of a full disk.
      if isInTransaction { try Statement("ROLLBACK", self).run() }
      throw error
    }
  }

  private func commit() throws {
    do {
      try Statement("COMMIT", self).run()
    } catch var error as SQLiteError {
      error.isOfCommit = true
      throw error
    }
  }
}
