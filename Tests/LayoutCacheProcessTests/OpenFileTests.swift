import Foundation
import LayoutCacheSQLite
import LayoutCacheTestSupport
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: databases whose processes live, have been killed or have lost SQLite's locks; copies of
// each kind put over their files, by name or in place, with the logs left; logs removed; further
// names; failing calls of `open`. Then the path is opened, by one process or several.
//
// Invariants: every acknowledged commit is found, or the process that made it gets an error, or one
// that opens the path; a copy in place of a file is found at its own state, or opening is an error
// that changes neither file nor log; SQLite's integrity check finds nothing.

@Suite struct OpenFileTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path(of: "feed.sqlite") }

  init() throws { directory = try TemporaryDirectory() }

  /// Creates a database at revision 2.
  private static func make(_ path: String) throws {
    let cache = try LayoutCache(path: path)
    try cache.createDataset("feed")
    try commit(cache)
    try cache.close()
  }

  /// - Returns: The acknowledged revision.
  @discardableResult
  private static func commit(_ cache: LayoutCache) throws -> Int {
    let revision = try cache.dataset("feed").revision
    return try cache.update("feed", with: [.insertSection(key: "s\(revision)")]).revision
  }

  /// Opens a path, and checks the file.
  private static func revision(at path: String) throws -> Int {
    let cache = try LayoutCache(path: path)
    let problems = try cache.verify().problems
    precondition(problems.isEmpty, "\(problems)")
    let revision = try cache.dataset("feed").revision
    try cache.close()
    return revision
  }

  @Test func cachesOfOneProcessThatOpenAndCloseAtAnyTimeCanWrite() throws {
    try Self.make(path)
    let results = Results<Void>()
    try Threads.start(4) { [path] thread in
      for round in 0..<100 {
        results.add(
          Result {
            let cache = try LayoutCache(path: path)
            _ = try cache.update("feed", with: [.insertSection(key: "\(thread) \(round)")])
            try cache.close()
          })
      }
    }.join()
    for result in results.all { try result.get() }
    #expect(try Self.revision(at: path) == 402)
  }

  // MARK: Lost locks

  /// The ways in which a process that has the database open loses the locks of POSIX on its files.
  enum Disturbance: String, Codable, CaseIterable, Sendable {
    case none, closedDescriptor, readFile, copiedFile, readFolder

    func apply(to path: String) throws {
      switch self {
      case .none: break
      case .closedDescriptor: close(open(path, O_RDONLY))
      case .readFile: _ = try Data(contentsOf: URL(filePath: path))
      case .readFolder:
        for end in ["", "-lock"] { _ = try Data(contentsOf: URL(filePath: path + end)) }
      case .copiedFile: try FileManager.default.copyItem(atPath: path, toPath: path + ".copied")
      }
    }
  }

  @Test(arguments: Disturbance.allCases)
  func aProcessWithoutSQLitesLocksLosesNoCommit(disturbance: Disturbance) async throws {
    try Self.make(path)
    let owner = try LayoutCache(path: path)
    try owner.backup(to: path + ".backup")
    var acknowledged = try Self.commit(owner)
    for isKilled in [false, true] {
      try disturbance.apply(to: path)
      if disturbance == .copiedFile { try FileManager.default.removeItem(atPath: path + ".copied") }
      await #expect(processExitsWith: isKilled ? .signal(SIGKILL) : .success) {
        [path = path as String, known = acknowledged as Int, isKilled = isKilled as Bool] in
        precondition(throws: .busy) { try LayoutCache.restore(from: path + ".backup", to: path) }
        let other = try LayoutCache(path: path)
        try #require(try other.dataset("feed").revision == known)
        try #require(try Self.commit(other) == known + 1)
        if isKilled { kill(getpid(), SIGKILL) }
        try other.close()
      }
      acknowledged += 1
      #expect(try owner.dataset("feed").revision == acknowledged, "\(disturbance)")
      acknowledged = try Self.commit(owner)
    }
    try owner.close()
    #expect(try Self.revision(at: path) == acknowledged, "\(disturbance)")
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  /// The next process would clear the index while this one uses it.
  @Test(arguments: [false, true])
  func aProcessWithoutTheLockOfTheIndexLosesNoCommit(isRemoved: Bool) async throws {
    try Self.make(path)
    let owner = try LayoutCache(path: path)
    try Self.commit(owner)
    for end in isRemoved ? [] : ["", "-wal", "-shm"] {
      _ = try Data(contentsOf: URL(filePath: path + end))
    }
    if isRemoved { try FileManager.default.removeItem(atPath: path + "-shm") }
    await #expect(processExitsWith: .success) { [path = path as String] in
      var options = LayoutCacheOptions()
      options.busyTimeout = 0.1
      precondition(throws: .inputOutput) { try LayoutCache(path: path, options: options) }
    }
    #expect(try Self.commit(owner) == 4)
    try owner.close()
    #expect(try Self.revision(at: path) == 4)
  }

  // MARK: Copies over files

  enum Copy: String, CaseIterable, Sendable {
    /// By LayoutCache; by SQLite, in two ways; of the file alone, when it was closed and during
    /// its log.
    case backup, vacuumed, copiedPages, closedFile, openFile

    /// The file alone lacks the log.
    var revision: Int { [.closedFile, .openFile].contains(self) ? 2 : 3 }

    func make(of path: String, _ cache: LayoutCache) throws {
      let copy = "\(path).\(rawValue)"
      switch self {
      case .backup: try cache.backup(to: copy)
      case .vacuumed:
        let db = try RawDatabase(path: path)
        try db.execute("VACUUM INTO '\(copy)'")
      case .copiedPages: try copyPages(of: path, to: copy)
      // With `cp`, which takes no lock of this process.
      case .closedFile, .openFile: try run("/bin/cp", path, copy)
      }
    }
  }

  struct Replacement: CustomStringConvertible {
    var copy: Copy
    var isInPlace: Bool
    var keepsIndex: Bool
    var openerCount: Int

    var description: String {
      "\(copy)\(isInPlace ? "-in-place" : "")\(keepsIndex ? "" : "-no-index")-\(openerCount)"
    }

    /// A copy of the file alone, made during the present log and put into the same inode, cannot be
    /// told from the file.
    static let all: [Replacement] = Copy.allCases.flatMap { copy in
      [false, true].flatMap { isInPlace in
        [false, true].flatMap { keepsIndex in
          [1, 2].map {
            Replacement(copy: copy, isInPlace: isInPlace, keepsIndex: keepsIndex, openerCount: $0)
          }
        }
      }
    }.filter { !($0.copy == .openFile && $0.isInPlace) }

    func apply(to path: String) throws {
      // A second one, for the restore.
      try run("/bin/cp", "\(path).\(copy)", "\(path).kept")
      if isInPlace {
        try run("/bin/cp", "\(path).\(copy)", path)
      } else {
        try run("/bin/mv", "\(path).\(copy)", path)
      }
      if !keepsIndex { try FileManager.default.removeItem(atPath: path + "-shm") }
    }
  }

  @Test func aCopyOverTheFileOfAKilledProcessIsNeverCombinedWithItsLog() async throws {
    let folder = directory.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
      var caches: [LayoutCache] = []
      for replacement in Replacement.all {
        let path = "\(folder)/\(replacement)"
        try Self.make(path)
        if replacement.copy == .closedFile {
          try run("/bin/cp", path, "\(path).closedFile")
          // Until there is another log, the file is the same as the copy.
          let cache = try LayoutCache(path: path)
          try Self.commit(cache)
          try cache.close()
        }
        let cache = try LayoutCache(path: path)
        try Self.commit(cache)
        if replacement.copy != .closedFile { try replacement.copy.make(of: path, cache) }
        for _ in 0..<2 { try Self.commit(cache) }
        caches.append(cache)
      }
      kill(getpid(), SIGKILL)
    }
    for replacement in Replacement.all {
      let path = "\(folder)/\(replacement)"
      try replacement.apply(to: path)
      let files = { try ["", "-wal"].map { try Data(contentsOf: URL(filePath: path + $0)) } }
      let before = try files()
      let results = Results<Int>()
      try Threads.start(replacement.openerCount) { _ in
        results.add(Result { try Self.revision(at: path) })
      }.join()
      for result in results.all {
        #expect(throws: LayoutCacheError.self, "\(replacement): \(result)") { try result.get() }
      }
      #expect(try files() == before, "\(replacement)")
      try LayoutCache.restore(from: path + ".kept", to: path)
      #expect(try Self.revision(at: path) == replacement.copy.revision, "\(replacement)")
      let cache = try LayoutCache(path: path)
      #expect(try Self.commit(cache) == replacement.copy.revision + 1)
      try cache.close()
      let kept = try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasPrefix("\(replacement).damaged-") }
      #expect(kept.count == 2, "\(replacement): \(kept)")
    }
  }

  /// Without a replacement, the log of a killed process belongs to its file, also when both are
  /// copied to another folder; a restore includes it.
  @Test func theLogOfAKilledProcessIsReadWithItsFile() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      try Self.make(path)
      let cache = try LayoutCache(path: path)
      for _ in 0..<3 { try Self.commit(cache) }
      kill(getpid(), SIGKILL)
    }
    let moved = directory.path(of: "moved")
    for end in ["", "-wal"] { try run("/bin/cp", path + end, moved + end) }
    // Two at once may open it there: the second one waits for the first.
    for number in 0..<20 {
      let copy = directory.path(of: "copied-\(number)")
      for end in ["", "-wal"] { try run("/bin/cp", path + end, copy + end) }
      let results = Results<Int>()
      try Threads.start(2) { _ in
        results.add(Result { try Self.revision(at: copy) })
      }.join()
      for result in results.all { #expect(try result.get() == 5) }
    }
    try LayoutCache.restore(from: path, to: directory.path(of: "restored"))
    #expect(try Self.revision(at: directory.path(of: "restored")) == 5)
    #expect(try Self.revision(at: path) == 5)
    // It can be killed there too.
    await #expect(processExitsWith: .signal(SIGKILL)) { [moved = moved as String] in
      try #require(try LayoutCache(path: moved).dataset("feed").revision == 5)
      kill(getpid(), SIGKILL)
    }
    #expect(try Self.revision(at: moved) == 5)
    try LayoutCache.restore(from: path, to: moved)
    #expect(try Self.revision(at: moved) == 5)
  }

  /// SQLite would delete the log next to an empty file.
  @Test func aLogWithoutItsFileIsKept() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      try Self.make(path)
      let cache = try LayoutCache(path: path)
      try cache.backup(to: path + ".backup")
      try Self.commit(cache)
      kill(getpid(), SIGKILL)
    }
    try FileManager.default.removeItem(atPath: path)
    let log = try Data(contentsOf: URL(filePath: path + "-wal"))
    #expect(throws: LayoutCacheError.self) { try LayoutCache(path: path) }
    #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == log)
    try LayoutCache.restore(from: path + ".backup", to: path)
    #expect(try Self.revision(at: path) == 2)
  }

  /// SQLite would play a rollback journal back into the restored copy.
  @Test(arguments: [false, true])
  func aJournalWithoutItsFileIsSetAside(isFileEmpty: Bool) throws {
    try Self.make(path)
    let cache = try LayoutCache(path: path)
    try cache.backup(to: path + ".backup")
    try cache.close()
    let other = directory.path(of: "other")
    let db = try RawDatabase(path: other)
    try db.execute(
      """
      PRAGMA cache_size = 1;
      CREATE TABLE t (a);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO t SELECT randomblob(900) FROM n;
      BEGIN;
      UPDATE t SET a = randomblob(900);
      """)
    try run("/bin/cp", other + "-journal", path + "-journal")
    try db.execute("ROLLBACK")
    try FileManager.default.removeItem(atPath: path)
    if isFileEmpty { try Data().write(to: URL(filePath: path)) }
    try LayoutCache.restore(from: path + ".backup", to: path)
    #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
    #expect(try Self.revision(at: path) == 2)
  }

  // MARK: Logs and names

  enum LogChange: String, Codable, CaseIterable, Sendable {
    case removed, replaced, fileRemoved

    func apply(to path: String) {
      switch self {
      case .removed: unlink(path + "-wal")
      case .replaced: rename(path + ".other", path + "-wal")
      case .fileRemoved: unlink(path)
      }
    }
  }

  @Test(arguments: LogChange.allCases)
  func aCommitWhoseLogIsRemovedHasAnUnknownOutcome(change: LogChange) async throws {
    await #expect(processExitsWith: .success) {
      [path = path as String, change = change as LogChange] in
      try Self.make(path)
      let disk = FailingDisk()
      var options = LayoutCacheOptions()
      options.durability = .power
      let cache = try LayoutCache(path: path, options: options)
      try Self.commit(cache)
      try Data([1, 2, 3]).write(to: URL(filePath: path + ".other"))
      // A commit is synced after the checks that precede it.
      disk.beforeSync { change.apply(to: path) }
      precondition(throws: .busy) { try Self.commit(cache) }
      precondition(throws: .inputOutput) { try Self.commit(cache) }
    }
  }

  @Test func aSecondNameOfAnOpenFileIsRejected() async throws {
    try Self.make(path)
    let second = directory.path(of: "second")
    #expect(link(path, second) == 0)
    let owner = try LayoutCache(path: path)
    try Self.commit(owner)
    #expect(throws: LayoutCacheError.self) { try LayoutCache(path: second) }
    await #expect(processExitsWith: .success) {
      [path = path as String, second = second as String] in
      precondition(throws: .inputOutput) { try LayoutCache(path: second) }
      // The name that is in use.
      try Self.commit(LayoutCache(path: path))
    }
    #expect(try Self.commit(owner) == 5)
    try owner.close()
    #expect(try Self.revision(at: second) == 5)
  }

  // MARK: Failing calls

  @Test(arguments: [EMFILE, EIO])
  func aFailingOpenIsTriedAgain(error: Int32) async throws {
    await #expect(processExitsWith: .success) {
      [path = path as String, error = error as Int32] in
      try Self.make(path)
      let disk = FailingDisk()
      var (number, failures, hasFailed) = (1, 0, true)
      while hasFailed {
        disk.fail(.open, number: number, with: error)
        let first = Result { try LayoutCache(path: path) }
        let change = Result { try Self.commit(first.get()) }
        hasFailed = disk.heal()
        if case .failure(let found) = change {
          failures += 1
          guard let found = found as? LayoutCacheError else { fatalError("\(found)") }
          precondition(found.category == .inputOutput && !found.isReadOnly, "\(number): \(found)")
        }
        let cache = try (try? first.get()) ?? LayoutCache(path: path)
        precondition(!cache.isReadOnly, "\(number)")
        try Self.commit(cache)
        try cache.checkFile()
        try cache.close()
        number += 1
      }
      precondition(failures >= 2, "\(failures) of \(number)")
    }
  }

  // MARK: Restoring

  @Test func aRestoreReplacesOnlyADatabaseThatIsNotOpen() throws {
    try Self.make(path)
    let backup = directory.path(of: "backup")
    let cache = try LayoutCache(path: path)
    try cache.backup(to: backup)
    try Self.commit(cache)
    let before = try Data(contentsOf: URL(filePath: backup))
    precondition(throws: .busy) { try LayoutCache.restore(from: backup, to: path) }
    precondition(throws: .usage) { try LayoutCache.restore(from: path, to: path) }
    precondition(throws: .notFound) { try LayoutCache.restore(from: path + ".none", to: path) }
    try cache.close()
    let text = directory.path(of: "text")
    try Data("no database".utf8).write(to: URL(filePath: text))
    precondition(throws: .corrupt) { try LayoutCache.restore(from: text, to: path) }
    #expect(try Self.revision(at: path) == 3)
    // Through a link, which stays.
    let link = directory.path(of: "link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let bytes = try LayoutCache.restore(from: backup, to: link)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int == bytes)
    #expect(try Self.revision(at: path) == 2)
    // A file of another kind is kept.
    try LayoutCache.restore(from: backup, to: text)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(names.count { $0.hasPrefix("text.damaged-") } == 1)
    #expect(!names.contains { $0.hasSuffix("-partial") || $0.hasSuffix("-wal") }, "\(names)")
    #expect(try Data(contentsOf: URL(filePath: backup)) == before)
  }
}

/// Checks that `body` throws an error of a category.
private func precondition<R>(throws category: LayoutCacheError.Category, _ body: () throws -> R) {
  do {
    let result = try body()
    fatalError("no error, but \(result)")
  } catch {
    let found = (error as? LayoutCacheError)?.category
    precondition(found == category, "\(error)")
  }
}

private func run(_ program: String, _ arguments: String...) throws {
  let process = Process()
  process.executableURL = URL(filePath: program)
  process.arguments = arguments
  try process.run()
  process.waitUntilExit()
  precondition(process.terminationStatus == 0, "\(program) \(arguments)")
}

/// Copies a database page by page, as `.backup` of SQLite's shell does.
private func copyPages(of path: String, to copy: String) throws {
  var (source, target): (OpaquePointer?, OpaquePointer?)
  precondition(sqlite3_open(path, &source) == SQLITE_OK && sqlite3_open(copy, &target) == SQLITE_OK)
  let backup = sqlite3_backup_init(target, "main", source, "main")
  precondition(sqlite3_backup_step(backup, -1) == SQLITE_DONE)
  precondition(sqlite3_backup_finish(backup) == SQLITE_OK)
  sqlite3_close(target)
  sqlite3_close(source)
}

private final class Results<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var results: [Result<Value, any Error>] = []

  var all: [Result<Value, any Error>] { lock.withLock { results } }

  func add(_ result: Result<Value, any Error>) { lock.withLock { results.append(result) } }
}
