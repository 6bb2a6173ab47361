#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The calls by which backups and restores change files other than through SQLite. Tests replace
/// them by calls that fail.
package struct FileCalls: Sendable {
  package enum Call: Sendable {
    case create(String, mode: UInt32)
    case link(String, to: String)
    case rename(String, to: String)
    case remove(String)
    /// Syncs a file, or the names in a folder, to disk.
    case sync(String)
  }

  /// Returns the number of the error; 0 for none.
  package let perform: @Sendable (Call) -> Int32

  package init(perform: @escaping @Sendable (Call) -> Int32) { self.perform = perform }

  package static let system = FileCalls { call in
    var result: Int32
    switch call {
    case .create(let path, let mode):
      result = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
      if result >= 0 { result = close(result) }
    case .sync(let path):
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      defer { _ = descriptor < 0 ? 0 : close(descriptor) }
      return descriptor < 0 || fsync(descriptor) != 0 ? errno : 0
    case .link(let path, let name): result = link(path, name)
    case .rename(let path, let name): result = rename(path, name)
    case .remove(let path): result = unlink(path)
    }
    return result == 0 ? 0 : errno
  }

  /// Makes a call for a file.
  ///
  /// - Parameter isOptional: Whether it need not succeed, unless the disk fails: not all file systems
  ///   can do it.
  /// - Returns: The number of the error; 0 for none.
  @discardableResult
  func callAsFunction(
    _ call: Call, for path: String, isOptional: Bool = false
  ) throws(StoreError) -> Int32 {
    let number = perform(call)
    if number == 0 || isOptional && ![EIO, ENOSPC, EDQUOT].contains(number) { return number }
    let detail =
      number == EBUSY || number == EXDEV
      ? "it is mounted as a single file; mount its folder instead"
      : String(cString: strerror(number))
    throw StoreError(.inputOutput(detail: detail), path: path)
  }
}

/// A new file under a temporary name until it is complete.
struct PartialFile {
  private let path: String
  let partialPath: String
  private let files: FileCalls

  /// Creates an empty file.
  ///
  /// - Parameters:
  ///   - other: A file whose read and write permissions the new one gets.
  ///   - replaces: Whether there may be a file at the path.
  init(
    _ path: String, asReadableAs other: String, replaces: Bool = false, _ files: FileCalls
  ) throws {
    (self.path, self.files) = (path, files)
    partialPath = path + "-partial"
    var status = stat()
    // A dangling link counts as existing.
    if !replaces, lstat(path, &status) == 0 { throw StoreError(.exists, path: path) }
    let mode = stat(other, &status) == 0 ? status.st_mode & 0o666 : 0o600
    let number = files.perform(.create(partialPath, mode: UInt32(mode | 0o200)))
    guard number == 0 else {
      throw StoreError(
        .cannotOpen(
          detail: number == EEXIST
            ? """
            \(partialPath) exists: another backup is running, or one was interrupted; if none \
            is running, remove the file
            """ : String(cString: strerror(number))),
        path: path)
    }
  }

  /// The bytes written so far.
  var byteCount: Int {
    var status = stat()
    return stat(partialPath, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Runs `body`, and maps SQLite's errors to errors of this file.
  func mapped(_ body: () throws -> Void) throws {
    try StoreError.mapped(path: path, busyTimeout: 0, body)
  }

  /// Syncs the file to disk.
  func sync() throws(StoreError) { try files(.sync(partialPath), for: path) }

  /// Gives the file its final name, in place of another file, and removes the log of that one.
  ///
  /// - Returns: The file's size in bytes.
  /// - Throws: ``StoreError``, which states that the file may be stored if it has the name.
  func replace() throws(StoreError) -> Int {
    let byteCount = byteCount
    // A power cut must not bring back what was removed before.
    try syncFolder()
    try files(.rename(partialPath, to: path), for: path)
    do {
      try files(.remove("\(path)-wal"), for: path, isOptional: true)
      try syncFolder()
    } catch {
      var error = error
      error.mayBeStored = true
      throw error
    }
    return byteCount
  }

  /// Gives the file its final name, unless another file has it by now.
  ///
  /// - Returns: The file's size in bytes.
  func publish() throws(StoreError) -> Int {
    try sync()
    let byteCount = byteCount
    // Unlike `rename`, `link` replaces no file, but not all file systems support it.
    switch try files(.link(partialPath, to: path), for: path, isOptional: true) {
    case 0: _ = files.perform(.remove(partialPath))
    case EEXIST: throw StoreError(.exists, path: path)
    default: try files(.rename(partialPath, to: path), for: path)
    }
    do { try syncFolder() } catch {
      _ = files.perform(.remove(path))
      throw error
    }
    return byteCount
  }

  private var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "." }

  /// Syncs the names in the folder. Not all file systems can do this.
  private func syncFolder() throws(StoreError) {
    try files(.sync(folder), for: path, isOptional: true)
  }

  /// Removes the partial files, as far as they exist. Failures are ignored.
  func remove() {
    for ending in ["", "-journal", "-wal", "-shm"] {
      _ = files.perform(.remove(partialPath + ending))
    }
  }
}
