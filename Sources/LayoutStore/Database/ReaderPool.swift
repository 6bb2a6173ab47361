import Foundation
import GRDB
import Synchronization

/// Read-only connections, opened when they are needed and kept, up to a number.
///
/// A read never waits for another: whoever finds no idle connection opens one more.
/// Reads nest, because what `body` does may read too, so a limit on the connections in
/// use could leave each of some threads waiting for one that the others hold.
///
/// GRDB's own pool writes to a file whose write-ahead log is empty when it opens it,
/// and syncs it twice: longer than all else that a process does before its first
/// answer. The log's file is there when a reader opens here, since the writer's
/// connection is open.
final class ReaderPool: Sendable {
  /// What is beyond it when a read ends is closed.
  static let idleMax = 8

  private let path: String
  private let configuration: Configuration
  private let idle = Mutex<[DatabaseQueue]>([])

  init(path: String, configuration: Configuration) {
    var configuration = configuration
    configuration.readonly = true
    self.path = path
    self.configuration = configuration
  }

  /// The number of connections that are kept and not in use.
  var idleCount: Int { idle.withLock { $0.count } }

  /// Runs `body` on a connection of its own.
  func read<R>(_ body: (Database) throws -> R) throws -> R {
    let known = idle.withLock { $0.popLast() }
    let connection = try known ?? DatabaseQueue(path: path, configuration: configuration)
    // One that is not kept closes as it goes, behind the lock.
    defer {
      idle.withLock { idle in
        if idle.count < Self.idleMax { idle.append(connection) }
      }
    }
    return try connection.unsafeRead(body)
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
