import Foundation
import LayoutCacheSQLite
import Synchronization

/// The disk below SQLite, made to fail: its Unix VFS lets the calls of the operating
/// system be replaced. It concerns the whole process, so it is for exit tests.
enum FailingDisk {
  /// What fails.
  enum Call: String, Codable, CaseIterable, Sendable {
    case read, write, sync
  }

  /// Puts the calls that may fail in place of the system's.
  static func install() {
    set("pread", preadOrFail as PRead)
    set("pread64", preadOrFail as PRead)
    set("read", readOrFail as Read)
    set("pwrite", pwriteOrFail as PWrite)
    set("pwrite64", pwriteOrFail as PWrite)
    set("fsync", fsyncOrFail as Sync)
  }

  /// Fails the calls of a kind from the `number`th on, from 1, as many as there are
  /// to be; then all goes well again.
  static func fail(_ call: Call, number: Int, count: Int = 1) {
    state.withLock { $0 = State(call: call, before: number - 1, count: count) }
  }

  /// Lets all go well.
  ///
  /// - Returns: Whether anything has failed.
  static func heal() -> Bool {
    state.withLock { state in
      defer { state = State() }
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

private typealias PRead = @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int
private typealias PWrite = @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int
private typealias Read = @convention(c) (Int32, UnsafeMutableRawPointer?, Int) -> Int
private typealias Sync = @convention(c) (Int32) -> Int32

private struct State {
  var call: FailingDisk.Call?
  var before = 0
  var count = 0
  var hasFailed = false
}

private let state = Mutex(State())

private func fails(_ call: FailingDisk.Call) -> Bool {
  let fails = state.withLock { state in
    guard state.call == call, state.count > 0 else { return false }
    if state.before > 0 {
      state.before -= 1
      return false
    }
    state.count -= 1
    state.hasFailed = true
    return true
  }
  if fails { errno = EIO }
  return fails
}

private let preadOrFail: PRead = { fails(.read) ? -1 : pread($0, $1, $2, $3) }
private let readOrFail: Read = { fails(.read) ? -1 : read($0, $1, $2) }
private let pwriteOrFail: PWrite = { fails(.write) ? -1 : pwrite($0, $1, $2, $3) }
private let fsyncOrFail: Sync = { fails(.sync) ? -1 : fsync($0) }
