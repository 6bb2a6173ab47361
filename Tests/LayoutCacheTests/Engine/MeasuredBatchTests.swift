import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// Lengths measured by a client: rejected ones, many in one operation, and those of another width.
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

  @Test func lengthsOfMissingElementsAreRejected() throws {
    let feed = try makeFeed()
    let cache = feed.cache
    try cache.setLayout(
      LayoutID("flow", of: "feed"), to: ConfigurationText.decode(KindExample.flow.configuration()))
    func header(
      _ length: Length?, of section: String = "a", layout: String = "layout"
    ) -> BatchOperation {
      .preferSupplementary(layout: layout, kind: .header, section: section, length: length)
    }
    func reason(_ operation: BatchOperation) -> BatchError? {
      let error = #expect(throws: LayoutCacheError.self) {
        try cache.update("feed", with: [operation])
      }
      return if case .refused(_, let reason)? = error?.code { reason } else { nil }
    }
    let (tooLong, none) = (Length(units: 64_000_001), "none")
    guard case .noSupplementary(.header, "a", "flow")? = reason(header(9, layout: "flow")),
      case .noSuchLayout? = reason(header(nil, layout: none)),
      case .noSuchSection? = reason(header(9, of: none)),
      case .limit? = reason(header(.zero)), case .limit? = reason(header(tooLong)),
      case .limit? = reason(
        .prefer(layout: "flow", key: "a-0", length: 1, crossLength: tooLong)),
      case .takesNoCrossLength("a-0", .waterfall, "layout")? = reason(
        .prefer(layout: "layout", key: "a-0", length: 1, crossLength: 1))
    else {
      Issue.record("unexpected reason")
      return
    }
    // A missing length can be reset.
    #expect(try cache.update("feed", with: [header(nil, layout: "flow")]).revision == 1)
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
    #expect(throws: LayoutCacheError.self) {
      try feed.cache.update("feed", with: [.resetLengths(layout: "none")])
    }
    // The last entry counts, so an earlier one that no section accepts is ignored.
    let grid = try makeFeed(.grid)
    #expect(throws: LayoutCacheError.self) {
      try grid.cache.update(
        "feed", with: [.preferLengths(layout: "layout", lengths(("a-1", 6)), missing: .ignore)])
    }
    try grid.cache.update(
      "feed", with: [.preferLengths(layout: "layout", lengths(("a-1", 6), ("a-1", nil)))])
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
    try feed.cache.update(
      "feed",
      with: [
        .prefer(layout: "layout", key: "a-3", length: 50),
        .preferSupplementary(layout: "layout", kind: .header, section: "a", length: 40),
        .preferSupplementary(layout: "layout", kind: .footer, section: "a", length: 30),
      ])
    if !last.isEmpty { try feed.cache.update("feed", with: last) }
    try feed.set(KindExample.waterfall.configuration(width: 777, extra: Self.ends))
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
    try feed.set(KindExample.waterfall.configuration(width: 333, extra: Self.ends))
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
        .preferLengths(layout: "layout", keys.map { MeasuredLength(key: $0, length: 9) })
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
