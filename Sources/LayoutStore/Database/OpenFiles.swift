import Synchronization

/// A record that this process has a database open, as long as the value is alive.
///
/// SQLite must not open another file at the path of an open one: it would truncate the index of
/// the write-ahead log, which the first connection has mapped, and reading the mapping would
/// crash the process. Other processes are detected by their locks.
final class OpenFile: Sendable {
  private static let files = Mutex<[String: [FileIdentity]]>([:])

  private let path: String
  private let file: FileIdentity

  /// - Parameter path: Absolute, without symbolic links.
  /// - Returns: `nil` if this process has another file open that was at the path.
  init?(_ path: String, _ file: FileIdentity) {
    (self.path, self.file) = (path, file)
    let isOther = Self.files.withLock { files in
      if files[path, default: []].contains(where: { $0 != file }) { return true }
      files[path, default: []].append(file)
      return false
    }
    if isOther { return nil }
  }

  deinit {
    Self.files.withLock { files in
      // Not recorded if the initializer returned `nil`.
      guard let index = files[path]?.firstIndex(of: file) else { return }
      files[path]?.remove(at: index)
      if files[path]?.isEmpty == true { files[path] = nil }
    }
  }
}
