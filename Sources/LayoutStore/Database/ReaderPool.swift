import Synchronization

/// Connections that only read, opened when they are needed and kept, up to a number.
///
/// A read never waits for another: whoever finds no idle connection opens one more.
/// Reads nest, because what `body` does may read too, so a limit on the connections in
/// use could leave each of some threads waiting for one that the others hold.
///
/// The first is the one that has opened the file, and could write: most processes need no
/// other for their first answer. It stays open, and with it the log's file, which a
/// read-only connection can't make.
final class ReaderPool: Sendable {
  /// What is beyond it, and not the first, when a read ends is closed.
  static let idleMax = 8

  private let path: String
  private let busyTimeout: Double
  private let first: Connection
  private let watch: FileWatch
  private let idle: Mutex<[Connection]>

  init(path: String, first: Connection, busyTimeout: Double, _ watch: FileWatch) {
    self.watch = watch
    self.path = path
    self.busyTimeout = busyTimeout
    self.first = first
    idle = Mutex([first])
  }

  /// The number of connections that are kept and not in use.
  var idleCount: Int { idle.withLock { $0.count } }

  /// Runs `body` on its own connection.
  func read<R>(_ body: (Connection) throws -> R) throws -> R {
    let known = idle.withLock { $0.popLast() }
    let connection = try known ?? open()
    // One that is not kept closes as it goes, after the lock.
    defer {
      idle.withLock { idle in
        if idle.count < Self.idleMax || connection === first { idle.append(connection) }
      }
    }
    return try body(connection)
  }

  private func open() throws -> Connection {
    let connection = try Connection.open(path, .readOnly, watch, busyTimeout: busyTimeout)
    // While nothing else has failed.
    try connection.tellingReadFailures { try connection.readSchema() }
    return connection
  }

  /// Closes every connection, the first last; none is in use.
  ///
  /// - Parameter willCloseFirst: Takes the first, once no other is open.
  func close(_ willCloseFirst: (Connection) -> Void = { _ in }) throws {
    let connections = idle.withLock { idle in
      defer { idle = [] }
      return idle
    }
    for connection in connections where connection !== first { try connection.close() }
    willCloseFirst(first)
    try first.close()
  }
}
