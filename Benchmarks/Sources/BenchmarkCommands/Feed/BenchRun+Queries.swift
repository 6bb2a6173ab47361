import BenchmarkBaselines
import LayoutCache
import LayoutGeometry

extension BenchRun {
  /// The number of queries of a prepared snapshot, each at a different position.
  var queryCount: Int { edits * 2 }

  /// Measures the first query of a newly opened cache, on a file in the page cache, compared with
  /// hand-written SQL.
  func measureFirstQueries() throws {
    try announce("first queries")
    begin(.openAndFirstQuery)
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
    add(.firstQuery, queries, comparedWith: [], details: details)
    add(
      .openAndFirstQuery, samples[0], comparedWith: [(.handWrittenSQL, Figures(samples[1]))],
      details: details)
  }

  /// Measures queries of a layout whose nodes are in memory, and resizes by hand-written SQL.
  ///
  /// - Returns: The figures of the resizes.
  func measureQueries() throws -> Figures {
    begin(.visibleRect)
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
    record(memory, of: "query")
    for viewport in viewports { _ = try sql.count(in: viewport) }
    let arrays = AttributeArrays(feed)
    try measure(.visibleRect, of: snapshot, at: viewports, comparedWith: arrays, sql: sql)
    begin(.visibleRectScrolling)
    try measure(.visibleRectScrolling, of: snapshot, at: scrolledViewports(), comparedWith: arrays)
    begin(.visibleRectKept)
    try measure(.visibleRectKept, of: snapshot, at: keptViewports(), comparedWith: arrays)
    try measureReads(cache, Array(viewports.prefix(1000)), comparedWith: arrays)
    try cache.close()
    try announce("resizes by hand")
    return try measureResizesByHand(sql)
  }

  /// Measures queries of a snapshot, compared with arrays that return the same answer, arrays that
  /// only count and, if passed, hand-written SQL.
  private func measure(
    _ operation: BenchOperation, of snapshot: LayoutSnapshot, at viewports: [Range<Int64>],
    comparedWith arrays: AttributeArrays, sql: HandWrittenSQL? = nil
  ) throws {
    let starts = feed.arrays
    let rects = viewports.map { Rect(viewport: $0) }
    var visited = 0
    var found = 0
    // The answers of one block, compared after it.
    var answers = (engine: [[LayoutAttributes]](), arrays: [[LayoutAttributes]]())
    var counts = (arrays: [Int](), sql: [Int]())
    var contestants: [(Int) throws -> Void] = [
      { call in
        let page = try snapshot.elements(in: rects[call])
        answers.engine.append(page.elements)
        visited += page.work.nodesVisited
      },
      { call in answers.arrays.append(arrays.elements(in: viewports[call], starts)) },
      { call in counts.arrays.append(starts.count(in: viewports[call])) },
    ]
    if let sql {
      contestants.append { call in counts.sql.append(try sql.count(in: viewports[call])) }
    }
    let samples = try stopwatch.inTurn(viewports.count, block: Self.queryBlock, contestants) {
      calls in
      for (index, call) in calls.enumerated() {
        let viewport = viewports[call]
        let expected = answers.arrays[index]
        found += expected.count
        try require(answers.engine[index] == expected, in: viewport, "a query")
        try require(counts.arrays[index] == expected.count, in: viewport, "the arrays' count")
        if sql != nil {
          try require(counts.sql[index] == expected.count, in: viewport, "SQL by hand")
        }
      }
      answers = ([], [])
      counts = ([], [])
    }
    var baselines: [BenchRow.BaselineFigures] = [
      (.attributeArrays, Figures(samples[1])), (.plainArrays, Figures(samples[2])),
    ]
    if sql != nil { baselines.append((.handWrittenSQL, Figures(samples[3]))) }
    add(
      operation, samples[0], comparedWith: baselines,
      details: [
        ("nodesVisited", Double(visited) / Double(viewports.count)),
        ("elements", Double(found) / Double(viewports.count)),
      ])
  }

  /// The number of consecutive queries of one contestant.
  static let queryBlock = 200

  /// Sequences of viewports, each scrolling down from a random position by one step per query.
  private func scrolledViewports() -> [Range<Int64>] {
    let step = Length.points(100).units
    return stride(from: 0, to: queryCount, by: Self.queryBlock).flatMap { _ in
      let start = feed.viewport(using: &random)
      return (0..<Int64(Self.queryBlock)).map { number in
        // A short feed ends earlier: the rest of the viewports is at its end.
        let top = min(start.lowerBound + number * step, max(0, feed.arrays.length - step))
        return top..<(top + BenchFeed.side.units)
      }
    }
  }

  /// Sequences of equal viewports.
  private func keptViewports() -> [Range<Int64>] {
    stride(from: 0, to: queryCount, by: Self.queryBlock).flatMap { _ in
      Array(repeating: feed.viewport(using: &random), count: Self.queryBlock)
    }
  }

  /// Measures queries that include the check for changes of the dataset.
  private func measureReads(
    _ cache: LayoutCache, _ viewports: [Range<Int64>], comparedWith arrays: AttributeArrays
  ) throws {
    let starts = feed.arrays
    let rects = viewports.map { Rect(viewport: $0) }
    var found: ([LayoutAttributes], [LayoutAttributes]) = ([], [])
    for (rect, viewport) in zip(rects, viewports) {
      let elements = try read(cache) { try $0.elements(in: rect) }.elements
      try require(elements == arrays.elements(in: viewport, starts), in: viewport, "a read")
    }
    let samples = try stopwatch.inTurn(
      edits,
      [
        { [self] call in
          found.0 = try read(cache) { try $0.elements(in: rects[call % rects.count]) }.elements
        },
        { call in found.1 = arrays.elements(in: viewports[call % rects.count], starts) },
      ]
    ) { [self] calls in
      // Compares the last answer of the block; the loop above has compared all of them.
      let viewport = viewports[(calls.upperBound - 1) % rects.count]
      try require(found.0 == found.1, in: viewport, "a read")
    }
    add(.visibleRectRead, samples[0], comparedWith: [(.attributeArrays, Figures(samples[1]))])
  }

  /// Resizes items in the middle of the hand-written table, which is then removed.
  private func measureResizesByHand(_ sql: HandWrittenSQL) throws -> Figures {
    // These resizes do not affect the engine: its feed is unchanged.
    var feed = feed
    var nanoseconds: [Int64] = []
    for resize in feed.planResizes(min(20, edits), of: feed.middle, using: &random) {
      nanoseconds.append(
        try stopwatch.nanoseconds { try sql.resize(resize.number, by: resize.delta) })
      feed.arrays.resize(resize.position, by: resize.delta)
      let viewport = feed.viewport(using: &random)
      try require(
        sql.count(in: viewport), equals: feed.arrays.count(in: viewport), in: viewport,
        "SQL by hand")
      // With a million items, each resize takes a third of a second.
      if nanoseconds.count >= 3 && nanoseconds.reduce(0, +) > 2_000_000_000 { break }
      try announce("resizes by hand")
    }
    try folder.removeDatabase(Self.sqlFile)
    return Figures(nanoseconds)
  }
}
