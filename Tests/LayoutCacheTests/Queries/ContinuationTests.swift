import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// Continuations, as a text and after changes of each kind.
@Suite struct ContinuationTests {
  private static let phone = LayoutID("layout", of: "feed")

  /// Three sections of four square items, "a-0" to "c-3".
  private func feed(_ configuration: String? = nil) throws -> TestFeed {
    try TestFeed(
      ["a", "b", "c"].map { OracleSection($0, sizes: Array(repeating: (1, 1), count: 4)) },
      configuration: configuration
        ?? #"{"container":{"width":100},"section":{"columns":1,"header":10,"footer":10}}"#)
  }

  private func keys(_ page: ElementsPage) -> [String] {
    page.elements.map { element in
      if case .cell(let key) = element.category { return key }
      return "\(element.representedElementKind ?? "") of \(element.sectionKey)"
    }
  }

  private static let everything = Rect(
    x: .zero, y: .zero, width: Length(units: 1 << 40), height: Length(units: 1 << 40))

  /// The keys that follow a query's answer, after some changes.
  private func after(
    _ query: ElementsQuery, _ feed: TestFeed, _ changes: [BatchOperation]
  ) throws -> [String] {
    let next = try #require(try feed.read { try $0.elements(query).next })
    for change in changes { try feed.cache.update("feed", with: [change]) }
    return try feed.read { keys(try $0.elements(after: next, limit: 3)) }
  }

  private let toB1 = ElementsQuery.items(from: .key("a-0"), count: 6)
  private let fromB1 = ElementsQuery.items(from: .key("c-3"), count: 7, backward: true)

  @Test func aPageByItemHasOnlyCells() throws {
    let feed = try feed()
    try feed.read { snapshot in
      let page = try snapshot.elements(
        from: LayoutAttributes.IndexPath(section: 0, item: 3), count: 3)
      #expect(keys(page) == ["a-3", "b-0", "b-1"] && page.next != nil)
      let back = try snapshot.elements(fromKey: "b-1", count: 3, backward: true)
      #expect(keys(back) == ["b-1", "b-0", "a-3"])
      #expect(try keys(snapshot.elements(fromKey: "c-2", count: 2)) == ["c-2", "c-3"])
      #expect(try snapshot.elements(fromKey: "c-2", count: 2).next == nil)
      #expect(try snapshot.elements(fromKey: "a-1", count: 2, backward: true).next == nil)
      #expect(try snapshot.elements(fromKey: "a-1", count: 1, backward: true).next != nil)
      let rest = try (1..<8).map { $0 < 4 ? "b-\($0)" : "c-\($0 - 4)" }
        .compactMap(snapshot.attributes(forKey:))
      #expect(try snapshot.elements(fromKey: "b-1", count: .max).elements == rest)
      #expect(try keys(snapshot.elements(.items(from: .text("1.2"), count: 1))) == ["b-2"])
      for reference in [
        ItemReference.key("d"), .text("1.4"), .text("3.0"), .text("1.-1"), .text("-1.0"),
        .indexPath(LayoutAttributes.IndexPath(section: 1)),
        .indexPath(LayoutAttributes.IndexPath(section: .max, item: .max)),
      ] {
        let error = #expect(throws: LayoutCacheError.self) {
          try snapshot.elements(.items(from: reference, count: 1))
        }
        #expect(error?.category == .notFound, "\(reference)")
      }
      #expect(throws: LayoutCacheError.self) { try snapshot.elements(fromKey: "a-0", count: 0) }
    }
  }

  @Test func aPageBeforeHiddenItemsIsTheLast() throws {
    let feed = try feed()
    try feed.cache.update("feed", with: [.hide(keys: ["a-0", "c-2", "c-3"], .hidden)])
    try feed.read { snapshot in
      for (key, count, isBackward) in [("c-0", 2, false), ("c-0", 9, false), ("a-2", 2, true)] {
        let page = try snapshot.elements(fromKey: key, count: count, backward: isBackward)
        #expect(keys(page).count == 2 && page.next == nil, "\(key)")
      }
      #expect(try snapshot.elements(fromKey: "a-0", count: 8).next != nil)
    }
  }

  /// A text that reads as an index path means a key if an item has that key.
  @Test func aKeyTakesPrecedenceOverAnIndexPath() throws {
    let feed = try feed()
    try feed.cache.update(
      "feed", with: [.insert([try Item(key: "0.0", width: 1, height: 1)], at: .end(section: "c"))])
    try feed.read { snapshot in
      let byKey = try snapshot.elements(.items(from: .text("0.0")))
      #expect(keys(byKey) == ["0.0"])
      let byPlace = try snapshot.elements(.items(from: .text("0.1"), count: 1))
      #expect(keys(byPlace) == ["a-1"])
    }
  }

  private static let item = try! Item(key: "new", width: 1, height: 1)

  /// Changes before and at the continuation, and of its item and its section: the keys that follow
  /// b-1, and those before it if they were read backward.
  @Test(
    arguments: [
      ([.insert([item], at: .index(0, section: "b")), .delete(keys: ["a-0"])], "b-2 b-3 c-0", nil),
      ([.insertSection(key: "z", index: 0), .moveSection(key: "c", index: 0)], "b-2 b-3", nil),
      ([.insert([item], at: .index(3, section: "c")), .delete(keys: ["c-0"])], nil, "b-0 a-3 a-2"),
      ([.insert([item], at: .after("b-1"))], "new b-2 b-3", nil),
      ([.insert([item], at: .before("b-1"))], nil, "new b-0 a-3"),
      ([.delete(keys: ["b-1"])], "b-2 b-3 c-0", "b-0 a-3 a-2"),
      ([.move(key: "b-1", to: .end(section: "c"))], "b-2 b-3 c-0", nil),
      ([.move(key: "b-1", to: .index(0, section: "a"))], "b-2 b-3 c-0", nil),
      (
        [.delete(keys: ["b-1"]), .delete(keys: ["b-2", "b-0"]), .delete(keys: ["b-3"])],
        "c-0 c-1 c-2", nil
      ),
      ([.deleteSection(key: "b")], "c-0 c-1 c-2", "a-3 a-2 a-1"),
      ([.moveSection(key: "b", index: 2)], "c-0 c-1 c-2", nil),
      ([.moveSection(key: "b", index: 0)], "c-0 c-1 c-2", "a-3 a-2 a-1"),
      ([.deleteSection(key: "b"), .deleteSection(key: "c")], "", nil),
    ] as [([BatchOperation], String?, String?)])
  func aContinuationFollowsChanges(
    changes: [BatchOperation], onward: String?, backward: String?
  ) throws {
    for (query, expected) in [(toB1, onward), (fromB1, backward)] {
      guard let expected else { continue }
      #expect(try after(query, feed(), changes).joined(separator: " ") == expected)
    }
  }

  /// An item that is deleted and inserted again has its old position.
  @Test func aReinsertedItemIsNotRepeated() throws {
    let again = try Item(key: "b-1", width: 2, height: 1)
    for query in [toB1, fromB1] {
      #expect(
        try !after(
          query, feed(), [.delete(keys: ["b-1"]), .insert([again], at: .after("b-0"))]
        ).contains("b-1"))
    }
  }

  @Test func aRectangleContinuesAfterAnyElement() throws {
    let feed = try feed()
    let whole = try feed.read { keys(try $0.elements(in: Self.everything)) }
    #expect(whole.count == 18)
    for count in 1..<whole.count {
      let page = try feed.read { try $0.elements(in: Self.everything, limit: count) }
      let next = try #require(page.next)
      #expect(
        try feed.read { try keys($0.elements(after: next, limit: 99)) } == Array(whole[count...]))
    }
    // After the footer of "a", and after the header of "b".
    for (count, first) in [(6, "header of b"), (7, "b-0")] {
      let query = ElementsQuery.rect(Self.everything, limit: count)
      #expect(try after(query, self.feed(), [.insertSection(key: "z", index: 0)]).first == first)
      #expect(try after(query, self.feed(), [.delete(keys: ["a-0", "a-1"])]).first == first)
    }
    #expect(
      try after(.rect(Self.everything, limit: 6), self.feed(), [.insertSection(key: "z", index: 1)])
        == ["header of z", "footer of z", "header of b"])
    #expect(
      try after(.rect(Self.everything, limit: 7), self.feed(), [.deleteSection(key: "b")])
        == ["header of c", "c-0", "c-1"])
  }

  /// An import rebuilds the lists: the item's key determines where to continue, as long as it
  /// exists.
  @Test func afterAnImportTheKeyGivesThePosition() throws {
    func next(_ feed: TestFeed) throws -> Continuation {
      try #require(try feed.read { try $0.elements(toB1).next })
    }
    let grown = try feed()
    let before = try next(grown)
    try grown.importItems(
      [OracleSection("b", sizes: []), OracleSection("d", sizes: [(1, 1), (1, 1)])], mode: .append)
    #expect(
      try grown.read { try keys($0.elements(after: before, limit: 9)).suffix(3) } == [
        "c-3", "d-0", "d-1",
      ])
    let replaced = try feed()
    let lost = try next(replaced)
    try replaced.importItems([OracleSection("b", sizes: [(1, 1), (1, 1), (1, 1)])], mode: .replace)
    #expect(try replaced.read { try keys($0.elements(after: lost)) } == ["b-2"])
    try replaced.cache.update("feed", with: [.move(key: "b-1", to: .index(0, section: "b"))])
    expectGone(replaced, lost)
    let elsewhere = try feed()
    let other = try next(elsewhere)
    try elsewhere.importItems([OracleSection("q", sizes: [(1, 1)])], mode: .replace)
    expectGone(elsewhere, other)
  }

  private func expectGone(_ feed: TestFeed, _ next: Continuation) {
    let error = #expect(throws: LayoutCacheError.self) {
      try feed.read { try $0.elements(after: next) }
    }
    guard case .continuationExpired(dataset: "feed")? = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.category == .notFound)
  }

  @Test func aContinuationExpiresWithItsDatasetAndItsLog() throws {
    let feed = try feed()
    let next = try #require(try feed.read { try $0.elements(toB1).next })
    try feed.cache.renameDataset("feed", to: "other")
    let page = try feed.cache.read(LayoutID("layout", of: "other")) {
      try $0.elements(after: next, limit: 1)
    }
    #expect(keys(page) == ["b-2"])
    try feed.cache.renameDataset("other", to: "feed")
    try feed.cache.update("feed", with: [.delete(keys: ["a-0"])])
    try feed.cache.update("feed", with: [.delete(keys: ["a-1"])])
    try feed.cache.checkpoint()
    let raw = try RawDatabase(path: feed.path)
    try raw.execute("DELETE FROM log WHERE revision = 2")
    expectGone(feed, next)
    try feed.cache.removeDataset("feed")
    try feed.importItems([OracleSection("b", sizes: [(1, 1), (1, 1), (1, 1)])])
    try feed.set(#"{"container":{"width":100},"section":{"columns":1}}"#)
    expectGone(feed, next)
  }

  @Test func anotherLayoutRefusesTheContinuation() throws {
    let feed = try feed()
    let next = try #require(try feed.read { try $0.elements(toB1).next })
    let wide = LayoutID("wide", of: "feed")
    try feed.cache.setLayout(
      wide, to: ConfigurationText.decode(#"{"container":{"width":200},"section":{"columns":1}}"#))
    let error = #expect(throws: LayoutCacheError.self) {
      try feed.cache.read(wide) { try $0.elements(after: next) }
    }
    #expect(error?.category == .usage)
    guard case .continuationMismatch(Self.phone, asked: wide)? = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func aDamagedTokenIsRejected() throws {
    let feed = try feed()
    let pages = try feed.read { snapshot in
      try [
        snapshot.elements(toB1), snapshot.elements(fromB1),
        snapshot.elements(in: Self.everything, limit: 1),
        snapshot.elements(
          in: Self.everything, visible: Rect(x: -5, y: -7, width: 9, height: 9), limit: 2),
      ]
    }
    var generator = SeededGenerator(seed: 5)
    for page in pages {
      let next = try #require(page.next)
      #expect(Continuation(token: next.token) == next && next.layout == Self.phone)
      #expect(
        next.token.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
      let bytes = Array(next.token.utf8)
      for count in 0..<bytes.count {
        #expect(Continuation(token: String(decoding: bytes[..<count], as: UTF8.self)) == nil)
      }
      for index in bytes.indices {
        var other = bytes
        other[index] = other[index] == 65 ? 66 : 65
        let read = Continuation(token: String(decoding: other, as: UTF8.self))
        #expect(read == nil, "seed 5, byte \(index)")
      }
    }
    for text in ["", "1.2.3", "=", "A", "\u{0}", String(repeating: "A", count: 5000), "é"] {
      #expect(Continuation(token: text) == nil)
    }
    // A forged token, including its checksum, gets an answer or an error.
    let made = try #require(pages[2].next)
    for _ in 0..<2000 {
      var hostile = Array(try #require(tokenBytes(made.token)).dropLast(4))
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        hostile[Int.random(in: 0..<hostile.count, using: &generator)] = .random(
          in: 0...255, using: &generator)
      }
      guard let next = Continuation(token: tokenText(hostile + Continuation.check(hostile)))
      else { continue }
      do { _ = try feed.read { try $0.elements(after: next) } } catch {
        #expect(error is LayoutCacheError, "\(error)")
      }
    }
  }
}
