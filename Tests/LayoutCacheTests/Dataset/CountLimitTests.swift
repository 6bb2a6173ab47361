import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// The maximum numbers of datasets in a file and of layouts in a dataset.
@Suite struct CountLimitTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func open(
    _ name: String = "feed.sqlite", datasets: Int = 3, layouts: Int = 2
  ) throws -> LayoutCache {
    var options = LayoutCacheOptions()
    (options.datasetsMax, options.layoutsMax) = (datasets, layouts)
    return try LayoutCache(path: directory.path(of: name), options: options)
  }

  private func expectLimit(
    _ limit: Double, _ subject: LimitError.Subject, _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: LayoutCacheError.self, sourceLocation: sourceLocation) {
      try body()
    }
    guard case .countLimit(let found) = error?.code else {
      Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
      return
    }
    #expect(
      found == LimitError(.tooLarge, subject, limit: limit, value: limit + 1),
      sourceLocation: sourceLocation)
    #expect(error?.category == .input, sourceLocation: sourceLocation)
  }

  private static func set(_ layout: String, of dataset: String, in cache: LayoutCache) throws {
    try cache.setLayout(
      LayoutID(layout, of: dataset), to: ConfigurationText.decode(#"{"container":{"width":9}}"#))
  }

  @Test func theNumberOfDatasetsOfAFileIsLimited() throws {
    let cache = try open()
    for name in ["a", "b", "c"] { try cache.createDataset(name) }
    expectLimit(3, "number of datasets") { try cache.createDataset("d") }
    expectLimit(3, "number of datasets") {
      _ = try cache.importItems(into: "d", mode: .create) { try $0.addSection("s") }
    }
    // An existing name is reported first, and existing datasets can be replaced.
    #expect(throws: LayoutCacheError.self) { try cache.createDataset("a") }
    _ = try cache.importItems(into: "a", mode: .replace) { try $0.addSection("s") }
    try cache.renameDataset("b", to: "d")
    let archive = try cache.archive(of: "d")
    expectLimit(3, "number of datasets") { try cache.load(archive, as: "e") }
    try cache.load(archive, as: "c", replacing: true)
    try cache.removeDataset("c")
    try cache.createDataset("e")
    expectLimit(3, "number of datasets") { try cache.createDataset("f") }
    try cache.close()
    let again = try open()
    expectLimit(3, "number of datasets") { try again.createDataset("f") }
    #expect(try again.datasetNames() == ["a", "d", "e"])
    #expect(try again.inspect().datasetCount == 3)
  }

  @Test func theNumberOfLayoutsOfADatasetIsLimited() throws {
    let cache = try open()
    for name in ["a", "b"] { try cache.createDataset(name) }
    for name in ["1", "2"] { try Self.set(name, of: "a", in: cache) }
    expectLimit(2, "number of layouts") { try Self.set("3", of: "a", in: cache) }
    // Another dataset has a separate limit, and existing layouts can be changed.
    try Self.set("3", of: "b", in: cache)
    try Self.set("2", of: "a", in: cache)
    try cache.renameLayout(LayoutID("2", of: "a"), to: "3")
    expectLimit(2, "number of layouts") { try Self.set("2", of: "a", in: cache) }
    try cache.removeLayout(LayoutID("1", of: "a"))
    try Self.set("2", of: "a", in: cache)
    // Replacing the items keeps the layouts; a recreated dataset has none.
    _ = try cache.importItems(into: "a", mode: .replace) { try $0.addSection("s") }
    expectLimit(2, "number of layouts") { try Self.set("4", of: "a", in: cache) }
    let archive = try cache.archive(of: "a")
    let small = try open("small.sqlite", layouts: 1)
    expectLimit(1, "number of layouts") { try small.load(archive, as: "a") }
    #expect(try small.datasetNames().isEmpty)
    try cache.removeDataset("a")
    try cache.createDataset("a")
    for name in ["1", "2"] { try Self.set(name, of: "a", in: cache) }
    expectLimit(2, "number of layouts") { try Self.set("3", of: "a", in: cache) }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func storedCountsEqualTheNumbersOfRows(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let cache = try open(datasets: 5, layouts: 4)
    for _ in PropertyRun.each(seed, steps: 120) {
      let names = ["a", "b", "c", "d", "e", "f"]
      let dataset = names.randomElement(using: &generator)!
      let layout = names.randomElement(using: &generator)!
      do {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1: try cache.createDataset(dataset)
        case 2: try cache.removeDataset(dataset)
        case 3, 4: try Self.set(layout, of: dataset, in: cache)
        default: try cache.removeLayout(LayoutID(layout, of: dataset))
        }
      } catch let error as LayoutCacheError {
        if case .database = error.code { throw error }
      }
      let counts = try RawDatabase(path: directory.path(of: "feed.sqlite")).rows(
        """
        SELECT 0, (SELECT count FROM counts WHERE dataset = 0), (SELECT count(*) FROM datasets)
        UNION ALL SELECT id, coalesce((SELECT count FROM counts WHERE dataset = id), 0),
          (SELECT count(*) FROM layouts WHERE dataset = datasets.id) FROM datasets
        """)
      for row in counts { #expect(row[1] == row[2]) }
    }
  }
}
