import BenchmarkBaselines
import LayoutCache
import LayoutGeometry

extension BenchRun {
  /// The queries of a prepared snapshot, each at a place of its own.
  private var queryCount: Int { edits * 2 }

  /// Measures the first query of a cache that has just been opened, on a file that the
  /// system has in memory, beside the same with SQL by hand.
  func measureFirstQueries() throws {
    try announce("first queries")
    let viewports = (0..<min(200, edits)).map { _ in feed.viewport(using: &random) }
    var counts = (engine: 0, sql: 0)
    var queries: [Int64] = []
    var nodes = (visited: 0, loaded: 0)
    var opened: (engine: LayoutCache?, sql: HandWrittenSQL?)
    let samples = try stopwatch.inTurn(
      viewports.count, block: 1,
      [
        { [self] call in
          let cache = try openCache()
          opened.engine = cache
          queries.append(
            try stopwatch.nanoseconds {
              let page = try read(cache) { try $0.elements(in: Rect(viewport: viewports[call])) }
              counts.engine = page.elements.count
              nodes.visited += page.work.nodesVisited
              nodes.loaded += page.work.nodesLoaded
            })
        },
        { [self] call in
          let sql = try openSQL()
          opened.sql = sql
          counts.sql = try sql.count(in: viewports[call])
        },
      ]
    ) { calls in
      try opened.engine?.close()
      opened = (nil, nil)
      let viewport = viewports[calls.lowerBound]
      let expected = feed.arrays.count(in: viewport)
      try require(counts.engine, equals: expected, in: viewport, "a first query")
      try require(counts.sql, equals: expected, in: viewport, "SQL by hand")
    }
    let details = [
      ("nodesVisited", Double(nodes.visited) / Double(viewports.count)),
      ("nodesRead", Double(nodes.loaded) / Double(viewports.count)),
    ]
    add(.firstQuery, queries, beside: [], details: details)
    add(
      .openAndFirstQuery, samples[0], beside: [(.handWrittenSQL, Figures(samples[1]))],
      details: details)
  }

  /// Measures queries of a layout whose nodes are in memory, and resizes by hand in SQL.
  ///
  /// - Returns: The figures of the latter.
  func measureQueries() throws -> Figures {
    let viewports = (0..<queryCount).map { _ in feed.viewport(using: &random) }
    let cache = try openCache()
    let sql = try openSQL()
    try announce("visible rects")
    let snapshot = try read(cache) { $0 }
    let memory = try PeakMemory.during {
      // The first round loads the nodes.
      for viewport in viewports {
        let page = try snapshot.elements(in: Rect(viewport: viewport))
        try require(
          page.elements.count, equals: feed.arrays.count(in: viewport), in: viewport, "a query")
      }
    }
    note(memory, of: "query")
    for viewport in viewports { _ = try sql.count(in: viewport) }
    try measureSnapshot(snapshot, sql, viewports)
    try measureReads(cache, Array(viewports.prefix(1000)))
    try cache.close()
    try announce("resizes by hand")
    return try measureResizesByHand(sql)
  }

  private func measureSnapshot(
    _ snapshot: LayoutSnapshot, _ sql: HandWrittenSQL, _ viewports: [Range<Int64>]
  ) throws {
    let arrays = feed.arrays
    let rects = viewports.map { Rect(viewport: $0) }
    var visited = 0
    var counts = [[Int]](repeating: Array(repeating: 0, count: viewports.count), count: 3)
    let samples = try stopwatch.inTurn(
      queryCount, block: 200,
      [
        { call in
          let page = try snapshot.elements(in: rects[call])
          counts[0][call] = page.elements.count
          visited += page.work.nodesVisited
        },
        { call in
          counts[1][call] = arrays.count(in: viewports[call])
        },
        { call in
          counts[2][call] = try sql.count(in: viewports[call])
        },
      ]
    ) { calls in
      for call in calls {
        let viewport = viewports[call]
        try require(counts[0][call], equals: counts[1][call], in: viewport, "a query")
        try require(counts[2][call], equals: counts[1][call], in: viewport, "SQL by hand")
      }
    }
    add(
      .visibleRect, samples[0],
      beside: [(.plainArrays, Figures(samples[1])), (.handWrittenSQL, Figures(samples[2]))],
      details: [
        ("nodesVisited", Double(visited) / Double(queryCount)),
        ("elements", Double(counts[1].reduce(0, +)) / Double(viewports.count)),
      ])
  }

  /// Measures queries that first look whether the dataset has changed.
  private func measureReads(_ cache: LayoutCache, _ viewports: [Range<Int64>]) throws {
    let arrays = feed.arrays
    var counts = [[Int]](repeating: Array(repeating: 0, count: viewports.count), count: 2)
    for viewport in viewports {
      _ = try read(cache) { try $0.elements(in: Rect(viewport: viewport)) }
    }
    let samples = try stopwatch.inTurn(
      edits,
      [
        { [self] call in
          let place = call % viewports.count
          counts[0][place] = try read(cache) {
            try $0.elements(in: Rect(viewport: viewports[place])).elements.count
          }
        },
        { call in
          let place = call % viewports.count
          counts[1][place] = arrays.count(in: viewports[place])
        },
      ]
    ) { calls in
      for place in calls.map({ $0 % viewports.count }) {
        try require(counts[0][place], equals: counts[1][place], in: viewports[place], "a read")
      }
    }
    add(.visibleRectRead, samples[0], beside: [(.plainArrays, Figures(samples[1]))])
  }

  /// Resizes items in the middle of the table by hand, which is then removed.
  private func measureResizesByHand(_ sql: HandWrittenSQL) throws -> Figures {
    // These resizes are not the engine's: its feed stays as it is.
    var feed = feed
    var nanoseconds: [Int64] = []
    for resize in feed.planResizes(min(20, edits), of: feed.middle, using: &random) {
      nanoseconds.append(
        try stopwatch.nanoseconds { try sql.resize(resize.number, by: resize.delta) })
      feed.arrays.resize(resize.place, by: resize.delta)
      let viewport = feed.viewport(using: &random)
      try require(
        sql.count(in: viewport), equals: feed.arrays.count(in: viewport), in: viewport,
        "SQL by hand")
      // At a million items each takes a third of a second.
      if nanoseconds.count >= 3 && nanoseconds.reduce(0, +) > 2_000_000_000 { break }
      try announce("resizes by hand")
    }
    try folder.removeDatabase(Self.sqlFile)
    return Figures(nanoseconds)
  }
}
