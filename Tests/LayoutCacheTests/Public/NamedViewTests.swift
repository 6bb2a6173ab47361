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

  private func keys(_ cache: LayoutCache, _ view: DatasetView) throws -> [String] {
    try cache.read(layout, showing: view) { snapshot in
      guard snapshot.itemCount > 0 else { return [] }
      #expect(try snapshot.elements(.items(from: .text("0.0"))).elements[0].sectionKey == "main")
      return try snapshot.elements(.items(from: .text("0.0"))).elements.map {
        if case .cell(let key) = $0.category { key } else { "" }
      }
    }
  }

  @Test func listedItemsAreInTheOrderOfTheList() throws {
    let test = try feed()
    let other = try LayoutCache(path: test.path)
    let list = try DatasetView(keys: ["k7", "new", "k3", "k19", "k\u{E9}"])
    try test.cache.setView("found", of: "feed", to: list)
    #expect(try other.view("found", of: "feed") == list)
    #expect(try keys(test.cache, test.cache.view("found", of: "feed")) == ["k7", "k3", "k19"])
    // Its keys are those in memory now, and not read again.
    let known = try test.cache.view("found", of: "feed").list
    #expect(try test.cache.view("found", of: "feed").list === known)
    let revision = try test.cache.dataset("feed").revision
    let item = try Item(key: "new", width: 10, height: 10)
    try test.cache.update(
      "feed",
      with: [
        .insert([item], at: .index(0, section: "a")), .delete(keys: ["k7"]),
        .move(key: "k19", to: .index(0, section: "a")),
      ])
    #expect(try test.cache.follow(layout, showing: list))
    let changes = try test.cache.changes(of: layout, since: revision, showing: list)
    #expect(changes.updates.items.count == 2 && !changes.updates.everything)
    for cache in [test.cache, other] { #expect(try keys(cache, list) == ["new", "k3", "k19"]) }
    // Within another view, in the order of the narrower one.
    let few = try DatasetView(where: "n < 5")
    #expect(try keys(test.cache, few.narrowed(to: list)) == ["k3"])
    let sorted = try DatasetView(order: [.init(by: "n", descending: true)])
    #expect(try keys(test.cache, list.narrowed(to: sorted)) == ["k19", "k3", "new"])
    let swapped = try DatasetView(keys: ["k1", "k19", "k3"])
    #expect(try keys(test.cache, list.narrowed(to: swapped)) == ["k19", "k3"])
    #expect(try keys(test.cache, DatasetView(keys: [])).isEmpty)
    try test.cache.setView("found", of: "feed", to: swapped)
    #expect(try keys(other, other.view("found", of: "feed")) == ["k1", "k19", "k3"])
    #expect(try other.verify().problems.isEmpty)
  }

  @Test func listsAreLimitedAndNameNoItemTwice() throws {
    #expect(throws: LayoutCacheError.self) { try DatasetView(keys: ["a", "b", "a"]) }
    #expect(throws: LayoutCacheError.self) { try DatasetView(keys: ["a", ""]) }
    let most = (0..<KeyList.countMax).map { "k\($0)" }
    let test = try feed()
    let list = try DatasetView(keys: most)
    try test.cache.setView("most", of: "feed", to: list)
    #expect(try keys(test.cache, test.cache.view("most", of: "feed")).count == 20)
    #expect(throws: LayoutCacheError.self) { try DatasetView(keys: most + ["one more"]) }
    let long = (0..<20_000).map { "\($0)" + String(repeating: "x", count: 200) }
    #expect(throws: LayoutCacheError.self) { try DatasetView(keys: long) }
  }

  @Test(arguments: [
    try DatasetView(where: "n IN [1, 2] OR key = k9", order: [.init(by: "n")]),
    try DatasetView(keys: ["k2", "k1", "none", "k9"]),
  ])
  func viewsGoWithTheirDatasetAndItsArchive(view: DatasetView) throws {
    let test = try feed()
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
