import LayoutCache
import LayoutGeometry

extension BenchRun {
  /// Measures queries with the items' data, compared with the same queries without data, on a
  /// separate file in which every item has data.
  func measureData() throws {
    begin(.visibleRectData)
    try announce("importing with data")
    let cache = try LayoutCache(path: folder.path(of: Self.dataFile))
    _ = try cache.importItems(into: BenchFeed.dataset, mode: .create) { importer in
      for number in 0..<report.items {
        if number % 65_536 == 65_535 { try announce("importing with data") }
        try importer.add(feed.itemWithData(number))
      }
    }
    try setLayout(cache, maximumSkew: Self.skewWithoutRebalancing)
    let trees = try cache.inspect(dataset: BenchFeed.dataset)
    try announce("visible rects with data")
    let snapshot = try read(cache) { $0 }
    let rects = (0..<queryCount).map { _ in
      // About 30 cells: a screen and a part of the next one, as with prefetching.
      let viewport = feed.viewport(using: &random)
      return Rect(viewport: viewport.lowerBound..<(viewport.lowerBound + Length.points(1450).units))
    }
    var found = (cells: 0, bytes: 0, nodes: 0)
    for rect in rects {
      // The first round loads the nodes.
      let data = try snapshot.data(of: snapshot.elements(in: rect).elements)
      found.cells += data.data.count
      found.nodes += data.work.nodesVisited
      for data in data.data { found.bytes += data?.json.utf8.count ?? 0 }
      guard data.data.allSatisfy({ $0 != nil }) else {
        throw Failure(.internalError, "an item has lost its data; please report it")
      }
    }
    var counts = (with: 0, without: 0)
    let samples = try stopwatch.inTurn(
      rects.count, block: Self.queryBlock,
      [
        { call in
          let page = try snapshot.elements(in: rects[call])
          counts.with += try snapshot.data(of: page.elements).data.count
        },
        { call in counts.without += try snapshot.elements(in: rects[call]).elements.count },
      ]
    ) { _ in
      guard counts.with == counts.without else {
        throw Failure(.internalError, "data of \(counts.with) of \(counts.without) items")
      }
    }
    let calls = Double(rects.count)
    add(
      .visibleRectData, samples[0], comparedWith: [(.withoutData, Figures(samples[1]))],
      details: [
        ("elements", Double(found.cells) / calls), ("dataBytes", Double(found.bytes) / calls),
        ("dataNodesVisited", Double(found.nodes) / calls),
        ("bytesPerItem", trees.bytesPerItem ?? 0),
      ])
    try cache.close()
    try folder.removeDatabase(Self.dataFile)
  }
}
