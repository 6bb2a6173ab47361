#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A lock that ensures that one process at a time runs a node with a database file. Two nodes
/// that follow the log into one file would restart its datasets endlessly.
///
/// The lock ends with the process, including after a crash.
final class NodeLock: Sendable {
  private let file: Int32

  /// - Parameter path: The path of the database.
  /// - Throws: ``Failure`` if another process holds the lock.
  init(of path: String) throws {
    file = open(path + "-node", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw Failure(.inputOutput, "cannot create \(path)-node: \(systemMessage(errno))")
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      throw Failure(.busy, "another process runs a node with \(path)")
    }
  }

  deinit { close(file) }
}
