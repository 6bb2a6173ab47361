import BenchmarkBaselines
import LayoutCache
import LayoutGeometry

extension BenchRun {
  /// Measures importing and laying out, compared with inserting the same items, with their
  /// positions, into one indexed table. Both databases remain.
  func measureImports() throws {
    // Several rounds of a small size, which is fast.
    let rounds = max(1, min(5, 2_000_000 / report.items))
    var engine: [Int64] = []
    var layOut: [Int64] = []
    var sql: [Int64] = []
    for round in 1...rounds {
      try folder.removeDatabase(Self.engineFile)
      try folder.removeDatabase(Self.sqlFile)
      try announce("importing, round \(round) of \(rounds)")
      let memory = try PeakMemory.during {
        let (importing, layingOut) = try importOnce()
        engine.append((importing + layingOut) / Int64(report.items))
        layOut.append(layingOut)
      }
      // In later rounds the allocator still has memory of earlier ones.
      if round == 1 { record(memory, of: "import") }
      try announce("inserting rows by hand, round \(round) of \(rounds)")
      sql.append(try stopwatch.nanoseconds { try insertByHand() } / Int64(report.items))
    }
    let figures = Figures(engine)
    add(
      .importAndLayOut, engine, comparedWith: [(.handWrittenSQL, Figures(sql))],
      details: [
        ("itemsPerSecond", 1_000_000 / figures.median),
        ("layOutMilliseconds", Figures(layOut).median / 1000),
      ])
  }

  /// Imports the items and lays them out, in nanoseconds.
  private func importOnce() throws -> (importing: Int64, layingOut: Int64) {
    var cache: LayoutCache?
    let importing = try stopwatch.nanoseconds {
      let opened = try openCache()
      _ = try opened.importItems(into: BenchFeed.dataset, mode: .create) { importer in
        for number in 0..<report.items {
          if number % 65_536 == 65_535 { try announce("importing") }
          try importer.add(feed.item(number))
        }
      }
      cache = opened
    }
    guard let cache else { preconditionFailure("the import has opened the cache") }
    report.importedBytes = try cache.inspect().fileBytes
    let layingOut = try stopwatch.nanoseconds {
      try setLayout(cache, maximumSkew: Self.skewWithoutRebalancing)
      // Closing includes the checkpoint of the write-ahead log.
      try cache.close()
    }
    let reopened = try openCache()
    report.laidOutBytes = try reopened.inspect().fileBytes
    try reopened.close()
    return (importing, layingOut)
  }

  /// Sets the layout and lays it out.
  func setLayout(_ cache: LayoutCache, maximumSkew: Length?) throws {
    try cache.setLayout(
      LayoutID(BenchFeed.layout, of: BenchFeed.dataset),
      to: BenchFeed.configuration(maximumSkew: maximumSkew))
    try cache.prepare(LayoutID(BenchFeed.layout, of: BenchFeed.dataset))
  }

  private func insertByHand() throws {
    let sql = try openSQL()
    try sql.insert(count: report.items) { feed.row($0) }
    try sql.checkpoint()
  }
}
