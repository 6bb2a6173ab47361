import Synchronization

/// A pool of reading connections, opened on demand and reused, up to a number.
///
/// A read never waits for another: if no connection is idle, it opens one more. Reads nest,
/// because `body` may read too, so a limit on the connections in use could deadlock threads that
/// wait for each other's connections.
///
/// The first connection is the one that opened the file, and could write: most processes need no
/// other for their first answer. It stays open, and with it the write-ahead log, which a
/// read-only connection cannot create.
final class ReaderPool: Sendable {
  /// The maximum number of idle connections. A further one, except the first, is closed when its
  /// read ends.
  static let idleMax = 8

  private let path: String
  private let busyTimeout: Double
  private let isFixed: Bool
  private let first: Connection
  private let watch: FileWatch
  private let idle: Mutex<[Connection]>

  /// - Parameter isFixed: Whether `first` reads the file as one that does not change. Then each
  ///   read checks that it has not changed, since SQLite does not.
  init(path: String, first: Connection, isFixed: Bool, busyTimeout: Double, _ watch: FileWatch) {
    (self.watch, self.isFixed, self.path, self.busyTimeout) = (watch, isFixed, path, busyTimeout)
    self.first = first
    idle = Mutex([first])
  }

  /// Runs `body` with exclusive use of a connection.
  func read<R>(_ body: (Connection) throws -> R) throws -> R {
    let known = idle.withLock { $0.popLast() }
    let connection = try known ?? open()
    // A connection that is not returned to the pool closes on release, outside the lock.
    defer {
      idle.withLock { idle in
        if idle.count < Self.idleMax || connection === first { idle.append(connection) }
      }
    }
    if isFixed { try watch.check(connection) }
    return try body(connection)
  }

  private func open() throws -> Connection {
    let connection = try Connection.open(
      path, isFixed ? .fixed : .readOnly, watch, busyTimeout: busyTimeout)
    // Read now, before another read can fail.
    try connection.reportingReadFailures { try connection.readSchema() }
    return connection
  }

  /// Closes every connection, the first one last. None may be in use.
  ///
  /// - Parameter willCloseFirst: Receives the first connection when no other is open.
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
