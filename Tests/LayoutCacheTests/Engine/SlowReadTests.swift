import CollectionLayout
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: two caches of one file, as in two processes. While one reads or lays out, the other
// commits, stores a checkpoint, which deletes the nodes that are being read, and empties the
// write-ahead log, which fails while any read transaction is open.

@Suite struct SlowReadTests {
  private let directory: TemporaryDirectory
  private let cache: LayoutCache
  private let other: LayoutCache
  private let layout = LayoutID("layout", of: "feed")
  private static let itemCount = 600

  init() throws {
    directory = try TemporaryDirectory()
    var options = LayoutCacheOptions()
    options.treeShapes = .tiny
    let path = directory.path(of: "feed.sqlite")
    cache = try LayoutCache(path: path, options: options)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<Self.itemCount {
        try importer.add(Self.item(number), section: Self.section(number))
      }
    }
    try cache.setLayout(layout, to: Self.configuration(columns: 2))
    try cache.update(
      "feed",
      with: [
        .preferLengths(
          layout: "layout", (0..<100).map { MeasuredLength(key: "k\($0 * 6)", length: 9) })
      ])
    try cache.checkpoint()
    other = try LayoutCache(path: path, options: options)
  }

  private static func section(_ number: Int) -> String { "s\(number / 40)" }

  private static func item(_ number: Int, _ prefix: String = "k") throws -> Item {
    Item(
      key: "\(prefix)\(number)", size: Size(width: 40, height: .points(Double(30 + number % 7))),
      columnSpan: 1, data: number % 3 == 0 ? try ItemData(json: #"{"n":\#(number)}"#) : nil)
  }

  private static func configuration(
    _ members: String = #""kind":"waterfall""#, columns: Int
  ) throws -> LayoutConfiguration {
    try ConfigurationText.decode(
      """
      {"container":{"width":200},
       "section":{\(members),"columns":\(columns),"minimumLineSpacing":\(columns)},
       "sections":{"s3":{"columns":4},"s5":{"columns":1}}}
      """)
  }

  /// Changes items everywhere.
  private func disturb(_ round: Int) throws {
    var operations: [BatchOperation] = []
    for number in stride(from: round, to: Self.itemCount, by: 20) {
      switch number / 20 % 4 {
      case 0: operations.append(.delete(keys: ["k\(number)"], missing: .ignore))
      case 1:
        operations.append(
          .insert([try Self.item(number, "new\(round)-")], at: .end(section: Self.section(number))))
      case 2: operations.append(.data(key: "k\(number)", nil))
      default:
        operations.append(
          .resize(key: "k\(number)", size: Size(width: 40, height: .points(Double(90 + round)))))
      }
    }
    try other.update("feed", with: operations)
    try other.checkpoint()
    #expect(try other.store.emptyWriteAheadLog(attempts: 1), "a read transaction is open")
  }

  enum Reading: CaseIterable { case items, itemsWithData, sections, lengths }

  private func read(_ reading: Reading, _ body: (String) throws -> Void) throws {
    switch reading {
    case .items, .itemsWithData:
      try cache.forEachItem(of: "feed", withData: reading == .itemsWithData) {
        try body("\($0) \($1)")
      }
    case .sections: try cache.forEachSection(of: "feed") { try body("\($0)") }
    case .lengths: try cache.forEachMeasuredLength(of: "feed") { try body("\($0)") }
    }
  }

  @Test(arguments: Reading.allCases)
  func aSlowExportIsOfOneRevisionAndHoldsNoLog(_ reading: Reading) throws {
    // A change that is only in the log.
    try cache.update("feed", with: [.delete(keys: ["k1"])])
    var (expected, found): ([String], [String]) = ([], [])
    try read(reading) { expected.append($0) }
    try read(reading) {
      if found.count % 5 == 2, found.count < 60 { try disturb(found.count / 5) }
      found.append($0)
    }
    #expect(found == expected)
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func anExportWhoseRevisionIsGoneFails() throws {
    var count = 0
    let error = #expect(throws: LayoutCacheError.self) {
      try cache.forEachItem(of: "feed") { _, _ in
        if count == 10 {
          _ = try other.importItems(into: "feed", mode: .replace) { importer in
            try importer.add(Self.item(0), section: "s")
          }
        }
        count += 1
      }
    }
    guard case .concurrentModification = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(count < Self.itemCount)
  }

  /// The kinds of long layouts: from scratch, and with sections of an earlier result.
  @Test(
    arguments: [
      #""kind":"waterfall""#, #""kind":"waterfall","assignment":"exact""#, #""kind":"flow""#,
    ], [false, true])
  func aLayoutWhoseNodesAreDeletedIsCompleted(members: String, isReconfigured: Bool) throws {
    func set(columns: Int) throws {
      try cache.setLayout(layout, to: Self.configuration(members, columns: columns))
    }
    try set(columns: 2)
    if isReconfigured {
      // More than are laid out in memory.
      _ = try cache.importItems(into: "feed", mode: .append) { importer in
        for number in 0..<5000 { try importer.add(Self.item(number, "big"), section: "big") }
      }
      try cache.prepare(layout)
      try cache.checkpoint()
      try set(columns: 3)
    }
    var calls = 0
    try cache.prepare(layout) { _ in
      defer { calls += 1 }
      guard calls < 3 else { return }
      do { try disturb(calls) } catch { Issue.record(error) }
    }
    #expect(calls > 0)
    #expect(try cache.verify().problems.isEmpty)
    #expect(try cache.read(layout) { $0.itemCount } == cache.dataset("feed").itemCount)
  }

  @Test func aRebuildingImportHoldsNoLogAndStartsAgainAfterACheckpoint() throws {
    var rounds = 0
    let summary = try cache.importItems(into: "feed", mode: .append) { importer in
      importer.watchBuilding { _, _ in
        if rounds == 0 { try disturb(0) }
        rounds += 1
        #expect(try other.store.emptyWriteAheadLog(attempts: 1), "a read transaction is open")
      }
      for number in 0..<400 { try importer.add(Self.item(number, "added"), section: "end") }
    }
    #expect(rounds > 1 && summary.importedCount == 400)
    #expect(try cache.hasItem(forKey: "new0-20", of: "feed"))
    #expect(try cache.hasItem(forKey: "added399", of: "feed"))
    #expect(try cache.verify().problems.isEmpty)
  }
}
