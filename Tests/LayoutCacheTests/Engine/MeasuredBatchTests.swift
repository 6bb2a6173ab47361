import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// Many measured lengths in one operation, and resetting all of a layout.
@Suite struct MeasuredBatchTests {
  private static let ends = #","header":20,"footer":10"#

  private func makeFeed(
    _ example: KindExample = .waterfall, count: Int = 20,
    options: LayoutCacheOptions = LayoutCacheOptions()
  ) throws -> TestFeed {
    try TestFeed(
      [.mixed("a", count: count), .mixed("b", count: count)],
      configuration: example.configuration(extra: Self.ends), options: options)
  }

  private func frames(_ feed: TestFeed) throws -> [Rect] {
    try feed.read { snapshot in
      try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
        .map(\.frame)
    }
  }

  private func measuredKeys(_ cache: LayoutCache) throws -> [String] {
    var keys: [String] = []
    try cache.forEachMeasuredLength(of: "feed") { operation in
      switch operation {
      case .prefer(_, let key, _, _): keys.append(key)
      case .preferSupplementary(_, let kind, let section, _):
        keys.append("\(kind.rawValue) \(section)")
      default: Issue.record("no measured length: \(operation)")
      }
    }
    return keys
  }

  private func lengths(_ entries: (String, Length?)...) -> [MeasuredLength] {
    entries.map { MeasuredLength(key: $0.0, length: $0.1) }
  }

  @Test func oneOperationEqualsOneForEachItem() throws {
    let (one, many) = (try makeFeed(), try makeFeed())
    for feed in [one, many] { _ = try frames(feed) }
    let entries = lengths(("a-3", 50), ("b-1", 7), ("a-3", 61), ("a-0", 5), ("a-0", nil))
    let commit = try one.cache.update(
      "feed", with: [.preferLengths(layout: "layout", entries)])
    try many.cache.update(
      "feed",
      with: [("b-1", 7), ("a-3", 61)].map {
        .prefer(layout: "layout", key: $0.0, length: $0.1)
      })
    #expect(commit.revision == 2)
    #expect(try frames(one) == frames(many))
    #expect(try measuredKeys(one.cache) == ["a-3", "b-1"])
    // Unchanged: no revision.
    let again = try one.cache.update("feed", with: [.preferLengths(layout: "layout", entries)])
    #expect(again.revision == 2)
    #expect(
      try one.cache.update("feed", with: [.preferLengths(layout: "layout", [])]).revision == 2)
    try one.cache.undo("feed")
    #expect(try measuredKeys(one.cache) == [])
    try one.cache.undo("feed")
    #expect(try measuredKeys(one.cache) == ["a-3", "b-1"])
    #expect(try one.cache.verify().problems.isEmpty)
  }

  @Test func missingItemsAreSkippedOnlyOnRequest() throws {
    let feed = try makeFeed()
    let entries = lengths(("none", 5), ("a-1", 6))
    #expect(throws: LayoutCacheError.self) {
      try feed.cache.update("feed", with: [.preferLengths(layout: "layout", entries)])
    }
    #expect(try feed.cache.dataset("feed").revision == 1)
    try feed.cache.update(
      "feed", with: [.preferLengths(layout: "layout", entries, missing: .ignore)])
    #expect(try measuredKeys(feed.cache) == ["a-1"])
    // The last entry counts, so an earlier one that no section accepts is ignored.
    let grid = try makeFeed(.grid)
    #expect(throws: LayoutCacheError.self) {
      try grid.cache.update(
        "feed", with: [.preferLengths(layout: "layout", lengths(("a-1", 6)), missing: .ignore)])
    }
    try grid.cache.update(
      "feed", with: [.preferLengths(layout: "layout", lengths(("a-1", 6), ("a-1", nil)))])
  }

  @Test(arguments: KindExample.all)
  func allMeasurementsOfAScreenAreOneOperation(_ example: KindExample) throws {
    let feed = try makeFeed(example, count: 7)
    let measured = try feed.read { snapshot in
      try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
        .map { element in
          var measured = element
          measured.untransformedFrame.size =
            measured.untransformedFrame.size + Size(width: 0, height: 7)
          return measured
        }
    }
    let isMeasured = KindExample.measured.contains { $0.name == example.name }
    let operations = try feed.read { snapshot in
      #expect(try snapshot.preferences(from: []).isEmpty)
      // The last of several entries for one element counts: here the unchanged one.
      let same = try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize)).elements
      #expect(try snapshot.preferences(from: measured + same).isEmpty)
      return try snapshot.preferences(from: same + measured)
    }
    #expect(operations.count == (isMeasured ? 5 : 4))
    try feed.cache.update("feed", with: operations)
    #expect(try measuredKeys(feed.cache).count == 4 + (isMeasured ? 14 : 0))
    let rest = try feed.read { try $0.preferences(from: measured) }
    #expect(rest.isEmpty)
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func allLengthsOfALayoutAreDroppedAndNoOthers() throws {
    var options = LayoutCacheOptions()
    options.treeShapes = .tiny
    let feed = try makeFeed(options: options)
    let other = LayoutID("other", of: "feed")
    try feed.cache.setLayout(
      other, to: ConfigurationText.decode(KindExample.waterfall.configuration(extra: Self.ends)))
    let before = try frames(feed)
    let entries = lengths(("a-3", 50), ("b-1", 7), ("b-19", 8))
    for layout in ["layout", "other"] {
      try feed.cache.update(
        "feed",
        with: [
          .preferLengths(layout: layout, entries),
          .preferSupplementary(layout: layout, kind: .header, section: "b", length: 5),
        ])
    }
    let measured = try frames(feed)
    let reset = BatchOperation.resetLengths(layout: "layout")
    let commit = try feed.cache.update("feed", with: [reset, .mark(source: "s", position: "1")])
    #expect(commit.revision == 4 && commit.updates.isEmpty)
    #expect(commit.layouts.first { $0.layout == "layout" }?.context.invalidateEverything == false)
    #expect(try frames(feed) == before)
    #expect(try measuredKeys(feed.cache).count == 4)
    #expect(try feed.cache.update("feed", with: [reset]).revision == 4)
    try feed.cache.undo("feed")
    #expect(try frames(feed) == measured && measuredKeys(feed.cache).count == 8)
    #expect(throws: LayoutCacheError.self) {
      try feed.cache.update("feed", with: [.resetLengths(layout: "none")])
    }
    #expect(throws: LayoutCacheError.self) {
      try feed.cache.update("feed", with: [reset], expecting: 4)
    }
    try feed.cache.close()
    let reopened = try LayoutCache(path: feed.path, options: options)
    #expect(try reopened.update("feed", with: [reset]).revision == 6)
    #expect(try reopened.verify().problems.isEmpty)
  }

  /// Each kind of change of a configuration, and whether it keeps measured lengths.
  @Test(arguments: [
    (#"{"container":{"width":200,"height":900},"section":{"columns":3}}"#, true),
    (#"{"container":{"width":201},"section":{"columns":2}}"#, false),
    (#"{"container":{"width":201},"section":{"columns":2},"keepsMeasuredLengths":true}"#, true),
    (
      #"{"container":{"width":900,"height":200},"scrollDirection":"horizontal","section":{"columns":2}}"#,
      false
    ),
  ])
  func lengthsOfAnotherContainerAreDropped(_ text: String, _ keeps: Bool) throws {
    let feed = try TestFeed(
      [.mixed("a", count: 20)],
      configuration: #"{"container":{"width":200},"section":{"columns":2,"header":20}}"#)
    try feed.cache.setLayout(
      LayoutID("other", of: "feed"),
      to: ConfigurationText.decode(#"{"container":{"width":200},"section":{"columns":2}}"#))
    _ = try frames(feed)
    try feed.cache.update(
      "feed",
      with: [
        .prefer(layout: "layout", key: "a-3", length: 50),
        .prefer(layout: "other", key: "a-3", length: 50),
        .preferSupplementary(layout: "layout", kind: .header, section: "a", length: 30),
      ])
    try feed.set(text)
    #expect(try feed.cache.dataset("feed").revision == (keeps ? 2 : 3))
    var others = 0
    var own = 0
    try feed.cache.forEachMeasuredLength(of: "feed") { operation in
      if case .prefer("other", _, _, _) = operation { others += 1 } else { own += 1 }
    }
    #expect(others == 1 && own == (keeps ? 1 : 0))
    // Setting the same text changes nothing, and neither does reverting it.
    try feed.set(text)
    try feed.set(#"{"container":{"width":200},"section":{"columns":2,"header":20}}"#)
    #expect(try feed.cache.verify().problems.isEmpty)
    if !keeps {
      #expect(try feed.cache.dataset("feed").revision == 3)
      try feed.cache.undo("feed")
      #expect(try measuredKeys(feed.cache) == ["a-3"])
    }
  }

  /// Each kind of commit whose inverse restores a length, before the width changes.
  @Test(
    arguments: [
      [], [.delete(keys: ["a-3"])], [.deleteSection(key: "a")],
      [.resize(key: "a-3", size: Size(width: 9, height: 9))],
      [.preferLengths(layout: "layout", [MeasuredLength(key: "a-3", length: nil)])],
    ] as [[BatchOperation]])
  func undoRestoresNoLengthOfAnotherWidth(_ last: [BatchOperation]) throws {
    let feed = try makeFeed()
    try feed.cache.update("feed", with: [.prefer(layout: "layout", key: "a-3", length: 50)])
    if !last.isEmpty { try feed.cache.update("feed", with: last) }
    try feed.set(#"{"container":{"width":777},"section":{"columns":2}}"#)
    try feed.cache.undo("feed")
    #expect(try measuredKeys(feed.cache) == [])
    let all = try feed.cache.dataset("feed").itemCount
    for target in [2, 1] {
      try feed.cache.undo("feed", to: target)
      #expect(try measuredKeys(feed.cache) == [])
      #expect(try feed.cache.dataset("feed").itemCount >= all)
    }
    // Nor does a redo.
    try feed.cache.undo("feed")
    #expect(try measuredKeys(feed.cache) == [])
    try feed.cache.undo("feed")
    // Other commits can be undone, before and after the width changes.
    try feed.cache.update("feed", with: [.delete(keys: ["b-1"])])
    try feed.set(#"{"container":{"width":333},"section":{"columns":2}}"#)
    try feed.cache.undo("feed")
    #expect(try feed.cache.hasItem(forKey: "b-1", of: "feed"))
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func moreLengthsThanOneCommitCanDropAreDropped() throws {
    let feed = try makeFeed(count: 3000)
    let keys = ["a", "b"].flatMap { section in (0..<3000).map { "\(section)-\($0)" } }
    try feed.cache.update(
      "feed",
      with: [
        .preferLengths(
          layout: "layout", keys.map { MeasuredLength(key: $0, length: 9) })
      ])
    #expect(try measuredKeys(feed.cache).count == 6000)
    try feed.set(#"{"container":{"width":333},"section":{"columns":2}}"#)
    #expect(try measuredKeys(feed.cache).isEmpty)
    #expect(try feed.cache.verify().problems.isEmpty)
  }

  @Test func aResetIsResolvedAgainAfterConcurrentChanges() throws {
    let feed = try makeFeed()
    let cache = feed.cache
    try cache.update("feed", with: [.preferLengths(layout: "layout", lengths(("a-1", 5)))])
    let batch = ChangeRequest(.batch([.resetLengths(layout: "layout")]))
    func disturbed(_ times: Int) throws -> (attempts: Int, Commit) {
      var attempts = 0
      let commit = try cache.resolvingFirst(batch, in: "feed") { batch in
        attempts += 1
        if attempts > 1, attempts <= times + 1 {
          try cache.update(
            "feed",
            with: [
              .prefer(layout: "layout", key: "a-2", length: Length(units: Int64(64 * attempts)))
            ])
        }
        return try cache.commitResolved(batch, to: "feed").applied.commit
      }
      return (attempts, commit)
    }
    let (attempts, commit) = try disturbed(2)
    #expect(attempts == 4 && commit.revision == 5)
    #expect(try measuredKeys(cache) == [])
    // The last attempt is resolved in its transaction.
    #expect(try disturbed(3).attempts == 4)
    #expect(try measuredKeys(cache) == [])
  }
}
