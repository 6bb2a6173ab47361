import Foundation
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: a file is deleted, moved, replaced by a backup or overwritten while caches have it
// open, in this process or in another, which may be killed; then the path is opened again.
//
// Invariants: no change is acknowledged afterwards; the error gives the reason, and says that
// nothing was changed. If the previous write-ahead log remains, the file at the path is not opened
// until a backup is restored: nothing of that log reaches it. A file that was only moved has every
// acknowledged change.

@Suite struct ReplacedFileTests {
  enum Way: String, Codable, CaseIterable, Sendable {
    case deleted, moved, backupMovedOver, backupCopiedOver, otherCopiedOver, olderCopiedOver
    case logDeleted

    var isReplacement: Bool { ![.deleted, .moved, .logDeleted].contains(self) }

    /// The revision of the dataset at the path afterwards; `nil` without a file.
    func revision(acknowledged: Int) -> Int? {
      switch self {
      case .deleted, .moved: nil
      case .backupMovedOver, .backupCopiedOver: 2
      case .otherCopiedOver: 1
      case .olderCopiedOver: 2
      case .logDeleted: acknowledged
      }
    }

    /// Applies the change to the file at a path; see ``ReplacedFileTests/make(in:)`` for the
    /// others.
    func apply(to path: String) throws {
      switch self {
      case .deleted: try FileManager.default.removeItem(atPath: path)
      case .moved: try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
      case .backupMovedOver: try Self.rename(path + ".backup", to: path)
      case .backupCopiedOver: try Self.copy(path + ".backup", over: path)
      case .otherCopiedOver: try Self.copy(path + ".other", over: path)
      case .olderCopiedOver: try Self.copy(path + ".older", over: path)
      case .logDeleted: try FileManager.default.removeItem(atPath: path + "-wal")
      }
    }

    private static func rename(_ file: String, to path: String) throws {
      if Foundation.rename(file, path) != 0 { throw POSIXError(.EIO) }
    }

    /// The file remains, with other content. Another process writes it: closing a file releases
    /// all locks that a process has on it.
    private static func copy(_ file: String, over path: String) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/cp")
      process.arguments = [file, path]
      try process.run()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
    }
  }

  private let directory: TemporaryDirectory
  private var path: String { directory.path(of: "feed.sqlite") }

  init() throws {
    directory = try TemporaryDirectory()
    try Self.make(at: path)
  }

  /// Creates a database at revision 2, a backup of it, a plain copy of it, and another database.
  private static func make(at path: String) throws {
    let cache = try LayoutCache(path: path)
    try cache.createDataset("feed")
    try commit(cache)
    _ = try cache.backup(to: path + ".backup")
    try cache.close()
    try FileManager.default.copyItem(atPath: path, toPath: path + ".older")
    let other = try LayoutCache(path: path + ".other")
    try other.createDataset("feed")
    try other.close()
  }

  private static func commit(_ cache: LayoutCache, items: Int = 1) throws {
    let revision = try cache.dataset("feed").revision
    try cache.update(
      "feed",
      with: (revision == 1 ? [.insertSection(key: "s")] : []) + [
        .insert(
          try (0..<items).map { try Item(key: "\(revision)-\($0)", width: 1, height: 1) },
          at: .end(section: "s"))
      ])
  }

  /// A change without a prior read: reading a file with other content may find damage.
  private static func commitBlindly(_ cache: LayoutCache) throws {
    try cache.update("feed", with: [.insertSection(key: "refused")])
  }

  private func expectRefusal(_ body: () throws -> Void, _ comment: Comment) {
    let error = #expect(throws: LayoutCacheError.self, comment) { try body() }
    guard case .fileReplaced(let path, let reason) = error?.code else {
      Issue.record("\(String(describing: error)), \(comment)")
      return
    }
    #expect(path == self.path && !reason.isEmpty, comment)
    #expect(error?.category == .inputOutput, comment)
  }

  /// Compares the file at the path with the replacement.
  private func expectState(_ way: Way, acknowledged: Int) throws {
    let opened = way == .moved ? path + ".moved" : path
    let revision = way == .moved ? acknowledged : way.revision(acknowledged: acknowledged)
    guard let revision else {
      #expect(!FileManager.default.fileExists(atPath: path), "\(way)")
      return
    }
    let log = try? FileManager.default.attributesOfItem(atPath: opened + "-wal")[.size] as? Int
    if way.isReplacement, log ?? 0 > 0 {
      let error = #expect(throws: LayoutCacheError.self) { try LayoutCache(path: opened) }
      #expect("\(String(describing: error))".contains("layoutcache restore"), "\(way)")
      try LayoutCache.restore(
        from: path + (way == .otherCopiedOver ? ".other" : ".older"), to: path)
    }
    let cache = try LayoutCache(path: opened)
    #expect(try cache.dataset("feed").revision == revision, "\(way)")
    #expect(try cache.verify().problems.isEmpty, "\(way)")
    try Self.commit(cache)
    try cache.checkFile()
    try cache.close()
    let again = try LayoutCache(path: opened)
    #expect(try again.dataset("feed").revision == revision + 1, "\(way)")
    #expect(try again.verify().problems.isEmpty, "\(way)")
    try again.close()
  }

  @Test(arguments: Way.allCases, [0, 1, 3])
  func changesToAReplacedFileAreRejectedAndDoNotReachIt(way: Way, commits: Int) throws {
    let (cache, other) = (try LayoutCache(path: path), try LayoutCache(path: path))
    // The second has opened connections of every kind, or none.
    if commits == 3 { try other.setLayout(LayoutID("a", of: "feed"), to: Self.configuration) }
    for _ in 0..<commits { try Self.commit(cache, items: 500) }
    if commits == 3 { try cache.checkpoint() }
    try cache.checkFile()
    if way == .olderCopiedOver {
      // Its change counter is lower once pages were moved into the file.
      if commits == 0 { return }
      _ = try cache.compact()
      try cache.checkFile()
      try other.checkFile()
    }
    try way.apply(to: path)
    for cache in [cache, other] {
      expectRefusal({ try Self.commitBlindly(cache) }, "\(way) update")
      expectRefusal({ try cache.createDataset("new") }, "\(way) create")
      expectRefusal({ try cache.removeDataset("feed") }, "\(way) remove")
      expectRefusal({ try cache.checkFile() }, "\(way) check")
      expectRefusal({ _ = try cache.compact() }, "\(way) compact")
      let error = #expect(throws: LayoutCacheError.self) { try Self.commitBlindly(cache) }
      #expect(error?.description.hasSuffix("open it again; nothing was changed") == true)
      // The content of the open file can still be read, unless it was overwritten.
      if [.backupCopiedOver, .otherCopiedOver, .olderCopiedOver].contains(way) { continue }
      #expect(try cache.dataset("feed").revision == 2 + commits, "\(way)")
    }
    try cache.close()
    try other.close()
    expectRefusalAfterClose(cache)
    try expectState(way, acknowledged: 2 + commits)
  }

  private func expectRefusalAfterClose(_ cache: LayoutCache) {
    let error = #expect(throws: LayoutCacheError.self) { try cache.checkFile() }
    guard case .closed = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  private static var configuration: LayoutConfiguration {
    get throws { try ConfigurationText.decode(#"{"container":{"width":300}}"#) }
  }

  @Test func aFileMovedBackCanBeUsedAgain() throws {
    let cache = try LayoutCache(path: path)
    try Way.moved.apply(to: path)
    expectRefusal({ try Self.commit(cache) }, "moved")
    try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
    try Self.commit(cache)
    try cache.checkFile()
    #expect(try cache.dataset("feed").revision == 3)
  }

  @Test func anotherProcessIsToldOfTheReplacedFile() async throws {
    let old = try LayoutCache(path: path)
    try Self.commit(old)
    try Way.backupMovedOver.apply(to: path)
    await #expect(processExitsWith: .success) { [path = path as String] in
      let error = #expect(throws: LayoutCacheError.self) { try LayoutCache(path: path) }
      guard case .database(.inputOutput, let message) = error?.code,
        message.contains("previous file at this path")
      else { exit(1) }
    }
    expectRefusal({ try Self.commit(old) }, "the old one")
    // This process would lose the index that it has mapped.
    #expect(throws: LayoutCacheError.self) { try LayoutCache(path: path) }
    #expect(try old.dataset("feed").revision == 3)
    try old.close()
    try expectState(.backupMovedOver, acknowledged: 3)
  }

  @Test func anotherProcessRejectsABackupCopiedOverAnOpenFile() async throws {
    let old = try LayoutCache(path: path)
    try Self.commit(old)
    try Way.backupCopiedOver.apply(to: path)
    await #expect(processExitsWith: .success) { [path = path as String] in
      var options = LayoutCacheOptions()
      options.busyTimeout = 0.2
      let error = #expect(throws: LayoutCacheError.self) {
        try LayoutCache(path: path, options: options)
      }
      guard case .database(.inputOutput, _) = error?.code else { exit(1) }
    }
    try old.close()
    try expectState(.backupCopiedOver, acknowledged: 3)
  }

  @Test(arguments: [Way.backupMovedOver, .backupCopiedOver])
  func theLogOfAKilledProcessIsNotAppliedToABackup(way: Way) async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let cache = try LayoutCache(path: path)
      for _ in 0..<3 { try Self.commit(cache, items: 300) }
      kill(getpid(), SIGKILL)
    }
    #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    try way.apply(to: path)
    try expectState(way, acknowledged: 5)
  }

  @Test func aRelativePathIsTheSameFileFromAnotherFolder() async throws {
    await #expect(processExitsWith: .success) {
      [folder = directory.path as String] in
      try #require(FileManager.default.changeCurrentDirectoryPath(folder))
      let cache = try LayoutCache(path: "feed.sqlite")
      try #require(FileManager.default.changeCurrentDirectoryPath("/"))
      try cache.checkFile()
    }
  }

  @Test func aRedirectedSymbolicLinkIsDetected() throws {
    let link = directory.path(of: "link.sqlite")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let cache = try LayoutCache(path: link)
    try Self.commit(cache)
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path + ".other")
    let error = #expect(throws: LayoutCacheError.self) { try Self.commit(cache) }
    guard case .fileReplaced = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    try cache.close()
    // The link's former target has every change.
    #expect(try LayoutCache(path: path).dataset("feed").revision == 3)
  }

  @Test func checkpointsOfTwoCachesAreNotAReplacement() throws {
    let caches = [try LayoutCache(path: path), try LayoutCache(path: path)]
    for step in 0..<60 {
      try Self.commit(caches[step % 2], items: 50)
      if step % 5 == 0 { try caches[(step / 5) % 2].checkpoint() }
      if step % 7 == 0 { _ = try caches[(step / 7) % 2].compact() }
      for cache in caches { try cache.checkFile() }
    }
    #expect(try caches[0].dataset("feed").revision == 62)
  }
}
