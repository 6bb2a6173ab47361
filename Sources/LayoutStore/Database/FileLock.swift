#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The lock on `FILE-lock` of each store that has a database open.
///
/// SQLite's locks belong to the process and are lost as soon as anything in it closes another
/// descriptor of the file. This one belongs to the open file description: it lasts until it is
/// released or the process ends, and excludes other stores of the same process too. So whether the
/// database is in use has a true answer. The file is empty, and is never deleted: a process could
/// lock a file without a name while another creates the next one.
///
/// Byte 0 is locked for reading by every store, and for writing by one that closes last, or that
/// replaces the database. Byte 1 is locked for reading by the stores that have checked the
/// write-ahead log, and for writing by the first one while it does: the file is empty until a store
/// has checked a log here, which may have been moved here with its database.
/// Byte 2 + inode is locked by the stores that have the file with this inode open, so that no
/// process opens another file with the log of this one.
///
/// Source: https://www.gnu.org/software/libc/manual/html_node/Open-File-Description-Locks.html.
final class FileLock: Sendable {
  private let descriptor: Int32

  // F_OFD_SETLK and F_OFD_GETLK, which C libraries declare for some dialects only.
  #if canImport(Darwin)
    private static let (setLock, getLock): (Int32, Int32) = (90, 92)
  #else
    private static let (setLock, getLock): (Int32, Int32) = (37, 36)
  #endif

  /// Opens the lock file of a database, which is created with the database's permissions.
  ///
  /// - Parameters:
  ///   - path: The database, without symbolic links.
  ///   - creates: Whether to create a missing lock; not for a process that can only read the file.
  ///   - other: The file whose permissions the lock gets if there is no database yet.
  /// - Returns: `nil` if there is none and none is created, or can be: the folder is read-only.
  /// - Throws: ``StoreError`` with `inputOutput` for another failure.
  init?(_ path: String, creates: Bool, asReadableAs other: String? = nil) throws(StoreError) {
    let name = path + "-lock"
    var status = stat()
    let isKnown = stat(path, &status) == 0 || other.map { stat($0, &status) == 0 } == true
    let mode = isKnown ? status.st_mode & 0o666 : 0o600
    var descriptor: Int32 = -1
    errno = EEXIST
    if creates { descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode) }
    if descriptor >= 0 {
      // Other users who may use the database may lock it, whatever this process masks.
      _ = fchmod(descriptor, mode)
    } else if errno == EEXIST {
      descriptor = open(name, O_RDWR | O_CLOEXEC)
      if descriptor < 0, FileAccess.isDenied(errno) {
        descriptor = open(name, O_RDONLY | O_CLOEXEC)
      }
    }
    if descriptor < 0 {
      if FileAccess.isDenied(errno) || !creates && errno == ENOENT { return nil }
      throw StoreError(
        .inputOutput(detail: "\(name): \(String(cString: strerror(errno)))"), path: path)
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Locks the database for use, waiting for a process that closes or replaces it.
  ///
  /// - Throws: ``StoreError``: `busy`; `cannotOpen` if a process has another file open that was at
  ///   the path.
  func share(_ file: FileIdentity, path: String, busyTimeout: Double) throws(StoreError) {
    // Not all file systems have such locks; there, the calls below find none.
    let isLocked = BusyHandler.wait(atMost: busyTimeout) {
      !set(F_RDLCK, 0, 1) && (errno == EAGAIN || errno == EACCES)
    }
    if !isLocked { throw StoreError(.busy(seconds: busyTimeout), path: path) }
    let byte = 2 + off_t(file.inode & 0x3FFF_FFFF_FFFF_FFFF)
    // First its own, then those of others: of two processes at a time, at least one sees the other.
    _ = set(F_RDLCK, byte, 1)
    if isLockedElsewhere(2, byte - 2) || isLockedElsewhere(byte + 1, 0) {
      throw StoreError(
        .cannotOpen(
          detail: """
            a process still has the previous file at this path open; end it, or restore the \
            backup with 'layoutcache restore'
            """), path: path)
    }
  }

  /// Whether another store, of any process, has the database open.
  var isShared: Bool { isLockedElsewhere(0, 1) }

  /// Whether another store that has checked the write-ahead log has the database open.
  var isLogChecked: Bool { isLockedElsewhere(1, 1, read: true) }

  /// Whether no store has checked a write-ahead log at the path yet.
  var isNew: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_size == 0
  }

  /// Reserves the first check of the write-ahead log for this store.
  ///
  /// - Returns: `false` while another store does it.
  func reserveCheck() -> Bool { set(F_WRLCK, 1, 1) || errno != EAGAIN && errno != EACCES }

  /// Records that this store has checked the write-ahead log.
  func setLogChecked() {
    _ = ftruncate(descriptor, 1)
    _ = set(F_RDLCK, 1, 1)
  }

  /// Locks the database against all other stores.
  ///
  /// - Returns: Whether there is no other store.
  func exclude() -> Bool { set(F_WRLCK, 0, 1) }

  func release() { _ = set(F_UNLCK, 0, 0) }

  /// - Parameter length: The number of bytes; 0 for all from `start` on.
  private func isLockedElsewhere(_ start: off_t, _ length: off_t, read: Bool = false) -> Bool {
    var lock = Self.lock(F_WRLCK, start, length)
    guard fcntl(descriptor, Self.getLock, &lock) == 0 else { return false }
    return read ? Int32(lock.l_type) == Int32(F_RDLCK) : Int32(lock.l_type) != Int32(F_UNLCK)
  }

  private func set(_ type: Int32, _ start: off_t, _ length: off_t) -> Bool {
    var lock = Self.lock(type, start, length)
    return fcntl(descriptor, Self.setLock, &lock) == 0
  }

  private static func lock(_ type: Int32, _ start: off_t, _ length: off_t) -> flock {
    var lock = flock()
    lock.l_type = numericCast(type)
    lock.l_whence = numericCast(SEEK_SET)
    lock.l_start = start
    lock.l_len = length
    return lock
  }
}

/// The permissions of this process, which decide whether a file is read-only.
enum FileAccess {
  /// Whether an error number means that a permission is lacking, and not a failure.
  static func isDenied(_ number: Int32) -> Bool { [EACCES, EROFS, EPERM].contains(number) }

  /// Returns whether this process lacks a permission for a file. Other failures are not reported:
  /// SQLite meets them too.
  static func isDenied(_ path: String, _ access: Int32) -> Bool {
    faccessat(AT_FDCWD, path, access, AT_EACCESS) != 0 && isDenied(errno)
  }

  /// Returns whether this process may not write a database, its folder, or its existing log or
  /// index.
  static func isReadOnly(_ path: String) -> Bool {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    return [path, folder, path + "-wal", path + "-shm"].contains { isDenied($0, W_OK) }
  }
}
