#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Store {
  /// Moves the write-ahead log into the file and truncates it, unless readers prevent that.
  ///
  /// Truncating waits for readers while it holds the write lock. So an attempt takes 20 ms at most,
  /// and no lock is held between attempts.
  ///
  /// - Parameter attempts: The number of attempts, one after the other every 120 ms.
  /// - Returns: Whether the log is empty.
  @discardableResult
  package func emptyWriteAheadLog(attempts: Int = 40) throws -> Bool {
    for attempt in 1...attempts {
      if attempt > 1 { usleep(Self.attemptGapMicroseconds) }
      // Truncating blocks writers, so move the pages before.
      mover.moveAll()
      let isEmpty = try withWriterConnection { db in
        try db.waiting(Self.attemptSeconds) {
          try db.pragma("wal_checkpoint(TRUNCATE)", as: Int.self) == 0
        }
      }
      if isEmpty { return true }
    }
    return false
  }

  private static let attemptSeconds = 0.02
  private static let attemptGapMicroseconds: UInt32 = 100_000

  /// Returns the size of the write-ahead log, in bytes; 0 if there is none.
  package func writeAheadLogBytes() -> Int {
    var status = stat()
    return stat("\(path)-wal", &status) == 0 ? Int(status.st_size) : 0
  }
}
