import Foundation
import LayoutCache
import LayoutGeometry
import Migrations
import TestSupport
import Testing

// The files in `Stored` were written by an earlier version, or by this one when it was released;
// their names have the number of the last migration. They are never written again: UPDATE_GOLDEN=1
// adds the file of a new version of the format. A new version of the layout rules changes the lines
// of layouts in their answers, and nothing else.

@Suite struct StoredFileTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Stored")

  /// The version of the format that this version writes.
  private static let newest = "file-\(Migration.last)"

  static let names: [String] = {
    let updates = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"
    if updates && !stored.contains(newest) {
      do { try write() } catch { Issue.record("no file was written: \(error)") }
    }
    return stored
  }()

  private static var stored: [String] {
    let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (files ?? []).filter { $0.hasSuffix(".sqlite") }.map { String($0.dropLast(7)) }.sorted()
  }

  private static func write() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    try StoredFixture.make(at: path)
    // The copy, because reading the answers applies the log.
    try FileManager.default.copyItem(
      atPath: path, toPath: folder.appending(path: "\(newest).sqlite").path)
    let (copied, cache) = try copy(of: newest)
    try StoredFixture.answers(of: cache)
      .write(to: folder.appending(path: "\(newest).txt"), atomically: true, encoding: .utf8)
    withExtendedLifetime(copied) {}
  }

  private static func copy(of name: String) throws -> (TemporaryDirectory, LayoutCache) {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    try FileManager.default.copyItem(
      atPath: folder.appending(path: "\(name).sqlite").path, toPath: path)
    return (directory, try StoredFixture.open(path))
  }

  @Test func theNewestFormatHasAFile() {
    #expect(Self.names.contains(Self.newest))
  }

  @Test(arguments: names)
  func aStoredFileAnswersAsWhenItWasWritten(name: String) throws {
    let (directory, cache) = try Self.copy(of: name)
    #expect(try cache.verify().problems == [])
    let expected = try String(
      contentsOf: Self.folder.appending(path: "\(name).txt"), encoding: .utf8)
    #expect(try StoredFixture.answers(of: cache) == expected)
    // It can be changed, and its history reverted.
    let before = try cache.dataset("feed").itemCount
    try cache.undo("feed")
    #expect(try cache.dataset("feed").itemCount == before + 1)
    try cache.update("feed", with: [.resize(key: "a1", size: Size(width: 7, height: 9))])
    try cache.checkpoint()
    #expect(try cache.verify().problems == [])
    try cache.close()
    withExtendedLifetime(directory) {}
  }

  /// A part of the format that no stored file has would not be tested.
  @Test func theNewestFileHasEveryKindOfRow() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    try FileManager.default.copyItem(
      atPath: Self.folder.appending(path: "\(Self.newest).sqlite").path, toPath: path)
    let db = try RawDatabase(path: path)
    let tables = try db.rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).compactMap(\.first?.text)
    #expect(tables.count > 10)
    // Nodes of clusters have `replicas`, `loading` and `pins`; `remains` has garbage.
    for table in Set(tables).subtracting(["replicas", "loading", "pins", "remains"]) {
      #expect(try db.number("SELECT count(*) FROM \(table)") ?? 0 > 0, "\(table)")
    }
    for condition in [
      "nodes WHERE id & \(1 << 37) != 0", "layouts WHERE undo IS NOT NULL",
      "log WHERE revision > (SELECT revision FROM datasets WHERE name = 'feed')",
    ] {
      #expect(try db.number("SELECT count(*) FROM \(condition)") ?? 0 > 0, "\(condition)")
    }
  }
}
