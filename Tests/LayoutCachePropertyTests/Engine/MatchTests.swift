import CollectionLayout
import LayoutGeometry
import Testing

@testable import LayoutCache

/// Matching a dataset with a list.
@Suite struct MatchTests {
  private func item(
    _ key: String, _ height: Double = 10, span: Int = 1, data: String? = nil
  ) throws -> Item {
    try Item(
      key: key, width: 10, height: height, columnSpan: span,
      data: data.map { try! ItemData(json: #"{"t":"\#($0)"}"#) })
  }

  private func section(_ key: String, _ keys: String...) throws -> MatchedSection {
    MatchedSection(key: key, items: try keys.map { try item($0) })
  }

  private func makeCache(_ sections: [MatchedSection]) throws -> LayoutCache {
    let cache = try LayoutCache.temporary()
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for section in sections {
        try importer.addSection(section.key)
        for item in section.items { try importer.add(item, section: section.key) }
      }
    }
    try cache.setLayout(
      LayoutID("layout", of: "feed"),
      to: ConfigurationText.decode(
        #"{"container":{"width":100},"section":{"columns":2,"header":20}}"#))
    _ = try cache.read(LayoutID("layout", of: "feed")) { $0.contentSize }
    return cache
  }

  private func contents(_ cache: LayoutCache) throws -> [MatchedSection] {
    var sections: [MatchedSection] = []
    try cache.forEachSection(of: "feed") { sections.append(MatchedSection(key: $0.key, items: [])) }
    try cache.forEachItem(of: "feed") { section, item in
      let index = sections.firstIndex { $0.key == section }!
      sections[index].items.append(item)
    }
    return sections
  }

  @Test func aKeyThatIsListedTwiceIsNamed() throws {
    let cache = try makeCache([section("s", "a", "b")])
    func reason(_ list: [MatchedSection]) -> BatchError? {
      do {
        try cache.update("feed", toMatch: list)
        return nil
      } catch {
        guard case .refused(_, let reason)? = (error as? LayoutCacheError)?.code else { return nil }
        return reason
      }
    }
    #expect(reason([try section("s", "a", "b"), try section("t", "a")]) == .duplicateKey("a"))
    #expect(reason([try section("s", "n", "n")]) == .duplicateKey("n"))
    #expect(reason([try section("s", "a"), try section("s", "b")]) == .sectionTwice("s"))
    #expect(try cache.dataset("feed").revision == 1)
    #expect {
      _ = try cache.importItems(into: "feed", mode: .match) { importer in
        try importer.add(item("a"), section: "s", line: 2)
        try importer.add(item("z"), section: "s", line: 3)
        try importer.add(item("a"), section: "t", line: 4)
      }
    } throws: { error in
      guard case .duplicateKey(let key)? = (error as? LayoutCacheError)?.code else { return false }
      return key == DuplicateKey(key: "a", lines: [2, 4])
    }
  }

  @Test func missingItemsMayKeepTheirPositions() throws {
    let cache = try makeCache([
      section("p"), section("s", "x", "a", "b", "c", "d"), section("q", "r"), section("t", "e"),
    ])
    try cache.update(
      "feed", toMatch: [section("t", "c"), section("s", "n", "d", "a")], missing: .keep)
    // 'b' follows 'a', independent of the move of 'c'.
    let expected = [
      try section("p"), try section("t", "e", "c"),
      try section("s", "x", "n", "d", "a", "b"), try section("q", "r"),
    ]
    #expect(try contents(cache) == expected)
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func otherOperationsOfTheBatchComeFirstOrAfter() throws {
    let cache = try makeCache([section("s", "a", "b")])
    let list = [try section("s", "b", "c")]
    let commit = try cache.update(
      "feed",
      with: [
        .insert([item("c")], at: .index(0, section: "s")), .match(list),
        .resize(key: "b", size: Size(width: 1, height: 1)), .mark(source: "s", position: "7"),
      ])
    #expect(commit.revision == 2)
    #expect(try contents(cache)[0].items.map(\.key) == ["b", "c"])
    let again = try cache.update("feed", with: [.match([]), .mark(source: "s", position: "7")])
    #expect(again.isRepeated && again.revision == 2)
  }

  @Test func anImportMatchesToo() throws {
    let cache = try makeCache([section("s", "a", "b", "c")])
    try cache.update("feed", with: [.prefer(layout: "layout", key: "c", length: 9)])
    let list = [try section("t", "d"), try section("s", "c", "a")]
    func match() throws -> ImportSummary {
      try cache.importItems(into: "feed", mode: .match) { importer in
        for section in list {
          for item in section.items { try importer.add(item, section: section.key) }
        }
      }
    }
    let summary = try match()
    #expect(summary.revision == 3 && summary.importedCount == 1 && summary.itemCount == 3)
    #expect(summary.matched == MatchedItems(deletedCount: 1, movedCount: 1, changedCount: 0))
    #expect(try contents(cache) == list)
    let again = try match()
    #expect(again.revision == 3 && again.matched == MatchedItems())
    try cache.update(
      "feed",
      with: [
        .resize(key: "a", size: Size(width: 3, height: 4)),
        .data(key: "a", try ItemData(json: #"{"n":1}"#)),
      ])
    #expect(try match().matched == MatchedItems(changedCount: 1))
    #expect(try cache.changes(of: "feed", since: 2, layout: "layout").updates.everything == false)
    let created = try cache.importItems(into: "new", mode: .match) { importer in
      try importer.add(item("a"))
    }
    #expect(created.revision == 1 && created.importedCount == 1)
  }

  /// A difference larger than a batch is published as an import, with measured lengths and marks.
  @Test(arguments: [MissingItems.remove, .keep], [false, true])
  func aHugeDifferenceIsAnImport(_ missing: MissingItems, _ isStreamed: Bool) throws {
    if isStreamed && missing == .keep { return }
    let cache = try makeCache([section("s", "a", "b", "c"), section("t", "e")])
    try cache.update(
      "feed",
      with: [
        .preferLengths(
          layout: "layout", ["a", "b", "c", "e"].map { MeasuredLength(key: $0, length: 33) }),
        .preferSupplementary(layout: "layout", kind: .header, section: "s", length: 44),
        .mark(source: "x", position: "1"),
      ])
    let long = String(repeating: "x", count: 4000)
    var new: [Item] = []
    for index in 0..<4400 { new.append(try item("n\(index)", data: long)) }
    let list = [
      MatchedSection(key: "u", items: new),
      MatchedSection(key: "s", items: [try item("c", 11), try item("a")]),
    ]
    if isStreamed {
      let summary = try cache.importItems(into: "feed", mode: .match) { importer in
        for section in list {
          for item in section.items { try importer.add(item, section: section.key) }
        }
      }
      #expect(summary.revision == 3 && summary.importedCount == 4400)
    } else {
      #expect(throws: LayoutCacheError.self) {
        try cache.update("feed", with: [.match(list)], expecting: 2)
      }
      #expect(throws: LayoutCacheError.self) {
        try cache.update("feed", toMatch: list, missing: missing, expecting: 1)
      }
      let commit = try cache.update("feed", toMatch: list, missing: missing, expecting: 2)
      #expect(commit.revision == 3 && commit.updates.everything)
    }
    var expected = list
    if missing == .keep {
      expected[1].items.append(try item("b"))
      expected.append(try section("t", "e"))
    }
    let found = try contents(cache)
    #expect(found.map(\.key) == expected.map(\.key))
    #expect(found == expected)
    var measured: [String] = []
    try cache.forEachMeasuredLength(of: "feed") { operation in
      if case .prefer(_, let key, _, _) = operation { measured.append(key) }
    }
    #expect(measured == (missing == .keep ? ["a", "b", "e"] : ["a"]))
    #expect(try cache.dataset("feed").marks.map(\.position) == ["1"])
    #expect(try cache.verify().problems.isEmpty)
  }

  /// After three passes on snapshots, the match is resolved in its transaction.
  @Test(arguments: [false, true])
  func aMatchSucceedsNextToAWriterThatCommitsBetweenAllAttempts(isImport: Bool) throws {
    let cache = try makeCache([section("s", "a", "b")])
    let list = [try section("s", "b", "a")]
    func disturbed(_ times: Int) throws {
      var request = ChangeRequest(.batch([.match(list)]))
      if isImport {
        var importer = try cache.beginImport(into: "feed", .match, .fail, .remove)
        for item in list[0].items { try importer.add(item, section: "s") }
        request.work = .append(ImportedBatch(importer))
      }
      var attempts = 0
      _ = try cache.resolvingFirst(request, in: "feed") { batch in
        attempts += 1
        if attempts > 1, attempts <= times + 1 {
          try cache.update("feed", with: [.insert([item("x\(attempts)")], at: .end(section: "s"))])
        }
        return try cache.commitResolved(batch, to: "feed")
      }
      #expect(attempts == 4)
    }
    for times in 2...3 {
      try disturbed(times)
      #expect(try contents(cache) == list)
    }
  }
}
