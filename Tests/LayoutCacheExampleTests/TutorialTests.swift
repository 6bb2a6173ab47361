import CollectionLayout
import Foundation
import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

// The steps of the documentation's tutorials. The programs stand here too, where they are compiled
// and run; the last test holds the steps to them.

@Suite struct TutorialTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/LayoutCache/LayoutCache.docc/Resources")

  private func tutorials(in folder: String) throws -> (frames: [Rect], keys: [String]) {
    let cache = try LayoutCache(path: "\(folder)/feeds.sqlite")
    _ = try cache.importItems(into: "news", mode: .replace) { importer in
      try importer.add(Item(key: "a", width: 4, height: 3), section: "today")
      try importer.add(Item(key: "b", width: 3, height: 4), section: "today")
      try importer.add(Item(key: "c", width: 1, height: 1), section: "today")
    }
    let phone = LayoutID("phone", of: "news")
    try cache.setLayout(
      phone,
      to: LayoutConfiguration(
        container: .init(width: 390, height: 844), section: .waterfall(columns: 2, spacing: 8)))
    let screen = Rect(x: 0, y: 0, width: 390, height: 844)
    let page = try cache.read(phone) { snapshot in
      try snapshot.elements(in: screen)
    }
    let frames = page.elements.map(\.frame)

    var redrawn: [RangeSet<Int>] = []
    func redraw(_ layout: String, columns: RangeSet<Int>, below: Length?) {
      redrawn.append(columns)
    }
    let revision = try cache.read(phone) { snapshot in snapshot.revision }
    let commit = try cache.update(
      "news", with: [.resize(key: "a", size: Size(width: 4, height: 6))], visible: screen)
    for change in commit.layouts {
      for section in change.context.sections {
        // On the phone, column 0 from this position on.
        redraw(change.layout, columns: section.columns, below: section.contentInterval?.lowerBound)
      }
    }
    let changes = try cache.changes(of: "news", since: revision, layout: "phone")
    let keys = changes.updates.items.map(\.key)

    #expect(redrawn == [RangeSet(0..<1)])
    return (frames, keys)
  }

  @Test func theTutorialsDoWhatTheySayEachTime() throws {
    let folder = try TemporaryDirectory()
    for _ in 0..<2 {
      let result = try tutorials(in: folder.path)
      #expect(result.frames.map(\.minX) == [0, 199, 0])
      #expect(result.keys == ["a"])
    }
  }

  @Test(arguments: ["FirstFeed": 4, "Edit": 3])
  func everyStepAddsToTheOneBefore(program: String, steps: Int) throws {
    let here = try String(contentsOfFile: #filePath, encoding: .utf8)
    var before = ""
    for step in 1...steps {
      let file = Self.folder.appending(path: "\(program)\(step).swift")
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.hasPrefix(before), "\(program)\(step)")
      before = text
    }
    // All but the import, and the path in the folder of a test.
    let lines = before.replacing(#"path: "feeds.sqlite""#, with: #"path: "\(folder)/feeds.sqlite""#)
      .split(separator: "\n").dropFirst()
    #expect(here.contains(lines.map { "    \($0)" }.joined(separator: "\n")), "\(program)")
  }
}
