import BenchmarkBaselines
import Foundation
import Testing

@testable import BenchmarkCommands

// The engine's baselines must be correct: the arrays, the SQL and a full scan of a list of items
// count the same.

final class BaselineAgreementTests {
  let folder: BenchFolder

  init() throws { folder = try BenchFolder(in: NSTemporaryDirectory()) }

  deinit { folder.remove() }

  /// An item in the simplest form.
  struct Placed {
    var column: Int
    var start: Int64
    var length: Int64
  }

  /// The list, the arrays and the SQL with the same items.
  struct Feed {
    var list: [Placed] = []
    var arrays: PlainArrays
    var positions: [PlainArrays.Position] = []
    let sql: HandWrittenSQL

    init(
      items: Int, columns: Int, in folder: BenchFolder, using generator: inout BenchRandom
    ) throws {
      arrays = PlainArrays(columns: columns)
      sql = try HandWrittenSQL(
        path: folder.path(of: "items.sqlite"), columns: columns, cacheKibibytes: 2000)
      var ends = [Int64](repeating: 0, count: columns)
      for _ in 0..<items {
        let length = Int64.random(in: 1...50, using: &generator)
        let column = ends.firstIndex(of: ends.min() ?? 0) ?? 0
        list.append(Placed(column: column, start: ends[column], length: length))
        ends[column] += length
        positions.append(arrays.append(length: length))
      }
      let (positions, arrays, list) = (positions, arrays, list)
      try sql.insert(count: items) { number in
        HandWrittenSQL.Row(
          key: String(number), column: positions[number].column,
          y: arrays.start(of: positions[number]), height: list[number].length)
      }
    }

    mutating func resize(_ number: Int, by delta: Int64) throws {
      let item = list[number]
      list[number].length += delta
      for other in list.indices
      where list[other].column == item.column && list[other].start > item.start {
        list[other].start += delta
      }
      arrays.resize(positions[number], by: delta)
      try sql.resize(number, by: delta)
    }

    func check(_ viewport: Range<Int64>) throws {
      let expected = list.filter {
        $0.start < viewport.upperBound && viewport.lowerBound < $0.start + $0.length
      }.count
      #expect(arrays.count(in: viewport) == expected, "\(viewport)")
      #expect(try sql.count(in: viewport) == expected, "\(viewport)")
    }
  }

  @Test(arguments: [(0, 1), (1, 3), (7, 7), (300, 1), (400, 5)])
  func baselinesCountTheSameBeforeAndAfterResizes(items: Int, columns: Int) throws {
    var generator = BenchRandom(seed: UInt64(items * 100 + columns))
    var feed = try Feed(items: items, columns: columns, in: folder, using: &generator)
    for (number, item) in feed.list.enumerated() {
      #expect(feed.positions[number].column == item.column)
      #expect(feed.arrays.start(of: feed.positions[number]) == item.start)
    }
    for _ in 0..<20 {
      for _ in 0..<20 {
        let top = Int64.random(in: 0...(feed.arrays.length + 10), using: &generator)
        try feed.check(top..<(top + Int64.random(in: 1...200, using: &generator)))
      }
      guard items > 0 else { continue }
      let number = Int.random(in: 0..<items, using: &generator)
      let length = Int64.random(in: 1...50, using: &generator)
      try feed.resize(number, by: length - feed.list[number].length)
    }
  }

  @Test func anItemThatOnlyTouchesIsNotCounted() throws {
    var generator = BenchRandom(seed: 1)
    let feed = try Feed(items: 50, columns: 2, in: folder, using: &generator)
    for item in feed.list {
      for edge in [item.start, item.start + item.length] {
        try feed.check(edge..<(edge + 1))
        if edge > 0 { try feed.check((edge - 1)..<edge) }
      }
    }
  }

  @Test(arguments: [SynchronousLevel.normal, .full])
  func bareCommitsAreWrittenToTheFile(_ level: SynchronousLevel) throws {
    let path = folder.path(of: "commits.sqlite")
    let commits = try BareCommits(path: path, synchronous: level)
    for _ in 0..<100 { try commits.commit() }
    try commits.checkpoint()
    let wal = try #require(fileBytes(path + "-wal"))
    let file = try #require(fileBytes(path))
    #expect(wal == 0)
    // 100 rows of 256 bytes and a header page, in pages of 4 KiB.
    #expect(file >= 8 * 4096)
  }

  @Test func anErrorNamesTheFile() throws {
    let path = folder.path(of: "no/such/folder.sqlite")
    let error = #expect(throws: BaselineError.self) {
      try BareCommits(path: path, synchronous: .normal)
    }
    #expect(error?.description.contains(path) == true)
  }

  @Test func theTableOfKeysStoresInsertedRows() throws {
    let table = try KeyedTable(path: folder.path(of: "table.sqlite"))
    let rows = (0..<100).map { number in
      KeyedTable.Row(key: KeyOrder.random.key(number), width: 200, height: 100)
    }
    try table.insert(rows)
    #expect(try table.count() == 100)
    // A plain table must maintain the index.
    #expect(throws: BaselineError.self) { try table.insert([rows[7]]) }
  }

  /// The size of a file; `nil` if it does not exist.
  private func fileBytes(_ path: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.size] as? Int
  }
}
