import Synchronization

/// Read-only connections, opened when they are needed and kept, up to a number.
///
/// A read never waits for another: whoever finds no idle connection opens one more.
/// Reads nest, because what `body` does may read too, so a limit on the connections in
/// use could leave each of some threads waiting for one that the others hold.
///
/// The log's file is there when a reader opens, since the writer's connection is open.
final class ReaderPool: Sendable {
  /// What is beyond it when a read ends is closed.
  static let idleMax = 8

  private let path: String
  private let busyTimeout: Double
  private let idle = Mutex<[Connection]>([])

  init(path: String, busyTimeout: Double) {
    self.path = path
    self.busyTimeout = busyTimeout
  }

  /// The number of connections that are kept and not in use.
  var idleCount: Int { idle.withLock { $0.count } }

  /// Runs `body` on a connection of its own.
  func read<R>(_ body: (Connection) throws -> R) throws -> R {
    let known = idle.withLock { $0.popLast() }
    let connection = try known ?? open()
    // One that is not kept closes as it goes, behind the lock.
    defer {
      idle.withLock { idle in
        if idle.count < Self.idleMax { idle.append(connection) }
      }
    }
    return try body(connection)
  }

  private func open() throws -> Connection {
    let connection = try Connection(path: path, .readOnly, busyTimeout: busyTimeout)
    // What a connection reads at first, while nothing else has failed.
    try connection.tellingReadFailures { _ = try connection.pragma("schema_version", as: Int.self) }
    return connection
  }

  /// Closes every connection; none is in use.
  func close() throws {
    let connections = idle.withLock { idle in
      defer { idle = [] }
      return idle
    }
    for connection in connections { try connection.close() }
  }
}
