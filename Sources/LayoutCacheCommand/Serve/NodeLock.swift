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

  /// The bytes that were stored last, perhaps by an earlier process, and others after them.
  var contents: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    return Array(bytes.prefix(max(0, pread(file, &bytes, bytes.count, 0))))
  }

  /// Stores bytes that outlive the process, but not necessarily the machine.
  @Sendable func store(_ bytes: [UInt8]) { _ = pwrite(file, bytes, bytes.count, 0) }

  deinit { close(file) }
}
