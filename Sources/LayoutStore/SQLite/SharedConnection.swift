import Synchronization

/// A connection that threads use in turn, opened on first use.
///
/// On Linux waiting threads get the lock in order: it is a priority-inheriting futex, which the
/// kernel hands over. A thread that uses the connection must not request it again, which would
/// end the process.
final class SharedConnection: Sendable {
  private let open: @Sendable () throws -> Connection
  private let connection = Mutex<Connection?>(nil)

  /// - Parameter open: Opens the connection; called again after it has thrown.
  init(open: @escaping @Sendable () throws -> Connection) { self.open = open }

  /// Runs `body` with exclusive use of the connection.
  func use<R>(_ body: (Connection) throws -> R) throws -> R {
    // `Mutex.withLock` can only return a `sending` value.
    var result: R?
    try connection.withLock { connection in
      let open = try connection ?? open()
      connection = open
      result = try body(open)
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
