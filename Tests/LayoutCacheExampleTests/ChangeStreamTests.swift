import Foundation
import LayoutCache
import TestSupport
import Testing

// Strategy: a source of changes grows. The example program that follows it is killed repeatedly
// after random times; finally it runs to the end of the source. A list has the expected state, in
// which a changed item moves to the end of its section.
//
// Invariants: the feed has the source's items, in its order and with its sizes; verify is clean.

@Suite(.timeLimit(.minutes(10))) struct ChangeStreamTests {
  private struct Item: Equatable {
    var key: String
    var width: Double
    var height: Double
  }

  /// The source: its file, and the state after all its changes.
  private struct Source {
    let url: URL
    private(set) var sections: [(key: String, items: [Item])] = []

    init(at path: String) throws {
      url = URL(filePath: path)
      try Data().write(to: url)
    }

    mutating func change(_ count: Int, using generator: inout SeededGenerator) throws {
      var text = ""
      for _ in 0..<count {
        let key = "k\(Int.random(in: 0..<60, using: &generator))"
        for index in sections.indices { sections[index].items.removeAll { $0.key == key } }
        if generator.oneIn(3) {
          text += "{\"key\":\"\(key)\"}\n"
          continue
        }
        let item = Item(
          key: key, width: Double(Int.random(in: 1...9, using: &generator)),
          height: Double(Int.random(in: 1...9, using: &generator)))
        let section = "s\(Int.random(in: 0..<4, using: &generator))"
        text += """
          {"key":"\(key)","section":"\(section)","width":\(item.width),"height":\(item.height)}

          """
        if !sections.contains(where: { $0.key == section }) { sections.append((section, [])) }
        for index in sections.indices where sections[index].key == section {
          sections[index].items.append(item)
        }
      }
      let file = try FileHandle(forWritingTo: url)
      try file.seekToEnd()
      try file.write(contentsOf: Data(text.utf8))
      try file.close()
    }
  }

  @Test func aFollowerThatIsKilledComesToTheSourcesState() async throws {
    let seed = PropertyRun.seeds[0]
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryDirectory()
    var source = try Source(at: folder.path(of: "changes.ndjson"))
    let database = folder.path(of: "feed.sqlite")
    func follower() throws -> Process {
      let process = Process()
      process.executableURL = ExampleTests.products.appending(path: "ChangeStreamExample")
      process.arguments = [database, source.url.path]
      try process.run()
      return process
    }
    for _ in 0..<PropertyRun.steps(20) {
      try source.change(Int.random(in: 0...400, using: &generator), using: &generator)
      let process = try follower()
      let microseconds = Int.random(in: 0...60_000, using: &generator)
      try await Task.sleep(for: .microseconds(microseconds))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    let last = try follower()
    last.waitUntilExit()
    #expect(last.terminationStatus == 0)
    let cache = try LayoutCache(path: database)
    var found: [(key: String, items: [Item])] = []
    try cache.forEachSection(of: "feed") { found.append(($0.key, [])) }
    try cache.forEachItem(of: "feed") { section, item in
      let place = try #require(found.firstIndex { $0.key == section })
      found[place].items.append(
        Item(key: item.key, width: item.size.width.points, height: item.size.height.points))
    }
    #expect(found.map(\.key) == source.sections.map(\.key))
    #expect(found.map(\.items) == source.sections.map(\.items))
    #expect(try cache.verify().problems.isEmpty)
  }
}
