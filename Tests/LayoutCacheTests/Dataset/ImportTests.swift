import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

@Suite struct ImportTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path(of: "import.sqlite") }

  init() throws { directory = try TemporaryDirectory() }

  private func items(of cache: LayoutCache) throws -> [String] {
    var items: [String] = []
    try cache.forEachItem(of: "feed") { section, item in
      items.append("\(section)/\(item.key)/\(item.size.width)x\(item.size.height)")
    }
    return items
  }

  private func add(_ keys: [String], to importer: inout Importer, section: String) throws {
    for key in keys { try importer.add(Item(key: key, width: 4, height: 3), section: section) }
  }

  @Test func appendingToManyItemsWritesFewNodes() throws {
    let cache = try LayoutCache(path: path)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<20_000 {
        try importer.add(Item(key: "k\(number)", width: 1, height: 1), section: "s\(number / 9000)")
      }
    }
    let next = try RawDatabase(path: path).number("SELECT next_node FROM datasets") ?? 0
    let nodes = try cache.inspect().nodeCount
    _ = try cache.importItems(into: "feed", mode: .append) { importer in
      try add(["a", "b", "c"], to: &importer, section: "s1")
    }
    let written = try RawDatabase(path: path).number("SELECT next_node FROM datasets") ?? 0
    // A path of the items, and the full leaf at its end split in two; one of the sections; and
    // of the index a leaf for each of the three keys and of the 32 to 34 moved ones, under at
    // most eight inner nodes.
    #expect(written - next <= 5 + 2 + 37 + 3 + 8)
    // The replaced nodes are deleted; at most a leaf of the items, three of the index, and the
    // full nodes above them have been split in two.
    #expect(try (nodes...(nodes + 2 + 3 + 3)).contains(cache.inspect().nodeCount))
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func aDuplicateKeyIsNamedWithBothLinesAndNothingIsStored() throws {
    let cache = try LayoutCache(path: path)
    #expect {
      _ = try cache.importItems(into: "feed", mode: .create) { importer in
        for line in 2..<500 {
          let key = line == 400 ? "k77" : "k\(line)"
          try importer.add(Item(key: key, width: 4, height: 3), section: "s\(line % 3)", line: line)
        }
      }
    } throws: { error in
      guard case .duplicateKey(let duplicate) = (error as? LayoutCacheError)?.code else {
        return false
      }
      return duplicate == DuplicateKey(key: "k77", lines: [77, 400])
    }
    #expect(try cache.datasets().isEmpty)
    #expect(try cache.inspect().nodeCount == 0)
  }

  @Test func theFirstDuplicateOfTheInputIsNamed() throws {
    // Regardless of the order of the hashes, which differs from file to file.
    for number in 0..<10 {
      let cache = try LayoutCache(path: directory.path(of: "\(number).sqlite"))
      #expect {
        _ = try cache.importItems(into: "feed", mode: .create) { importer in
          for line in 1...300 {
            try importer.add(
              Item(key: "k\(line % 100)", width: 1, height: 1), section: "s\(line % 7)", line: line)
          }
        }
      } throws: { "\($0)" == "line 101: key 'k1' is already used in line 1" }
    }
  }

  @Test func anExistingKeyIsRejectedOnAppending() throws {
    let cache = try LayoutCache(path: path)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      try add(["a", "b"], to: &importer, section: "1")
    }
    #expect {
      _ = try cache.importItems(into: "feed", mode: .append) { importer in
        try importer.add(Item(key: "b", width: 1, height: 1), section: "2", line: 9)
      }
    } throws: { "\($0)" == "line 9: key 'b' already exists in the dataset" }
    #expect(try items(of: cache).count == 2)
  }

  @Test func anImportDoesNotBlockWritersWhileItReceivesItems() throws {
    var options = LayoutCacheOptions()
    options.importBytes = 8192
    options.busyTimeout = 0
    let cache = try LayoutCache(path: path, options: options)
    let other = try LayoutCache(path: path, options: options)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<500 {
        try importer.add(Item(key: "k\(number)", width: 1, height: 1), section: "s")
      }
      _ = try other.importItems(into: "other", mode: .create) { importer in
        try add(["a"], to: &importer, section: "1")
      }
    }
    #expect(try cache.datasets().map(\.name) == ["feed", "other"])
    // Another writer may have created the dataset in the meantime.
    #expect {
      _ = try cache.importItems(into: "third", mode: .create) { _ in
        _ = try other.importItems(into: "third", mode: .create) { _ in }
      }
    } throws: { ($0 as? LayoutCacheError)?.category == .usage }
  }

  @Test func aFailingImportLeavesNoData() throws {
    struct Stop: Error {}
    var options = LayoutCacheOptions()
    options.importBytes = 8192
    let cache = try LayoutCache(path: path, options: options)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      try add(["a"], to: &importer, section: "1")
    }
    let before = try cache.inspect()
    #expect(throws: Stop.self) {
      _ = try cache.importItems(into: "feed", mode: .replace) { importer in
        for number in 0..<2000 { try add(["k\(number)"], to: &importer, section: "s\(number % 7)") }
        throw Stop()
      }
    }
    #expect(try cache.inspect().nodeCount == before.nodeCount)
    #expect(try items(of: cache) == ["1/a/4x3"])
    // The scratch tables are deleted: the same connection can create them again.
    _ = try cache.importItems(into: "feed", mode: .replace) { importer in
      for number in 0..<2000 { try add(["k\(number)"], to: &importer, section: "s\(number % 7)") }
    }
    #expect(try cache.verify().problems.isEmpty)
  }

  /// A layout that no process has requested for a time has the columns of its stored result.
  @Test func anImportIntoAnIdleLayoutKeepsItsColumns() throws {
    let test = try TestFeed(
      [.mixed("s", count: 60), .mixed("t", count: 20)],
      configuration: KindExample.waterfall.configuration())
    try test.cache.prepare(LayoutID("layout", of: "feed"))
    // From scratch the items would choose other columns.
    let top = try (0..<30).map { try Item(key: "top\($0)", width: 5, height: Double(3 + $0)) }
    try test.cache.update("feed", with: [.insert(top, at: .index(0, section: "s"))])
    let before = try OracleElement.all(of: test.cache)
    try test.cache.close()
    let cache = try LayoutCache(path: test.path)
    try cache.update("feed", with: [.delete(keys: ["t-19"])], preparing: .none)
    _ = try cache.importItems(into: "feed", mode: .append, onDuplicate: .update) { importer in
      for number in 0..<200 {
        try importer.add(Item(key: "n\(number)", width: 5, height: 7), section: "t")
      }
      try importer.add(
        UpsertedItem(key: "s-1", width: 5, height: 7, visibility: .collapsed), section: "t")
      // Another span: the item is placed again.
      try importer.add(Item(key: "s-0", width: 5, height: 7, columnSpan: 3), section: "t")
    }
    let columns = Dictionary(
      uniqueKeysWithValues: try OracleElement.all(of: cache).map { ($0.key, $0.column) })
    for element in before where !["t-19", "s-0", "s-1"].contains(element.key) {
      #expect(columns[element.key] == element.column, "\(element.key ?? "")")
    }
    #expect(columns["s-0"] == 0)
    #expect(try cache.verify().problems.isEmpty)
  }
}
