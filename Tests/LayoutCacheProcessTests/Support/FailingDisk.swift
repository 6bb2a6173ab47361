import Foundation
import LayoutCacheSQLite
import Synchronization

/// A failing disk below SQLite: its Unix VFS allows the operating system's calls to be
/// replaced. It affects the whole process, so it is for exit tests.
enum FailingDisk {
  /// The failing call.
  enum Call: String, Codable, CaseIterable, Sendable {
    case open, read, write, sync

    /// The calls on open files.
    static let ofFiles: [Call] = [.read, .write, .sync]
  }

  /// Replaces the system's calls with calls that can fail.
  static func install() {
    set("open", openOrFail as OpenFile)
    set("pread", preadOrFail as PRead)
    set("pread64", preadOrFail as PRead)
    set("read", readOrFail as Read)
    set("pwrite", pwriteOrFail as PWrite)
    set("pwrite64", pwriteOrFail as PWrite)
    // SQLite calls fsync itself, so its files' methods are replaced as they are opened.
    guard let vfs = sqlite3_vfs_find(nil), let open = vfs.pointee.xOpen else {
      fatalError("SQLite has no VFS")
    }
    state.withLock { $0.open = open }
    vfs.pointee.xOpen = { vfs, name, file, flags, outFlags in
      guard let open = state.withLock({ $0.open }) else { return SQLITE_CANTOPEN }
      let code = open(vfs, name, file, flags, outFlags)
      if code == SQLITE_OK, let file { FailingDisk.replaceSync(of: file) }
      return code
    }
  }

  /// Fails `count` calls of a kind from the `number`th on, counted from 1; later calls succeed
  /// again.
  ///
  /// - Parameter error: The error of failing writes, such as `ENOSPC`.
  static func fail(_ call: Call, number: Int, count: Int = 1, with error: Int32 = EIO) {
    state.withLock { state in
      state.call = call
      state.before = number - 1
      state.count = count
      state.error = error
      state.hasFailed = false
    }
  }

  /// Whether a call has failed since failures were requested.
  static var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// Kills the process at the `number`th call that opens, writes or syncs a file, counted from 1.
  static func kill(atCall number: Int) { state.withLock { $0.callsLeft = number } }

  /// Calls `action` once, before the next sync.
  static func beforeSync(_ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.action = action }
  }

  /// Lets writes fail with `ENOSPC` if they end beyond a size of their file, as if the rest of the
  /// disk were full.
  static func fill(beyond bytes: Int) { state.withLock { $0.fileBytesMax = bytes } }

  /// Lets all calls succeed.
  ///
  /// - Returns: Whether any call has failed.
  static func heal() -> Bool {
    state.withLock { state in
      state.call = nil
      state.fileBytesMax = .max
      return state.hasFailed
    }
  }

  private static func set<Function>(_ name: String, _ function: Function) {
    guard let vfs = sqlite3_vfs_find(nil), let set = vfs.pointee.xSetSystemCall else {
      fatalError("SQLite has no Unix VFS")
    }
    _ = set(vfs, name, unsafeBitCast(function, to: sqlite3_syscall_ptr.self))
  }
}

extension FailingDisk {
  /// Gives a file methods that differ only in their sync. There is one copy per kind of file;
  /// none is freed, because files of the whole process use them.
  fileprivate static func replaceSync(of file: UnsafeMutablePointer<sqlite3_file>) {
    guard let methods = file.pointee.pMethods else { return }
    let key = Int(bitPattern: methods)
    let copy = state.withLock { files in
      if let known = files.methods[key] { return known }
      let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      copy.initialize(to: methods.pointee)
      // Every kind of file has the same sync.
      if files.sync == nil { files.sync = methods.pointee.xSync }
      copy.pointee.xSync = { file, flags in
        let action = state.withLock { state in
          defer { state.action = nil }
          return state.action
        }
        action?()
        if fails(.sync) { return SQLITE_IOERR | 4 << 8 }  // SQLITE_IOERR_FSYNC
        return state.withLock({ $0.sync })?(file, flags) ?? SQLITE_IOERR
      }
      files.methods[key] = Int(bitPattern: copy)
      return Int(bitPattern: copy)
    }
    file.pointee.pMethods = UnsafePointer(bitPattern: copy)
  }
}

private typealias PRead = @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int
private typealias PWrite = @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int
private typealias OpenFile = @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Int32
private typealias Read = @convention(c) (Int32, UnsafeMutableRawPointer?, Int) -> Int
private typealias Open =
  @convention(c) (
    UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_file>?,
    Int32, UnsafeMutablePointer<Int32>?
  ) -> Int32
private typealias Sync = @convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32

private struct State {
  var call: FailingDisk.Call?
  var before = 0
  var count = 0
  var error = EIO
  var hasFailed = false
  var action: (@Sendable () -> Void)?
  var fileBytesMax = Int.max
  var callsLeft: Int?
  /// SQLite's original functions, and the methods that replace those of files.
  var open: Open?
  var sync: Sync?
  var methods: [Int: Int] = [:]
}

private let state = Mutex(State())

private func fails(_ call: FailingDisk.Call) -> Bool {
  let error: Int32? = state.withLock { state in
    if call != .read, let left = state.callsLeft {
      if left == 1 { Glibc.kill(getpid(), SIGKILL) }
      state.callsLeft = left - 1
    }
    guard state.call == call, state.count > 0 else { return nil }
    if state.before > 0 {
      state.before -= 1
      return nil
    }
    state.count -= 1
    state.hasFailed = true
    return state.error
  }
  if let error { errno = error }
  return error != nil
}

private let openOrFail: OpenFile = { fails(.open) ? -1 : open($0!, $1, mode_t($2)) }
private let preadOrFail: PRead = { fails(.read) ? -1 : pread($0, $1, $2, $3) }
private let readOrFail: Read = { fails(.read) ? -1 : read($0, $1, $2) }
private let pwriteOrFail: PWrite = { file, bytes, count, offset in
  let isBeyond = state.withLock { state in
    let isBeyond = Int(offset) + count > state.fileBytesMax
    if isBeyond { state.hasFailed = true }
    return isBeyond
  }
  if isBeyond {
    errno = ENOSPC
    return -1
  }
  return fails(.write) ? -1 : pwrite(file, bytes, count, offset)
}
