import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: resizes at random positions, and the rows of nodes that their checkpoints leave in
// the file. Checkpoints are the cost of edits in addition to their commits.

@Suite struct CheckpointWorkTests {
  private static let configuration = #"""
    {"container":{"width":1000},
     "section":{"columns":5,"itemLength":"natural","maximumSkew":1000000}}
    """#

  /// The rows of nodes, and the bytes in them.
  private struct Rows: Equatable {
    var whole = 0
    var wholeBytes = 0
    var differences = 0
    var differenceBytes = 0
    /// The highest node number: the number of nodes written, including failed attempts.
    var written = 0
  }

  private func rows(_ path: String) throws -> Rows {
    let database = try RawDatabase(path: path)
    var rows = Rows()
    for row in try database.rows("SELECT id, length(payload) FROM nodes") {
      let (id, bytes) = (try #require(row[0].number), Int(try #require(row[1].number)))
      if id >> 37 & 1 == 0 {
        rows.whole += 1
        rows.wholeBytes += bytes
      } else {
        rows.differences += 1
        rows.differenceBytes += bytes
      }
    }
    let numbers = try database.number(
      "SELECT (SELECT sum(next_node) FROM datasets) + (SELECT sum(next_node) FROM layouts)")
    rows.written = Int(numbers ?? 0)
    return rows
  }

  private func resize(
    _ count: Int, of itemCount: Int, in cache: LayoutCache, using random: inout SeededGenerator
  ) throws {
    for _ in 0..<count {
      let item = Int.random(in: 0..<itemCount, using: &random)
      let size = Size(
        width: .points(400), height: .points(Double(Int.random(in: 100...499, using: &random))))
      try cache.update("feed", with: [.resize(key: "s-\(item)", size: size)])
    }
  }

  @Test func resizesAreStoredAsDifferencesOnly() throws {
    let heights = (0..<20_000).map { (400.0, Double(100 + $0 * 7919 % 400)) }
    let test = try TestFeed([OracleSection("s", sizes: heights)], configuration: Self.configuration)
    try test.read { _ in }
    try test.cache.checkpoint()
    let before = try rows(test.path)
    #expect(before.differences == 0)
    var random = SeededGenerator(seed: 11)
    var last = before
    for _ in 0..<3 {
      try resize(100, of: heights.count, in: test.cache, using: &random)
      try test.cache.checkpoint()
      let after = try rows(test.path)
      // One difference for each changed node, except for two whose whole content is as short:
      // the layout's leaf of one section, and its root all of whose five children have changed.
      let written = after.written - last.written - 2
      // And the previous versions, while older checkpoints need them.
      #expect((0...3).contains(after.whole - before.whole))
      #expect(after.differences >= written && after.differences - last.differences <= written)
      if last == before { #expect(after.differences == written, "\(before) \(after)") }
      // Seal, base, and some bytes for each of the changes.
      #expect(after.differenceBytes < after.differences * 60, "\(after)")
      last = after
    }
    #expect(try test.cache.verify().problems.isEmpty)
  }

  @Test func nodesWithManyChangesAreEventuallyRewritten() throws {
    let heights = (0..<2000).map { (400.0, Double(100 + $0 * 7919 % 400)) }
    let test = try TestFeed([OracleSection("s", sizes: heights)], configuration: Self.configuration)
    try test.read { _ in }
    try test.cache.checkpoint()
    let before = try rows(test.path)
    var random = SeededGenerator(seed: 12)
    for _ in 0..<20 {
      try resize(200, of: heights.count, in: test.cache, using: &random)
      try test.cache.checkpoint()
      let after = try rows(test.path)
      // The file grows only by the permitted size of differences.
      #expect(after.differenceBytes <= (after.wholeBytes + 100 * after.differences) / 2)
      // A rewritten node exists twice while older checkpoints need the previous version.
      #expect((before.whole...2 * before.whole).contains(after.whole))
    }
    try test.cache.compact()
    #expect(try rows(test.path).whole == before.whole)
    #expect(try test.cache.verify().problems.isEmpty)
  }
}
