import LayoutCacheTestSupport
import Synchronization
import TestSupport
import Testing

@testable import LayoutCache

/// A client's current and next layout: both at one revision, despite concurrent commits.
@Suite struct TwoLayoutReadTests {
  private static let phone = LayoutID("layout", of: "feed")

  private func feed() throws -> TestFeed {
    let feed = try TestFeed(
      [.mixed("s", count: 80)],
      configuration: #"{"container":{"width":300},"section":{"columns":2}}"#)
    try feed.cache.setLayout(
      LayoutID("wide", of: "feed"),
      to: ConfigurationText.decode(#"{"container":{"width":900},"section":{"columns":5}}"#))
    return feed
  }

  private static func resize(_ height: Int) throws -> [BatchOperation] {
    [.resize(key: "s-3", size: try Item(key: "any", width: 10, height: Double(height)).size)]
  }

  @Test func bothSnapshotsHaveOneRevisionDuringCommits() throws {
    let feed = try feed()
    let path = feed.path
    let goesOn = Mutex(true)
    let hasEnded = Mutex(false)
    let writer = Threads.start { _ in
      defer { hasEnded.withLock { $0 = true } }
      let own = try LayoutCache(path: path)
      var height = 1
      while goesOn.withLock({ $0 }) {
        try own.update("feed", with: Self.resize(height))
        height = height % 500 + 1
      }
    }
    defer { goesOn.withLock { $0 = false } }
    var revisions: Set<Int> = []
    // A failing writer ends the loop; a working one commits until six are seen.
    while revisions.count < 6, !hasEnded.withLock({ $0 }) {
      let (first, last) = try feed.cache.read(from: Self.phone, to: "wide") { ($0, $1) }
      #expect(first?.revision == last.revision)
      #expect(first?.layout == Self.phone && last.layout.layout == "wide")
      revisions.insert(last.revision)
    }
    goesOn.withLock { $0 = false }
    try writer.join()
    #expect(revisions.count == 6)
  }
}
