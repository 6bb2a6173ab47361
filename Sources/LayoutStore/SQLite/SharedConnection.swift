import LayoutCacheSQLite
import Synchronization

/// A connection that threads use in turn, opened on first use.
///
/// On Linux waiting threads get the lock in order: it is a priority-inheriting futex, which the
/// kernel hands over. A thread that uses the connection and requests it again would wait for
/// itself.
final class SharedConnection: Sendable {
  private let path: String
  private let open: @Sendable () throws -> Connection
  private let connection = Mutex<Connection?>(nil)
  /// The thread that uses the connection; 0 for none.
  private let user = Atomic<UInt>(0)

  /// - Parameter open: Opens the connection; called again after it has thrown.
  init(path: String, open: @escaping @Sendable () throws -> Connection) {
    (self.path, self.open) = (path, open)
  }

  /// Runs `body` with exclusive use of the connection.
  ///
  /// - Throws: ``StoreError`` with `inUse` in a thread that uses the connection already; errors of
  ///   opening and of `body`.
  func use<R>(_ body: (Connection) throws -> R) throws -> R {
    if user.load(ordering: .relaxed) == currentThread {
      throw StoreError(.inUse, path: path)
    }
    // `Mutex.withLock` can only return a `sending` value.
    var result: R?
    try connection.withLock { connection in
      let open = try connection ?? open()
      connection = open
      user.store(currentThread, ordering: .relaxed)
      defer { user.store(0, ordering: .relaxed) }
      do {
        result = try body(open)
      } catch let error as SQLiteError where error.code == SQLITE_READONLY {
        // SQLite opens a file or its log for reading if opening it for writing fails. If that was
        // not for a missing permission, the next use opens it again.
        guard let file = open.filePath, !FileAccess.isReadOnly(file) else { throw error }
        connection = nil
        throw SQLiteError(
          Connection.readFailed, message: "the file or its log could not be opened for writing")
      }
    }
    guard let result else { preconditionFailure("the body has returned") }
    return result
  }

  /// Closes the connection, if it is open.
  ///
  /// - Throws: ``SQLiteError``; the connection is still open then.
  func close() throws {
    try connection.withLock { connection in
      try connection?.close()
      connection = nil
    }
  }
}
