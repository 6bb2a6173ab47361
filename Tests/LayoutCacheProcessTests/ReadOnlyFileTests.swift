import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: a process without permission to write a database, or files next to it, opens the
// database in each state in which a process that can write may leave it.
//
// Invariants: its answers are those of the original, and nothing in the folder changes. Changes
// fail, and so do queries of layouts that have no result. Those of a copy have one incarnation in all
// processes; for other databases, unless another process may write the same one, the incarnations
// are those of no other process.

@Suite struct ReadOnlyFileTests {
  private static let phone = LayoutID("layout", of: "feed")
  private static let configuration = #"{"container":{"width":300},"section":{"columns":3}}"#
  private static let everything = Rect(
    x: .zero, y: .zero, width: .points(300), height: .points(1_000_000))

  /// The state of the database's files.
  enum State: String, CaseIterable, Sendable, Codable {
    /// Closed by its last process.
    case closed
    /// Closed, with an empty write-ahead log that has no index.
    case emptyLog
    /// A backup that no process has opened.
    case backup
    /// In use by another process.
    case open
    /// Left by a killed process, with a write-ahead log and its index.
    case killed

    /// Whether the log is read, so that answers agree with those of the processes that write.
    var hasLog: Bool { self == .open || self == .killed }
  }

  enum Denied: String, CaseIterable, Sendable, Codable {
    case file, folder, both
  }

  private func feed() throws -> TestFeed {
    let feed = try TestFeed(
      [.mixed("s", count: 60), .mixed("t", count: 20)], configuration: Self.configuration)
    try feed.cache.prepare(Self.phone)
    try feed.cache.setLayout(
      LayoutID("cold", of: "feed"), to: ConfigurationText.decode(Self.configuration))
    try feed.cache.setLayout(
      LayoutID("any", of: "feed"),
      to: ConfigurationText.decode(
        Self.configuration.replacing("\"width\":300", with: "\"widths\":{}")))
    try feed.cache.update(
      "feed", with: [.resize(key: "s-0", size: Item(key: "any", width: 10, height: 33).size)])
    return feed
  }

  /// Puts a database of a state at a path.
  ///
  /// - Parameter feed: The database of this process, which is open.
  private func put(_ state: State, of feed: TestFeed, at path: String) throws {
    let files = FileManager.default
    switch state {
    case .closed, .emptyLog:
      try feed.cache.backup(to: path)
      // Makes the copy a database.
      let copy = try LayoutCache(path: path)
      try copy.createDataset("made")
      try copy.close()
      if state == .emptyLog { #expect(files.createFile(atPath: path + "-wal", contents: nil)) }
    case .backup: try feed.cache.backup(to: path)
    case .open, .killed:
      for end in ["", "-wal", "-shm"] {
        try files.copyItem(atPath: feed.path + end, toPath: path + end)
      }
    }
  }

  /// The permission that a process lacks, and the expected message.
  enum Missing: String, CaseIterable, Sendable, Codable {
    case readingFile, searchingFolder, creatingFile

    var reason: String {
      switch self {
      case .readingFile: "permission denied: this user may not read the file"
      case .searchingFolder: "permission denied: this user may not search a folder of the path"
      case .creatingFile: "permission denied: this user may not create files in /"
      }
    }
  }

  @Test(arguments: Missing.allCases)
  func missingPermissionsAreNamed(missing: Missing) async throws {
    let feed = try feed()
    let shelf = feed.directory.path(of: "shelf")
    try FileManager.default.createDirectory(atPath: shelf, withIntermediateDirectories: false)
    let path = "\(shelf)/feed.sqlite"
    if missing != .creatingFile { try feed.cache.backup(to: path) }
    if missing == .readingFile { chmod(path, 0o000) }
    chmod(feed.directory.path, 0o777)
    chmod(shelf, missing == .searchingFolder ? 0o600 : missing == .creatingFile ? 0o555 : 0o777)
    defer { chmod(shelf, 0o777) }
    await #expect(processExitsWith: .success) {
      [path = path as String, missing = missing as Missing] in
      if geteuid() == 0 { precondition(seteuid(65534) == 0) }
      do {
        _ = try LayoutCache(path: path)
        preconditionFailure("the database was opened")
      } catch let error as LayoutCacheError {
        precondition(error.category == .inputOutput, "\(error)")
        precondition(
          error.description.hasPrefix("cannot open \(path): \(missing.reason)"), "\(error)")
      }
    }
  }

  @Test(arguments: State.allCases, Denied.allCases)
  func aReadOnlyDatabaseAnswersAndRejectsChanges(state: State, denied: Denied) async throws {
    let feed = try feed()
    let files = FileManager.default
    let (shelf, notes) = (feed.directory.path(of: "shelf"), feed.directory.path(of: "notes"))
    for folder in [shelf, notes] {
      try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }
    let path = "\(shelf)/feed.sqlite"
    try put(state, of: feed, at: path)
    let writer = state == .open ? try LayoutCache(path: path) : nil
    let original = try writer.map { try $0.read(Self.phone) { $0.incarnation } }
    let names = try files.contentsOfDirectory(atPath: shelf)
    for name in names { chmod("\(shelf)/\(name)", denied == .folder ? 0o666 : 0o444) }
    chmod(shelf, denied == .file ? 0o777 : 0o555)
    for folder in [notes, feed.directory.path] { chmod(folder, 0o777) }
    // As root, for the files of this process.
    defer { chmod(shelf, 0o777) }
    let expected = try feed.read {
      try $0.elements(in: Self.everything).elements.map(\.frame.minY.units)
    }
    let content = files.contents(atPath: path)
    // A file that can be written next to a log that can be written is not read-only.
    if denied == .folder, state.hasLog { return }
    for number in 1...2 {
      let note = "\(notes)/\(number)"
      await #expect(processExitsWith: .success) {
        [path = path as String, note = note as String, expected = expected as [Int64]] in
        if geteuid() == 0 { precondition(seteuid(65534) == 0) }
        try Self.read(path, expecting: expected, writingIncarnationTo: note)
      }
    }
    #expect(files.contents(atPath: path) == content)
    if denied != .file {
      #expect(try files.contentsOfDirectory(atPath: shelf).sorted() == names.sorted())
    }
    let found = try (1...2).map {
      String(decoding: try #require(files.contents(atPath: "\(notes)/\($0)")), as: UTF8.self)
    }
    let isShared =
      state.hasLog || state == .backup || state == .closed && denied == .file
      || state == .emptyLog && denied == .file
    #expect((found[0] == found[1]) == isShared)
    if let original { #expect(found[0] == original.rawValue) }
    try writer?.close()
  }

  /// Reads a database that this process cannot write.
  private static func read(
    _ path: String, expecting expected: [Int64], writingIncarnationTo note: String
  ) throws {
    let cache = try LayoutCache(path: path)
    precondition(cache.isReadOnly, "the cache can write")
    for _ in 1...2 {
      let (incarnation, found) = try cache.read(phone) {
        ($0.incarnation, try $0.elements(in: everything).elements.map(\.frame.minY.units))
      }
      precondition(found == expected, "\(found)")
      try incarnation.rawValue.write(toFile: note, atomically: false, encoding: .utf8)
    }
    for change in [
      { _ = try cache.createDataset("more") },
      { _ = try cache.update("feed", with: [.delete(keys: ["s-1"])]) },
      { try cache.removeDataset("feed") },
    ] {
      do {
        try change()
        fatalError("the file can be written")
      } catch let error as LayoutCacheError {
        precondition(error.category == .inputOutput && error.isReadOnly, "\(error)")
      }
    }
    do {
      _ = try cache.read(LayoutID("cold", of: "feed")) { $0.revision }
      fatalError("the layout is prepared")
    } catch let error as LayoutCacheError {
      precondition(error.category == .busy, "\(error)")
      precondition("\(error)".contains("'layoutcache prepare'"), "\(error)")
    }
    // New widths are laid out in memory.
    let width = try cache.read(LayoutID("any@305", of: "feed")) {
      ($0.layout.layout, $0.isTemporary, try $0.elements(in: everything).elements.count)
    }
    precondition(width == ("any@304", true, expected.count), "\(width)")
    let problems = try cache.verify().problems
    precondition(problems == [], "\(problems)")
    try cache.close()
  }
}
