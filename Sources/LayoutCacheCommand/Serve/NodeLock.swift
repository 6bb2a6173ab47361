#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Held by the one process that is a node with a database's file: two that follow the log into
/// one file would begin its datasets again, again and again.
///
/// It ends with the process, however that ends.
final class NodeLock: Sendable {
  private let file: Int32

  /// - Parameter path: The database's.
  /// - Throws: ``Failure`` where another process has it.
  init(of path: String) throws {
    file = open(path + "-node", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw Failure(.inputOutput, "\(path)-node can't be made: \(systemMessage(errno))")
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      throw Failure(.busy, "another process is a node with \(path)")
    }
  }

  deinit { close(file) }
}
