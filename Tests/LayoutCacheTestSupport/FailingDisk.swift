import Foundation
import LayoutCacheSQLite
package import LayoutStore
import Synchronization
package import TestSupport

/// A disk below SQLite that fails, that kills the process, and that loses in a power cut what was
/// not synced: SQLite's Unix VFS allows the operating system's calls to be replaced, and backups
/// and restores their own.
///
/// It affects only files below a folder, so that the other tests of a process do not notice.
package final class FailingDisk: Sendable {
  package enum Call: String, Codable, CaseIterable, Sendable {
    case open, read, write, sync, truncate
    /// A lock of the database's file; the locks of the index wait for a failing one.
    case lock
    /// The mapping of the index.
    case map
    /// A link, a rename or a removal by a backup or a restore.
    case rename
  }

  /// A number of calls that fail.
  private struct Failure {
    var call: Call
    var before: Int
    var count: Int
    var error: Int32
    var isShort: Bool
  }

  private struct State {
    var failure: Failure?
    var hasFailed = false
    var action: (@Sendable () -> Void)?
    var fileBytesMax = Int.max
    var callsLeft: Int?
    var recording: DiskRecording?
    var capture: (after: Int, image: DiskRecording?)?
  }

  private let folder: String
  private let state = Mutex(State())

  /// - Parameter folder: Without a slash at the end. Only files that are opened from now on.
  package init(below folder: String = "") {
    self.folder = folder + "/"
    Hooks.install()
    Hooks.table.withLock { $0.disks.append(Weak(disk: self)) }
  }

  deinit { Hooks.table.withLock { $0.disks.removeAll { $0.disk == nil } } }

  /// Fails `count` calls of a kind from the `number`th on, counted from 1; later calls succeed
  /// again.
  ///
  /// - Parameters:
  ///   - error: The error of failing calls, such as `ENOSPC`.
  ///   - isShort: Whether failing writes write a half.
  package func fail(
    _ call: Call, number: Int, count: Int = 1, with error: Int32 = EIO, isShort: Bool = false
  ) {
    state.withLock { state in
      state.failure = Failure(
        call: call, before: number - 1, count: count, error: error, isShort: isShort)
      state.hasFailed = false
    }
  }

  /// The calls of backups and restores on this disk.
  package var files: FileCalls {
    FileCalls { call in
      let kind: Call =
        switch call {
        case .create: .open
        case .sync: .sync
        case .link, .rename, .remove: .rename
        }
      if let failure = self.failure(of: kind) { return failure.error }
      let number = FileCalls.system.perform(call)
      if number == 0 { self.note(call) }
      return number
    }
  }

  /// Kills the process at the `number`th call that opens, writes, syncs or renames a file, counted
  /// from 1.
  package func kill(atCall number: Int) { state.withLock { $0.callsLeft = number } }

  /// Calls `action` once, before the next sync.
  package func beforeSync(_ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.action = action }
  }

  /// Lets writes fail with `ENOSPC` if they end beyond a size of their file, as if the rest of the
  /// disk were full.
  package func fill(beyond bytes: Int) { state.withLock { $0.fileBytesMax = bytes } }

  /// Lets all calls succeed.
  ///
  /// - Returns: Whether any call has failed.
  @discardableResult
  package func heal() -> Bool {
    state.withLock { state in
      state.failure = nil
      state.fileBytesMax = .max
      return state.hasFailed
    }
  }

  // MARK: Power cuts

  /// Records the changes of files in one folder from now on.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of their paths. Locks and indexes are left out: they are void after
  ///     a restart.
  ///   - number: The power is cut at this call that changes a file, counted from 1.
  package func record(_ prefix: String, cutAtCall number: Int) throws {
    let recording = try DiskRecording(prefix)
    state.withLock { state in
      state.recording = recording
      state.capture = (number, nil)
    }
  }

  /// Notes the number of acknowledged steps.
  package func acknowledge(_ stepCount: Int) {
    state.withLock { $0.recording?.stepCount = stepCount }
  }

  /// Ends the recording.
  ///
  /// - Returns: The files at the cut, or at the end if there were fewer calls.
  package func endRecording() -> DiskRecording? {
    state.withLock { state in
      defer { (state.recording, state.capture) = (nil, nil) }
      return state.capture?.image ?? state.recording
    }
  }

  // MARK: Calls

  fileprivate func contains(_ path: String) -> Bool { "\(path)/".hasPrefix(folder) }

  /// Counts a call.
  ///
  /// - Returns: The error with which it fails, and whether it writes a half first.
  fileprivate func failure(of call: Call) -> (error: Int32, isShort: Bool)? {
    state.withLock { state in
      if [.open, .write, .sync, .rename].contains(call), let left = state.callsLeft {
        if left == 1 { Glibc.kill(getpid(), SIGKILL) }
        state.callsLeft = left - 1
      }
      if [.write, .sync, .truncate, .rename].contains(call), let capture = state.capture,
        capture.image == nil
      {
        state.capture?.after -= 1
        if capture.after == 1 { state.capture?.image = state.recording }
      }
      guard let failure = state.failure, failure.call == call, failure.count > 0 else { return nil }
      if failure.before > 0 {
        state.failure?.before -= 1
        return nil
      }
      state.failure?.count -= 1
      state.hasFailed = true
      return (failure.error, failure.isShort)
    }
  }

  fileprivate func isFull(upTo end: Int) -> Bool {
    state.withLock { state in
      if end > state.fileBytesMax { state.hasFailed = true }
      return end > state.fileBytesMax
    }
  }

  fileprivate func note(_ change: DiskRecording.Change, of path: String) {
    state.withLock { $0.recording?.add(change, to: path) }
  }

  fileprivate func note(_ call: FileCalls.Call) { state.withLock { $0.recording?.add(call) } }

  fileprivate func takeAction() -> (@Sendable () -> Void)? {
    state.withLock { state in
      defer { state.action = nil }
      return state.action
    }
  }
}

/// The contents of files at their last sync and their names at that of their folder, and the changes
/// of both since.
package struct DiskRecording {
  enum Change {
    case write(Int, [UInt8])
    case resize(Int)
    case sync
  }

  private struct File {
    var synced: [UInt8] = []
    var changes: [Change] = []
  }

  private let prefix: String
  private var files: [File] = []
  /// The files by their names, and as of the last sync of the folder.
  private var names: [String: Int] = [:]
  private var syncedNames: [String: Int] = [:]
  /// The changes of names since, each of one or two; `nil` for a name that is removed.
  private var changes: [[String: Int?]] = []
  /// The number of steps that were acknowledged.
  package fileprivate(set) var stepCount = 0

  fileprivate init(_ prefix: String) throws {
    self.prefix = prefix
    let folder = String(prefix[...prefix.lastIndex(of: "/")!])
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    where isRecorded(folder + name) {
      names[folder + name] = files.count
      files.append(File(synced: [UInt8](try Data(contentsOf: URL(filePath: folder + name)))))
    }
    syncedNames = names
  }

  private func isRecorded(_ path: String) -> Bool {
    path.hasPrefix(prefix) && !path.hasSuffix("-shm") && !path.hasSuffix("-lock")
  }

  fileprivate mutating func add(_ change: Change, to path: String) {
    guard let number = names[path] else { return }
    files[number].changes.append(change)
    guard case .sync = change else { return }
    for change in files[number].changes { Self.apply(change, to: &files[number].synced) }
    files[number].changes = []
  }

  fileprivate mutating func add(_ call: FileCalls.Call) {
    var changed: [String: Int?] = [:]
    switch call {
    case .create(let path, _):
      guard isRecorded(path) else { return }
      files.append(File())
      changed[path] = .some(files.count - 1)
    case .sync(let path):
      add(.sync, to: path)
      if prefix.hasPrefix(path.hasSuffix("/") ? path : path + "/") {
        (syncedNames, changes) = (names, [])
      }
      return
    case .link(let path, let name): changed[name] = .some(names[path])
    case .rename(let path, let name): changed = [name: names[path], path: nil]
    case .remove(let path): changed[path] = .some(nil)
    }
    for (name, number) in changed { names[name] = number }
    changes.append(changed)
  }

  /// Writes the files that remain, as other files.
  ///
  /// - Parameters:
  ///   - other: Replaces the beginning of their paths.
  ///   - losesPower: Whether changes that were not synced may be lost, apply in part, or without
  ///     earlier ones; otherwise only the process was killed.
  package func write(
    to other: String, losesPower: Bool, using generator: inout SeededGenerator
  ) throws {
    var left = losesPower ? syncedNames : names
    for changed in changes where losesPower && generator.oneIn(2) {
      for (name, number) in changed { left[name] = number }
    }
    let contents = files.map { remains(of: $0, losesPower, using: &generator) }
    for (path, number) in left where isRecorded(path) {
      let copy = other + path.dropFirst(prefix.count)
      try Data(contents[number]).write(to: URL(filePath: copy))
    }
  }

  private func remains(
    of file: File, _ losesPower: Bool, using generator: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = file.synced
    let keptOf10 = [0, 5, 9].randomElement(using: &generator)!
    for change in file.changes {
      if losesPower, Int.random(in: 0..<10, using: &generator) >= keptOf10 { continue }
      guard losesPower, generator.oneIn(4), case .write(let offset, let content) = change else {
        Self.apply(change, to: &bytes)
        continue
      }
      for sector in stride(from: 0, to: content.count, by: 512) where generator.oneIn(2) {
        let part = content[sector..<min(sector + 512, content.count)]
        Self.apply(.write(offset + sector, Array(part)), to: &bytes)
      }
    }
    return bytes
  }

  private static func apply(_ change: Change, to bytes: inout [UInt8]) {
    func grow(to count: Int) {
      if bytes.count < count { bytes += [UInt8](repeating: 0, count: count - bytes.count) }
    }
    switch change {
    case .write(let offset, let content):
      grow(to: offset + content.count)
      bytes.replaceSubrange(offset..<(offset + content.count), with: content)
    case .resize(let count):
      grow(to: count)
      bytes.removeLast(bytes.count - count)
    case .sync: break
    }
  }
}

private struct Weak {
  weak var disk: FailingDisk?
}

/// The replaced calls of the process.
private enum Hooks {
  struct Table {
    var isInstalled = false
    var disks: [Weak] = []
    /// The open files on disks, by descriptor.
    var files: [Int32: (disk: Weak, path: String)] = [:]
    /// The paths of SQLite's open files.
    var paths: [Int: String] = [:]
    /// SQLite's original functions, and the methods that replace those of files.
    var open: Open?
    var sync: Sync?
    var methods: [Int: Int] = [:]

    func disk(of path: String) -> FailingDisk? {
      disks.lazy.compactMap(\.disk).first { $0.contains(path) }
    }
  }

  static let table = Mutex(Table())

  static func install() {
    let isNew = table.withLock { table in
      defer { table.isInstalled = true }
      return !table.isInstalled
    }
    guard isNew else { return }
    guard let vfs = sqlite3_vfs_find(nil), let open = vfs.pointee.xOpen else {
      fatalError("SQLite has no Unix VFS")
    }
    set("open", vfs, openOrFail as OpenFile)
    set("close", vfs, closeAndForget as CloseFile)
    set("unlink", vfs, unlinkAndNote as Unlink)
    set("pread", vfs, preadOrFail as PRead)
    set("pread64", vfs, preadOrFail as PRead)
    set("read", vfs, readOrFail as Read)
    set("pwrite", vfs, pwriteOrFail as PWrite)
    set("pwrite64", vfs, pwriteOrFail as PWrite)
    set("ftruncate", vfs, truncateOrFail as Truncate)
    set("fallocate", vfs, allocateOrFail as Allocate)
    set("fcntl", vfs, fcntlOrFail as Control)
    set("mmap", vfs, mapOrFail as Map)
    // SQLite calls fsync itself, so its files' methods are replaced as they are opened.
    table.withLock { $0.open = open }
    vfs.pointee.xOpen = { vfs, name, file, flags, outFlags in
      guard let open = Hooks.table.withLock({ $0.open }) else { return SQLITE_CANTOPEN }
      let code = open(vfs, name, file, flags, outFlags)
      if code == SQLITE_OK, let file, let name {
        let path = String(cString: name)
        Hooks.table.withLock { table in
          if table.disk(of: path) != nil { Hooks.replaceSync(of: file, path, in: &table) }
        }
      }
      return code
    }
  }

  private static func set<Function>(
    _ name: String, _ vfs: UnsafeMutablePointer<sqlite3_vfs>, _ function: Function
  ) {
    _ = vfs.pointee.xSetSystemCall?(
      vfs, name, unsafeBitCast(function, to: sqlite3_syscall_ptr.self))
  }

  /// Gives a file methods that differ only in their sync. There is one copy per kind of file;
  /// none is freed, because files of the whole process use them.
  private static func replaceSync(
    of file: UnsafeMutablePointer<sqlite3_file>, _ path: String, in table: inout Table
  ) {
    table.paths[Int(bitPattern: file)] = path
    guard let methods = file.pointee.pMethods else { return }
    let key = Int(bitPattern: methods)
    if table.methods[key] == nil {
      let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      copy.initialize(to: methods.pointee)
      // Every kind of file has the same sync.
      if table.sync == nil { table.sync = methods.pointee.xSync }
      copy.pointee.xSync = { file, flags in
        let (sync, path, disk) = Hooks.table.withLock { table in
          let path = table.paths[Int(bitPattern: file)] ?? ""
          return (table.sync, path, table.disk(of: path))
        }
        disk?.takeAction()?()
        if disk?.failure(of: .sync) != nil { return SQLITE_IOERR | 4 << 8 }  // SQLITE_IOERR_FSYNC
        let code = sync?(file, flags) ?? SQLITE_IOERR
        if code == SQLITE_OK { disk?.note(.sync, of: path) }
        return code
      }
      table.methods[key] = Int(bitPattern: copy)
    }
    file.pointee.pMethods = table.methods[key].flatMap { UnsafePointer(bitPattern: $0) }
  }

  /// The disk and the path of an open file.
  static func file(_ descriptor: Int32) -> (disk: FailingDisk, path: String)? {
    table.withLock { table in
      table.files[descriptor].flatMap { file in file.disk.disk.map { ($0, file.path) } }
    }
  }

  /// Whether a call on an open file fails, after setting the error.
  static func fails(_ call: FailingDisk.Call, _ descriptor: Int32) -> Bool {
    guard let failure = file(descriptor)?.disk.failure(of: call) else { return false }
    errno = failure.error
    return true
  }
}

private typealias PRead = @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int
private typealias PWrite = @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int
private typealias OpenFile = @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Int32
private typealias CloseFile = @convention(c) (Int32) -> Int32
private typealias Unlink = @convention(c) (UnsafePointer<CChar>?) -> Int32
private typealias Read = @convention(c) (Int32, UnsafeMutableRawPointer?, Int) -> Int
private typealias Truncate = @convention(c) (Int32, off_t) -> Int32
private typealias Allocate = @convention(c) (Int32, off_t, off_t) -> Int32
private typealias Control = @convention(c) (Int32, Int32, UnsafeMutableRawPointer?) -> Int32
private typealias Map =
  @convention(c) (
    UnsafeMutableRawPointer?, Int, Int32, Int32, Int32, off_t
  ) -> UnsafeMutableRawPointer?
private typealias Open =
  @convention(c) (
    UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_file>?,
    Int32, UnsafeMutablePointer<Int32>?
  ) -> Int32
private typealias Sync = @convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32

private let openOrFail: OpenFile = { name, flags, mode in
  guard let name else { return -1 }
  let path = String(cString: name)
  let disk = Hooks.table.withLock { $0.disk(of: path) }
  if let failure = disk?.failure(of: .open) {
    errno = failure.error
    return -1
  }
  let isNew = disk != nil && flags & O_CREAT != 0 && access(name, F_OK) != 0
  let descriptor = open(name, flags, mode_t(mode))
  if descriptor >= 0, let disk {
    Hooks.table.withLock { $0.files[descriptor] = (Weak(disk: disk), path) }
    if isNew { disk.note(.create(path, mode: 0)) }
    // SQLite opens a folder only to sync it.
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      disk.note(.sync(path))
    }
  }
  return descriptor
}
private let unlinkAndNote: Unlink = { name in
  guard let name else { return -1 }
  let code = unlink(name)
  let path = String(cString: name)
  if code == 0 { Hooks.table.withLock { $0.disk(of: path) }?.note(.remove(path)) }
  return code
}
private let closeAndForget: CloseFile = { descriptor in
  // Before it is closed: afterwards another thread may get the same number.
  Hooks.table.withLock { $0.files[descriptor] = nil }
  return close(descriptor)
}
private let preadOrFail: PRead = { Hooks.fails(.read, $0) ? -1 : pread($0, $1, $2, $3) }
private let readOrFail: Read = { Hooks.fails(.read, $0) ? -1 : read($0, $1, $2) }
private let pwriteOrFail: PWrite = { descriptor, bytes, count, offset in
  guard let (disk, path) = Hooks.file(descriptor) else {
    return pwrite(descriptor, bytes, count, offset)
  }
  var failure = disk.failure(of: .write)
  if disk.isFull(upTo: Int(offset) + count) { failure = (ENOSPC, false) }
  let length = failure == nil ? count : failure?.isShort == true ? count / 2 : 0
  let written = length > 0 ? pwrite(descriptor, bytes, length, offset) : 0
  if written > 0 {
    let content = [UInt8](UnsafeRawBufferPointer(start: bytes, count: written))
    disk.note(.write(Int(offset), content), of: path)
  }
  guard let failure else { return written }
  errno = failure.error
  return -1
}
private let truncateOrFail: Truncate = { descriptor, size in
  guard let (disk, path) = Hooks.file(descriptor) else { return ftruncate(descriptor, size) }
  if Hooks.fails(.truncate, descriptor) { return -1 }
  let code = ftruncate(descriptor, size)
  if code == 0 { disk.note(.resize(Int(size)), of: path) }
  return code
}
private let allocateOrFail: Allocate = { descriptor, offset, length in
  guard let (disk, path) = Hooks.file(descriptor) else {
    return posix_fallocate(descriptor, offset, length)
  }
  // It returns the error.
  if let failure = disk.failure(of: .write) { return failure.error }
  if disk.isFull(upTo: Int(offset + length)) { return ENOSPC }
  let code = posix_fallocate(descriptor, offset, length)
  var status = stat()
  if code == 0, fstat(descriptor, &status) == 0 {
    disk.note(.resize(Int(status.st_size)), of: path)
  }
  return code
}
private let fcntlOrFail: Control = { descriptor, command, argument in
  if command == F_SETLK, let (_, path) = Hooks.file(descriptor), !path.hasSuffix("-shm"),
    argument?.load(as: flock.self).l_type != Int16(F_UNLCK), Hooks.fails(.lock, descriptor)
  {
    return -1
  }
  guard let argument else { return fcntl(descriptor, command, 0) }
  return fcntl(descriptor, command, argument)
}
private let mapOrFail: Map = { address, length, protection, flags, descriptor, offset in
  Hooks.fails(.map, descriptor)
    ? MAP_FAILED : mmap(address, length, protection, flags, descriptor, offset)
}
