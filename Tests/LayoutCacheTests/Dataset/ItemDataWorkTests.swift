import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// The cost of data, and where it arises: counted, not timed.

@Suite struct ItemDataWorkTests {
  private static let data = (0..<10).map { number in
    try! ItemData(
      json: #"{"title":"Number \#(number)","picture":"https://example.org/\#(number)"}"#)
  }

  private static func feed(_ itemCount: Int, hasData: Bool) throws -> TestFeed {
    let test = try TestFeed([])
    try importItems(itemCount, hasData: hasData, into: "feed", of: test.cache)
    try test.set(#"{"container":{"width":1000,"height":1000},"section":{"columns":5,"header":20}}"#)
    return test
  }

  private static func importItems(
    _ itemCount: Int, hasData: Bool, into dataset: String, of cache: LayoutCache
  ) throws {
    _ = try cache.importItems(into: dataset, mode: .replace) { importer in
      for number in 0..<itemCount {
        try importer.add(
          Item(
            key: "k\(number)", width: 4, height: Double(3 + number * 7919 % 5),
            data: hasData ? data[number % 10] : nil), section: "s\(number * 10 / itemCount)")
      }
    }
  }

  private static func sizes(
    _ test: TestFeed, _ dataset: String = "feed"
  ) throws -> (nodes: Int, bytes: Int) {
    let inspection = try test.cache.inspect(dataset: dataset)
    return (inspection.nodeCount, inspection.nodeBytes)
  }

  @Test func aChangeOfDataDoesNotAffectLayouts() throws {
    let test = try Self.feed(1000, hasData: true)
    let grid = LayoutID("grid", of: "feed")
    try test.cache.setLayout(
      grid, to: ConfigurationText.decode(#"{"container":{"width":9},"section":{"kind":"grid"}}"#))
    let before = try [test.read(\.incarnation), test.cache.read(grid, \.incarnation)]
    let nodes = try RawDatabase(path: test.path).number("SELECT count(*) FROM nodes")
    let commit = try test.cache.update("feed", with: [.data(key: "k500", nil)])
    #expect(commit.revision == 3)
    #expect(commit.layouts.map(\.layout) == ["grid", "layout"])
    #expect(commit.layouts.allSatisfy { $0.context == InvalidationContext() })
    // The change is a row of the log.
    #expect(try RawDatabase(path: test.path).number("SELECT count(*) FROM nodes") == nodes)
    // So many operations would otherwise require a new layout from scratch; after changes of
    // data a lagging layout catches up without any work.
    for number in 0..<100 {
      try test.cache.update(
        "feed", with: [.data(key: "k\(number)", Self.data[3])], preparing: .none)
    }
    let caughtUp = try test.cache.prepare(grid)
    #expect(caughtUp.context == InvalidationContext())
    #expect(try [test.read(\.incarnation), test.cache.read(grid, \.incarnation)] == before)
  }

  @Test func aQueryWithoutDataReadsNone() throws {
    let rect = Rect(x: 0, y: 20_000, width: 1000, height: 1000)
    let works = try [false, true].map { hasData in
      let test = try Self.feed(5000, hasData: hasData)
      try test.cache.prepare(LayoutID("layout", of: "feed"))
      try test.cache.close()
      let cache = try LayoutCache(path: test.path)
      return try cache.read(LayoutID("layout", of: "feed")) { snapshot in
        let page = try snapshot.elements(in: rect)
        let work = try snapshot.data(of: page.elements).work
        // No work at all without data.
        let isNone = work.nodesVisited == 0 && work.nodesLoaded == 0
        #expect(hasData || isNone)
        return page.work
      }
    }
    #expect(works[0] == works[1])
  }

  @Test func dataDoesNotAffectAnythingElse() throws {
    let test = try Self.feed(3000, hasData: true)
    try Self.importItems(3000, hasData: false, into: "bare", of: test.cache)
    let sizes = try [Self.sizes(test, "bare"), Self.sizes(test)]
    let (leaves, bytes) = try test.cache.store.read { reader in
      let data = try test.cache.current("feed", reader: reader).trees.data
      var sum = (nodes: 0, bytes: 0)
      try data.forEachLeaf(in: .init(reader)) { leaf, _ in
        sum.nodes += 1
        sum.bytes += leaf.bytes.count
      }
      return sum
    }
    // 12 items a leaf, with a few bytes each, and some inner nodes.
    #expect(leaves == 250)
    #expect((leaves + 1...leaves + 10).contains(sizes[1].nodes - sizes[0].nodes))
    let more = sizes[1].bytes - sizes[0].bytes
    #expect(more > bytes && more < bytes + 5 * 3000)
  }

  @Test func removingDataReclaimsItsSpace() throws {
    let test = try Self.feed(2000, hasData: true)
    try test.cache.update(
      "feed", with: (0..<2000).map { .data(key: "k\($0)", nil) }, preparing: .none)
    try test.cache.compact()
    let trees = try test.cache.inspect(dataset: "feed").trees
    #expect(trees.first { $0.name == "data" } == .init(name: "data", elementCount: 0, depth: 0))
    // In the same file: the bytes of an index depend on its key.
    try Self.importItems(2000, hasData: false, into: "bare", of: test.cache)
    let (left, without) = try (Self.sizes(test), Self.sizes(test, "bare"))
    #expect(left.nodes == without.nodes)
    #expect(left.bytes == without.bytes)
    // Removing the items reclaims it too.
    let other = try Self.feed(2000, hasData: true)
    try other.cache.update("feed", with: (0..<10).map { .deleteSection(key: "s\($0)") })
    try other.cache.compact()
    #expect(try Self.sizes(other) == (0, 0))
    #expect(try other.cache.verify().problems.isEmpty)
  }

  @Test(arguments: [1000, 20_000])
  func aPageOfDataCostsAFewLeaves(itemCount: Int) throws {
    let test = try Self.feed(itemCount, hasData: true)
    try test.read { snapshot in
      let height = Double(snapshot.contentSize.height.points)
      for place in [0, 0.3, 0.71, 0.99] {
        let rect = Rect(x: 0, y: .points(height * place), width: 1000, height: 1000)
        let page = try snapshot.elements(in: rect)
        #expect((10...45).contains(page.elements.count))
        let found = try snapshot.data(of: page.elements)
        #expect(found.data.count { $0 != nil } == page.elements.count { $0.key != nil })
        // A walk down to each of the leaves that hold the cells, which are neighbours, and one
        // to a leaf of sections or two.
        let visited = found.work.nodesVisited
        #expect(visited <= 8 * (snapshot.trees.data.height + 1) + 4, "at \(place)")
      }
    }
  }

  /// An order costs at most 8 bytes per item, and an insertion one node more than with an index.
  @Test(arguments: [5000, 40_000])
  func anOrderCostsAFewBytesAndOneNode(itemCount: Int) throws {
    let cache = try LayoutCache.temporary()
    func item(_ number: Int) throws -> Item {
      try Item(
        key: "k\(number)", width: 4, height: 3, data: ItemData(json: #"{"rank":\#(number)}"#))
    }
    let order = DatasetOrder([.init(by: "rank")])
    for (name, order) in [("stated", nil), ("sorted", order)] {
      _ = try cache.importItems(into: name, mode: .create, order: order) { importer in
        for number in 0..<itemCount { try importer.add(item(2 * number)) }
      }
    }
    let bytes = try ["stated", "sorted"].map { try cache.inspect(dataset: $0).nodeBytes }
    #expect(bytes[1] - bytes[0] <= 8 * itemCount)
    for place in [0, itemCount / 3, itemCount - 1, itemCount] {
      let loaded = try cache.store.read { reader in
        try [
          ("stated", ItemDestination.index(place, section: "main")),
          ("sorted", .end(section: "main")),
        ]
        .map { name, destination in
          let session = TreeSession(reader)
          var resolver = OperationResolver(
            try cache.current(name, reader: reader).trees, in: session)
          try resolver.apply([.insert([item(2 * place - 1)], at: destination)])
          let loaded = session.nodesLoaded
          #expect(try resolver.trees.itemIndex(ofKey: "k\(2 * place - 1)", in: session) == place)
          return loaded
        }
      }
      #expect(loaded[1] <= loaded[0] + 1, "\(loaded) nodes at \(place)")
    }
  }

  @Test func theLogKeepsReplacedDataUpToABudget() throws {
    let test = try TestFeed([])
    let long = try ItemData(json: #"{"a":"\#(String(repeating: "x", count: 4000))"}"#)
    let count = Budgets.replacedDataBytes / long.json.utf8.count
    func operations(_ revision: Int) throws -> [ResolvedOperation] {
      try test.cache.store.read { reader in
        let head = try reader.logHead(of: reader.requireDataset("feed").id)
        var operations: [ResolvedOperation] = []
        try reader.forEachLogRow(after: revision - 1, upTo: head) { row in
          operations = try LoggedBatch(row, path: test.path).operations
        }
        return operations
      }
    }
    _ = try test.cache.importItems(into: "feed", mode: .replace) { importer in
      for number in 0...count {
        try importer.add(Item(key: "k\(number)", width: 1, height: 1, data: long))
      }
    }
    let changes = (0...count).map { BatchOperation.data(key: "k\($0)", nil) }
    let revision = try test.cache.update("feed", with: changes).revision
    let held = try operations(revision).map { operation -> Bool? in
      guard case .items(let splice) = operation, splice.aspect == .data else { return nil }
      return !splice.before.isUnknown
    }
    #expect(held == Array(repeating: true, count: count) + [false])
    try test.cache.update("feed", with: (0...count).map { .data(key: "k\($0)", long) })
    let gone = try test.cache.update("feed", with: [.deleteSection(key: "main")]).revision
    guard case .sections(let splice)? = try operations(gone).first else {
      Issue.record("the deletion of a section")
      return
    }
    #expect(splice.before?.entry.itemCount == count + 1)
    #expect(splice.isUnknown, "more than the log should hold")
  }
}

extension LayoutAttributes {
  fileprivate var key: String? { if case .cell(let key) = category { key } else { nil } }
}
