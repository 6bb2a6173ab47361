import CollectionLayout
import Foundation
import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

@Suite struct ReadmeExampleTests {
  /// The README's program; the test below holds the two together.
  private func example(in folder: String) throws -> [LayoutAttributes] {
    let cache = try LayoutCache(path: "\(folder)/feeds.sqlite")
    _ = try cache.importItems(into: "news", mode: .replace) { importer in
      try importer.add(Item(key: "a", width: 4, height: 3), section: "today")
      try importer.add(Item(key: "b", width: 3, height: 4), section: "today")
    }
    let phone = LayoutID("phone", of: "news")
    try cache.setLayout(
      phone,
      to: LayoutConfiguration(
        container: .init(width: 390, height: 844), section: .waterfall(columns: 2, spacing: 8)))
    let page = try cache.read(phone) { snapshot in
      try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize))
    }
    return page.elements
  }

  @Test func theProgramPlacesItsItems() throws {
    let folder = try TemporaryDirectory()
    // A reader runs it again.
    for _ in 0..<2 {
      let elements = try example(in: folder.path)
      // Each column is (390 - 8) / 2 = 191 points wide; 191 * 4 / 3 = 254.667, rounded down.
      #expect(elements.map(\.frame.minX.points) == [0, 199])
      #expect(elements.map(\.frame.size.height.points) == [143.25, 254.65625])
    }
  }

  private static func page(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The configurations of docs/LAYOUTS.md: a block of JSON, or of one in each line.
  @Test func everyConfigurationOfThePageIsOne() throws {
    var kinds: Set<String> = []
    var effects: [Effect] = []
    for block in try Self.page("docs/LAYOUTS.md").components(separatedBy: "```json\n").dropFirst() {
      let text = try #require(block.components(separatedBy: "```").first)
      let isOne = text.split(separator: "\n").contains { !$0.hasSuffix("}") }
      for text in isOne ? [text] : text.split(separator: "\n").map(String.init) {
        let configuration = try ConfigurationText.decode(text)
        try configuration.check()
        kinds.insert(configuration.section.kind?.name ?? "")
        if let effect = configuration.effect { effects.append(effect) }
      }
    }
    #expect(kinds.isSuperset(of: SectionKind.builtIn.map(\.name)))
    #expect(effects.count == 4)
  }

  /// The updates that docs/CHANGES.md shows.
  @Test func theUpdatesOfThePageAreSome() throws {
    let block = try #require(
      try Self.page("docs/CHANGES.md").components(separatedBy: "```json\n").dropFirst()
        .compactMap { $0.components(separatedBy: "```").first }
        .first { $0.contains(#""before""#) })
    let updates = try JSONDecoder().decode(DatasetUpdates.self, from: Data(block.utf8))
    #expect(updates.items.map(\.operation) == [.delete, .move, .reload])
    #expect(updates.sections.map(\.after) == [3])
  }

  @Test func theReadmeHasTheSameProgram() throws {
    let here = try String(contentsOfFile: #filePath, encoding: .utf8)
    let readme = try Self.page("README.md")
    let block = try #require(
      readme.components(separatedBy: "```swift\n").dropFirst().first?
        .components(separatedBy: "```").first)
    // All but the path and the last line, which prints.
    let lines = block.split(separator: "\n").dropFirst().dropLast()
    #expect(lines.count == 12)
    let program = lines.map { "    \($0)" }.joined(separator: "\n")
    #expect(here.contains(program))
  }
}
