import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: a backup is created during writes, of files that can't be written, and twice in a row;
// copies are opened by several caches at a time. `WorldTests` has failing disks.
//
// Invariants: a copy is whole, holds one committed state, and is the only new file; or there is
// none. It gives the original's answers under different incarnations, which are created once
// and differ between two copies of one copy.

@Suite struct BackupTests {
  private static let phone = LayoutID("layout", of: "feed")
  private static let configuration =
    #"{"container":{"width":300},"section":{"kind":"waterfall","columns":3,"header":20}}"#

  /// A dataset with a prepared layout, and one without layouts.
  private func feed(count: Int = 60) throws -> TestFeed {
    let feed = try TestFeed(
      [.mixed("s", count: count), .mixed("t", count: 20)], configuration: Self.configuration)
    try feed.cache.prepare(Self.phone)
    try feed.cache.createDataset("empty")
    return feed
  }

  private func files(in directory: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path)
      .filter { !$0.hasPrefix("feed.sqlite") }.sorted()
  }

  private static func resize(_ height: Int) throws -> BatchOperation {
    .resize(key: "s-0", size: try Item(key: "any", width: 10, height: Double(height)).size)
  }

  /// The incarnations of the datasets, and of the results.
  private func incarnations(_ path: String) throws -> [Int64] {
    let db = try RawDatabase(path: path)
    return try ["datasets", "layouts WHERE space IS NOT NULL"].flatMap {
      try db.rows("SELECT incarnation FROM \($0)").compactMap(\.first?.number)
    }
  }

  /// The incarnation of the copy's answers.
  private func incarnation(_ path: String) throws -> Incarnation {
    try LayoutCache(path: path).read(Self.phone) { $0.incarnation }
  }

  /// Commits a change, which makes a copy a separate database.
  private func write(to path: String) throws {
    let cache = try LayoutCache(path: path)
    try cache.update("feed", with: [Self.resize(.random(in: 1...9_999))])
    try cache.close()
  }

  @Test func aCopyHoldsEverythingUnderDifferentIncarnations() throws {
    let feed = try feed()
    // Changes that only the log holds are copied too.
    try feed.cache.update("feed", with: [.mark(source: "orders", position: "7"), Self.resize(55)])
    let path = feed.directory.path(of: "copy.sqlite")
    let bytes = try feed.cache.backup(to: path)
    #expect(try files(in: feed.directory) == ["copy.sqlite"])
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    #expect(size == bytes)
    #expect(try incarnations(path) == incarnations(feed.path))
    let copy = try LayoutCache(path: path)
    let everything = Rect(x: .zero, y: .zero, width: .points(300), height: .points(1_000_000))
    let (here, there) = (
      try feed.read { ($0.incarnation, try $0.elements(in: everything).elements) },
      try copy.read(Self.phone) { ($0.incarnation, try $0.elements(in: everything).elements) }
    )
    #expect(here.1 == there.1)
    #expect(try copy.datasets().map(\.revision) == feed.cache.datasets().map(\.revision))
    #expect(try copy.datasets().map(\.marks) == feed.cache.datasets().map(\.marks))
    #expect(try copy.verify().problems == [])
    try copy.close()
    // Reading does not change the copy.
    #expect(try incarnations(path) == incarnations(feed.path))
    #expect(there.0 != here.0)
    try write(to: path)
    let (old, new) = (try incarnations(feed.path), try incarnations(path))
    #expect(old.count == 3 && new.count == 3)
    #expect(Set(old).isDisjoint(with: new))
    // They are created once, and the original keeps its incarnations.
    try write(to: path)
    #expect(try incarnations(path) == new)
    #expect(try feed.read(\.incarnation) == here.0)
  }

  @Test func twoCopiesOfOneBackupAreDifferentDatabases() throws {
    let feed = try feed()
    let path = feed.directory.path(of: "copy.sqlite")
    try feed.cache.backup(to: path)
    let paths = ["first", "second"].map { feed.directory.path(of: $0) }
    for copy in paths { try FileManager.default.copyItem(atPath: path, toPath: copy) }
    for copy in paths { try write(to: copy) }
    // A backup of an open copy, and of one that was never opened.
    try LayoutCache(path: paths[0]).backup(to: feed.directory.path(of: "third"))
    let all = try [path, paths[0], paths[1]].map { try incarnations($0) }
    #expect(Set(all.joined()).count == 9)
    #expect(try incarnations(feed.directory.path(of: "third")) == all[1])
  }

  @Test func theFirstCacheToOpenACopyNamesItForAll() throws {
    let feed = try feed()
    for round in 0..<8 {
      let path = feed.directory.path(of: "copy\(round)")
      try feed.cache.backup(to: path)
      let found = Mutex<Set<Incarnation>>([])
      let meeting = Meeting(of: 4)
      try Threads.start(4) { _ in
        try meeting.join()
        let cache = try LayoutCache(path: path)
        let incarnation = try cache.read(Self.phone) { $0.incarnation }
        found.withLock { _ = $0.insert(incarnation) }
      }.join()
      #expect(found.withLock { $0.count } == 1)
      let own = try feed.read(\.incarnation)
      #expect(found.withLock { $0.first } != own)
    }
  }

  @Test func anotherProcessNamesTheCopyAlsoForThisProcess() async throws {
    let feed = try feed()
    let path = feed.directory.path(of: "copy")
    try feed.cache.backup(to: path)
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let cache = try LayoutCache(path: path)
      let incarnation = try cache.read(LayoutID("layout", of: "feed"), { $0.incarnation })
      try incarnation.rawValue.write(toFile: path + ".seen", atomically: true, encoding: .utf8)
      // Kills the process: the incarnation that it has reported must persist.
      kill(getpid(), SIGKILL)
    }
    let seen = try String(contentsOfFile: path + ".seen", encoding: .utf8)
    #expect(try incarnation(path).rawValue == seen)
  }

  @Test func aBackupDuringWritesIsOneCommittedState() throws {
    let feed = try feed(count: 3000)
    let (cache, path) = (feed.cache, feed.path)
    let goesOn = Mutex(true)
    let writers = Threads.start(2) { number in
      let own = number == 0 ? cache : try LayoutCache(path: path)
      while goesOn.withLock({ $0 }) {
        let height = Int.random(in: 1...900)
        try own.update(
          "feed", with: [Self.resize(height), .mark(source: "it", position: "\(height)")])
      }
    }
    // Also if the test fails.
    defer { goesOn.withLock { $0 = false } }
    var last = 0
    for round in 0..<4 {
      let copied = feed.directory.path(of: "copy\(round)")
      try cache.backup(to: copied)
      let copy = try LayoutCache(path: copied)
      #expect(try copy.verify().problems == [])
      let dataset = try #require(try copy.datasets().first { $0.name == "feed" })
      let item = try #require(try copy.item(forKey: "s-0", of: "feed")).item
      if let mark = dataset.marks.first { #expect("\(item.size.height)" == mark.position) }
      #expect(dataset.revision >= last)
      last = dataset.revision
    }
    #expect(last > 1)
    goesOn.withLock { $0 = false }
    try writers.join()
  }

  @Test func existingFilesAreNotOverwritten() throws {
    let feed = try feed()
    for name in ["copy", "copy-partial"] {
      let path = feed.directory.path(of: name)
      try "mine".write(toFile: path, atomically: true, encoding: .utf8)
      let error = #expect(throws: LayoutCacheError.self) {
        try feed.cache.backup(to: feed.directory.path(of: "copy"))
      }
      #expect(error?.category == (name == "copy" ? .usage : .inputOutput))
      #expect(error.map { "\($0)".contains(name) } == true)
      #expect(try files(in: feed.directory) == [name])
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
      try FileManager.default.removeItem(atPath: path)
    }
    let missing = feed.directory.path(of: "none/copy")
    let error = #expect(throws: LayoutCacheError.self) { try feed.cache.backup(to: missing) }
    #expect(error?.category == .inputOutput)
    // A dangling link counts as an existing file.
    let link = feed.directory.path(of: "link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: missing)
    #expect(throws: LayoutCacheError.self) { try feed.cache.backup(to: link) }
    #expect(try files(in: feed.directory) == ["link"])
  }

  @Test func theProgressHandlerCanCancelABackup() throws {
    struct Enough: Error {}
    let feed = try feed(count: 20_000)
    let path = feed.directory.path(of: "copy")
    #expect(throws: Enough.self) { try feed.cache.backup(to: path) { _, _ in throw Enough() } }
    #expect(try files(in: feed.directory) == [])
    var steps: [(Int, Int)] = []
    let bytes = try feed.cache.backup(to: path) { steps.append(($0, $1)) }
    #expect(steps.count > 3)
    #expect(steps.map(\.0) == steps.map(\.0).sorted())
    #expect(steps.allSatisfy { $0.0 <= $0.1 && $0.1 == steps[0].1 })
    #expect(steps.contains { $0.0 > 0 } && abs(steps[0].1 - bytes) < bytes / 4)
  }

  @Test func aBackupNeedsOnlyReadPermission() async throws {
    let feed = try feed()
    try feed.cache.update("feed", with: [Self.resize(77)])
    let (path, folder) = (feed.path, feed.directory.path)
    // A copy that can't be written keeps its mark; the process uses incarnations that only it has.
    try feed.cache.backup(to: "\(folder)/marked")
    for name in ["feed.sqlite", "feed.sqlite-wal", "feed.sqlite-shm", "marked"] {
      chmod("\(folder)/\(name)", 0o444)
    }
    chmod(folder, 0o777)
    let known = try feed.read(\.incarnation)
    await #expect(processExitsWith: .success) {
      [path = path as String, folder = folder as String, known = known as Incarnation] in
      if geteuid() == 0 { precondition(seteuid(65534) == 0) }
      let cache = try LayoutCache(path: path)
      do {
        _ = try cache.createDataset("more")
        fatalError("the file can be written")
      } catch let error as LayoutCacheError where error.category == .inputOutput {}
      try cache.backup(to: "\(folder)/copy")
      let marked = try LayoutCache(path: "\(folder)/marked")
      let incarnations = try (1...2).map { _ in
        try marked.read(LayoutID("layout", of: "feed"), { $0.incarnation })
      }
      precondition(incarnations[0] == incarnations[1] && incarnations[0] != known)
    }
    let copy = try LayoutCache(path: "\(folder)/copy")
    #expect(try copy.verify().problems == [])
    #expect(try copy.datasets().map(\.revision) == feed.cache.datasets().map(\.revision))
    chmod("\(folder)/marked", 0o666)
    #expect(try incarnation("\(folder)/marked") != known)
  }

  @Test func aCopyWithADamagedRowCanBeOpened() throws {
    let feed = try feed()
    let path = feed.directory.path(of: "copy")
    try feed.cache.backup(to: path)
    let before = try incarnations(path)
    try RawDatabase(path: path).execute("UPDATE datasets SET item_count = 3 WHERE name = 'empty'")
    let copy = try LayoutCache(path: path)
    #expect(try copy.verify().problems.count == 1)
    try copy.close()
    try write(to: path)
    let after = try incarnations(path)
    #expect(zip(before, after).count { $0 == $1 } == 1)
  }
}
