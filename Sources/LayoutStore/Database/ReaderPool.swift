import Foundation
import GRDB
import Synchronization

/// Read-only connections, opened when they are first needed and kept.
///
/// GRDB's own pool writes to a file whose write-ahead log is empty when it opens it,
/// and syncs it twice: longer than all else that a process does before its first
/// answer. The log's file is there when a reader opens here, since the writer's
/// connection is open.
final class ReaderPool: Sendable {
  private static let connectionsMax = 8

  private let path: String
  private let configuration: Configuration
  private let slots = DispatchSemaphore(value: connectionsMax)
  /// The connections that are not in use; `nil` once the pool is closed.
  private let idle = Mutex<[DatabaseQueue]?>([])

  init(path: String, configuration: Configuration) {
    var configuration = configuration
    configuration.readonly = true
    self.path = path
    self.configuration = configuration
  }

  /// Runs `body` on a connection of its own.
  func read<R>(_ body: (Database) throws -> R) throws -> R {
    slots.wait()
    defer { slots.signal() }
    let known = try idle.withLock { idle in
      guard idle != nil else {
        throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the file is closed")
      }
      return idle?.popLast()
    }
    let connection = try known ?? DatabaseQueue(path: path, configuration: configuration)
    defer { idle.withLock { $0?.append(connection) } }
    return try connection.unsafeRead(body)
  }

  /// Closes every connection, once none is in use.
  func close() throws {
    for _ in 0..<Self.connectionsMax { slots.wait() }
    defer { for _ in 0..<Self.connectionsMax { slots.signal() } }
    let connections = idle.withLock { idle in
      defer { idle = nil }
      return idle ?? []
    }
    for connection in connections { try connection.close() }
  }
}
