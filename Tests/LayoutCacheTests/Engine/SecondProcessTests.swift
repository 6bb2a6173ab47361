import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import TestSupport
import Testing

@testable import LayoutCache

/// The state of a process while another one commits to the same file.
@Suite struct SecondProcessTests {
  private static let configuration = #"{"container":{"width":10},"section":{"columns":1}}"#

  private let feed: TestFeed
  private let other: LayoutCache

  init() throws {
    feed = try TestFeed(
      [OracleSection("s", sizes: [(1, 5), (1, 5), (1, 5)])], configuration: Self.configuration)
    other = try LayoutCache(path: feed.path)
  }

  private func resize(_ cache: LayoutCache, _ number: Int) throws {
    try cache.update(
      "feed", with: [.resize(key: "s-0", size: Size(width: 1, height: .points(Double(number))))])
  }

  @Test func followingAnothersCommitsDoesNotRequestALayout() throws {
    let read = LayoutID("read", of: "feed")
    try feed.cache.setLayout(read, to: ConfigurationText.decode(Self.configuration))
    for layout in ["layout", "read"] { try feed.cache.prepare(LayoutID(layout, of: "feed")) }
    for number in 1...(Budgets.commitsInUse + 50) {
      try resize(other, number)
      if number.isMultiple(of: 50) {
        try feed.cache.read(read) { _ in }
        try resize(feed.cache, number + 1)
      }
    }
    let state = try #require(feed.cache.openDatasets.dataset(inMemory: "feed")?.state(at: nil))
    #expect(state.layouts.values.map(\.row.name) == ["read"])
    let height = try feed.read { $0.contentSize.height }
    #expect(try height == feed.cache.read(read) { $0.contentSize.height })
  }

  @Test func aFileThatBecomesANodesIsNotChanged() throws {
    try resize(feed.cache, 7)
    try RawDatabase(path: feed.path).execute(
      "INSERT INTO replicas VALUES (1, x'00', 1, 1, x'00', 0)")
    #expect {
      try resize(feed.cache, 8)
    } throws: { error in
      if case .belongsToNode? = (error as? LayoutCacheError)?.code { true } else { false }
    }
  }
}
