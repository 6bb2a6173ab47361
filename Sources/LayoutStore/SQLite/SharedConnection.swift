import Synchronization

/// A connection that threads use in turn.
///
/// On Linux the lock goes to those who wait in the order in which they came: it is a
/// priority-inheriting futex, which the kernel hands over. A thread that uses the
/// connection may not ask for it again; that ends the process.
final class SharedConnection: Sendable {
  private let connection: Connection
  private let lock = Mutex(())

  init(_ connection: Connection) { self.connection = connection }

  /// Runs `body` with the connection while no other thread has it.
  func use<R>(_ body: (Connection) throws -> R) rethrows -> R {
    // The mutex itself returns only what comes from nowhere else.
    var result: R?
    try lock.withLock { _ in result = try body(connection) }
    guard let result else { preconditionFailure("the body has returned") }
    return result
  }
}
