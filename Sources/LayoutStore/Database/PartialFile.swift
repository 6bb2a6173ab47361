#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A new file under a temporary name until it is complete.
struct PartialFile {
  private let path: String
  let partialPath: String

  /// Creates an empty file.
  ///
  /// - Parameters:
  ///   - other: A file whose read and write permissions the new one gets.
  ///   - replaces: Whether there may be a file at the path.
  init(_ path: String, asReadableAs other: String, replaces: Bool = false) throws {
    self.path = path
    partialPath = path + "-partial"
    var status = stat()
    // A dangling link counts as existing.
    if !replaces, lstat(path, &status) == 0 { throw StoreError(.exists, path: path) }
    let mode = stat(other, &status) == 0 ? status.st_mode & 0o666 : 0o600
    let descriptor = open(partialPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode | 0o200)
    guard descriptor >= 0 else {
      throw StoreError(
        .cannotOpen(
          detail: errno == EEXIST
            ? """
            \(partialPath) exists: another backup is running, or one was interrupted; if none \
            is running, remove the file
            """ : String(cString: strerror(errno))),
        path: path)
    }
    close(descriptor)
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
  func sync() throws { try sync(partialPath) }

  /// Gives the file its final name, in place of another file.
  ///
  /// - Returns: The file's size in bytes.
  func replace() throws -> Int {
    let byteCount = byteCount
    if rename(partialPath, path) != 0 {
      guard errno == EBUSY || errno == EXDEV else { throw failure() }
      throw StoreError(
        .cannotOpen(detail: "it is mounted as a single file; mount its folder instead"),
        path: path)
    }
    syncFolder()
    return byteCount
  }

  /// Gives the file its final name, unless another file has it by now.
  ///
  /// - Returns: The file's size in bytes.
  func publish() throws -> Int {
    try sync()
    let byteCount = byteCount
    // Unlike `rename`, `link` replaces no file, but not all file systems support it.
    if link(partialPath, path) == 0 {
      unlink(partialPath)
    } else if errno == EEXIST {
      throw StoreError(.exists, path: path)
    } else if rename(partialPath, path) != 0 {
      throw failure()
    }
    syncFolder()
    return byteCount
  }

  /// Syncs the names in the folder. The file exists; not all file systems can do this.
  private func syncFolder() {
    try? sync(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
  }

  /// Removes the partial files, as far as they exist. Failures are ignored.
  func remove() {
    for ending in ["", "-journal", "-wal", "-shm"] { unlink(partialPath + ending) }
  }

  /// Syncs a file, or the names in a folder, to disk.
  private func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    if fsync(descriptor) != 0 { throw failure() }
  }

  private func failure() -> StoreError {
    StoreError(.inputOutput(detail: String(cString: strerror(errno))), path: path)
  }
}
