extension Connection {
  enum Transaction {
    /// A transaction that reads one committed state, from its first read on.
    case deferred
    /// A transaction that holds the write lock from the start.
    case immediate
  }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  ///
  /// - Throws: ``SQLiteError``, with read failures distinguished from damage; errors of `body`.
  func transaction<R>(_ kind: Transaction, _ body: () throws -> R) throws -> R {
    try reportingReadFailures {
      try Statement(kind == .deferred ? "BEGIN" : "BEGIN IMMEDIATE", self).run()
    }
    do {
      return try reportingReadFailures {
        let result = try body()
        try commit()
        return result
      }
    } catch {
      // After some failures, such as a full disk, SQLite has already rolled back.
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
