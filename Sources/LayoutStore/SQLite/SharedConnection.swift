import Synchronization

/// A connection that threads use in turn, opened when the first of them does.
///
/// On Linux the lock goes to those who wait in the order in which they came: it is a
/// priority-inheriting futex, which the kernel hands over. A thread that uses the
/// connection may not ask for it again; that ends the process.
final class SharedConnection: Sendable {
  private let open: @Sendable () throws -> Connection
  private let connection = Mutex<Connection?>(nil)

  /// - Parameter open: Opens the connection; called again where it has thrown.
  init(open: @escaping @Sendable () throws -> Connection) { self.open = open }

  /// Runs `body` with the connection while no other thread has it.
  func use<R>(_ body: (Connection) throws -> R) throws -> R {
    // A mutex returns only what comes from nowhere else.
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
  /// - Throws: ``SQLiteError``; it is open then.
  func close() throws {
    try connection.withLock { connection in
      try connection?.close()
      connection = nil
    }
  }
}
