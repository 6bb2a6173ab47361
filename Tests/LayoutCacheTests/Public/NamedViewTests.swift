import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// The named views of a dataset: a definition in its file, which its readers use.
@Suite struct NamedViewTests {
  private let layout = LayoutID("layout", of: "feed")

  private func feed() throws -> TestFeed {
    let test = try TestFeed([])
    _ = try test.cache.importItems(into: "feed", mode: .replace) { importer in
      for number in 0..<20 {
        let data = try ItemData(json: #"{"n":\#(number)}"#)
        try importer.add(
          try Item(key: "k\(number)", width: 10, height: 10, data: data), section: "a")
      }
    }
    try test.set(#"{"container":{"width":100},"section":{"columns":2}}"#)
    return test
  }

  private func names(_ cache: LayoutCache, of dataset: String = "feed") throws -> [String] {
    try cache.views(of: dataset).map(\.name)
  }

  private func count(_ cache: LayoutCache, _ name: String) throws -> Int {
    try cache.read(layout, showing: cache.view(name, of: "feed")) { $0.itemCount }
  }

  @Test func aNameMeansItsLastDefinitionInEveryProcess() throws {
    let test = try feed()
    let revision = try test.cache.dataset("feed").revision
    let other = try LayoutCache(path: test.path)
    let few = try DatasetView(where: "n < 5", order: [.init(by: "n", descending: true)])
    #expect(try test.cache.setView("few", of: "feed", to: few))
    #expect(try other.view("few", of: "feed") == few && count(other, "few") == 5)
    #expect(try !test.cache.setView("few", of: "feed", to: few))
    #expect(try !other.setView("few", of: "feed", to: DatasetView(where: "n < 7")))
    #expect(try count(test.cache, "few") == 7)
    try test.cache.setView("\u{E9}", of: "feed", to: few)
    // Names are bytes: a text that looks the same is another one.
    #expect(throws: LayoutCacheError.self) { try other.view("e\u{301}", of: "feed") }
    try other.setView("e\u{301}", of: "feed", to: DatasetView())
    #expect(try names(test.cache) == ["e\u{301}", "few", "\u{E9}"])
    #expect(try count(test.cache, "e\u{301}") == 20)
    try test.cache.removeView("few", of: "feed")
    #expect(try names(other).count == 2)
    #expect(try other.dataset("feed").revision == revision)
    #expect(try other.verify().problems.isEmpty)
  }

  @Test func faultsChangeNothing() throws {
    let test = try feed()
    let view = try DatasetView(where: "n = 1")
    for number in 0..<64 { try test.cache.setView("v\(number)", of: "feed", to: view) }
    let faults: [(String, LayoutCacheError.Category, () throws -> Void)] = [
      ("one more", .input, { try test.cache.setView("v64", of: "feed", to: view) }),
      ("a name", .input, { try test.cache.setView("", of: "feed", to: view) }),
      ("a dataset", .notFound, { try test.cache.setView("v", of: "none", to: view) }),
      ("a view", .notFound, { try test.cache.removeView("none", of: "feed") }),
      ("its dataset", .notFound, { _ = try test.cache.view("v1", of: "none") }),
      ("a list", .notFound, { _ = try test.cache.views(of: "none") }),
    ]
    for (what, category, fault) in faults {
      let error = #expect(throws: LayoutCacheError.self, "\(what)") { try fault() }
      #expect(error?.category == category, "\(what)")
    }
    // Those that exist can be changed.
    #expect(try !test.cache.setView("v63", of: "feed", to: DatasetView(where: "n = 2")))
    #expect(try names(test.cache).count == 64)
  }

  @Test func viewsGoWithTheirDatasetAndItsArchive() throws {
    let test = try feed()
    let view = try DatasetView(where: "n IN [1, 2] OR key = k9", order: [.init(by: "n")])
    try test.cache.setView("some", of: "feed", to: view)
    let archive = try test.cache.archive(of: "feed")
    try test.cache.renameDataset("feed", to: "art")
    #expect(try test.cache.view("some", of: "art") == view)
    try test.cache.removeDataset("art")
    try test.cache.createDataset("art")
    #expect(try names(test.cache, of: "art").isEmpty)
    let other = try LayoutCache(path: test.directory.path(of: "other.sqlite"))
    try other.load(archive, as: "feed")
    #expect(try other.view("some", of: "feed") == view && count(other, "some") == 3)
    #expect(try other.verify().problems.isEmpty)
  }
}
