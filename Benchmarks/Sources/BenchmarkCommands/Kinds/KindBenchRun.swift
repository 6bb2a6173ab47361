import CollectionLayout
import LayoutCache
import LayoutGeometry

/// Measures the kinds other than the waterfall at one size: each layout separately, on one
/// dataset, with no other layout active.
///
/// The time of a change is that of its commit. Laying out from scratch is a commit too, and writes
/// all nodes. A resize writes a row of the log. An insertion may change most nodes, so its time
/// includes the checkpoint that writes them.
struct KindBenchRun {
  private static let file = "kinds.sqlite"
  private static let layoutName = "layout"
  private static let scratchCount = 3
  private static let queryCount = 2000
  private static let resizeCount = 500
  private static let insertCount = 10

  private let itemCount: Int
  private let announce: (String) throws -> Void
  private let stopwatch = Stopwatch()
  private var random = BenchRandom(seed: 42)
  private var size: KindBenchSize

  /// Measures every layout at one size.
  ///
  /// - Parameters:
  ///   - folder: The folder for the database, which is deleted afterwards.
  ///   - announce: Announces the next step, and may throw to end the run.
  /// - Throws: ``Failure`` if the changes have left a problem; `LayoutCacheError`.
  static func measure(
    itemCount: Int, folder: BenchFolder, announce: @escaping (String) throws -> Void
  ) throws -> KindBenchSize {
    var run = KindBenchRun(
      itemCount: itemCount, announce: announce, size: KindBenchSize(items: itemCount))
    try run.importItems(folder.path(of: file))
    for layout in KindBenchLayout.allCases {
      // A separate cache: only this layout is active.
      let cache = try LayoutCache(path: folder.path(of: file))
      try run.measure(layout, in: cache)
      try cache.removeLayout(LayoutID(layoutName, of: BenchFeed.dataset))
      try cache.close()
    }
    try folder.removeDatabase(file)
    return run.size
  }

  private init(
    itemCount: Int, announce: @escaping (String) throws -> Void, size: KindBenchSize
  ) {
    self.itemCount = itemCount
    self.announce = announce
    self.size = size
  }

  private mutating func importItems(_ path: String) throws {
    try announce("importing")
    let feed = BenchFeed(itemCount: itemCount, using: &random)
    let cache = try LayoutCache(path: path)
    _ = try cache.importItems(into: BenchFeed.dataset, mode: .create) { importer in
      for number in 0..<itemCount {
        if number % 65_536 == 65_535 { try announce("importing") }
        try importer.add(Item(key: Self.key(number), width: 100, height: feed.height(number)))
      }
    }
    try cache.close()
  }

  private static func key(_ number: Int) -> String { "item-\(number)" }

  private mutating func measure(_ layout: KindBenchLayout, in cache: LayoutCache) throws {
    try announce(layout.title)
    try cache.setLayout(LayoutID(Self.layoutName, of: BenchFeed.dataset), to: layout.configuration)
    try cache.prepare(LayoutID(Self.layoutName, of: BenchFeed.dataset))
    let scratch = try measureScratch(layout, in: cache)
    try measureQueries(layout, in: cache)
    try announce("\(layout.title), changes")
    try measureResizes(layout, comparedWith: scratch, in: cache)
    try measureInserts(layout, comparedWith: scratch, in: cache)
    try announce("\(layout.title), checking")
    if let problem = try cache.verify(dataset: BenchFeed.dataset).problems.first {
      throw Failure(
        .internalError,
        "the changes have left a problem, \(problem.place): \(problem.detail); please report it")
    }
  }

  private mutating func measureScratch(
    _ layout: KindBenchLayout, in cache: LayoutCache
  ) throws -> Figures {
    var work = CommittedWork()
    let samples = try (0..<Self.scratchCount).map { _ in
      try stopwatch.nanoseconds {
        work.add(
          try cache.update(
            BenchFeed.dataset, with: [.invalidate(layout: Self.layoutName, everything: true)]))
      }
    }
    let figures = Figures(samples)
    add(layout, .layOut, figures, try work.means())
    return figures
  }

  private mutating func measureQueries(
    _ layout: KindBenchLayout, in cache: LayoutCache
  ) throws {
    let snapshot = try cache.read(LayoutID(Self.layoutName, of: BenchFeed.dataset)) { $0 }
    let end = max(0, (snapshot.contentSize.height - BenchFeed.side).units)
    let rects = (0..<Self.queryCount).map { _ in
      let top = Int64.random(in: 0...end, using: &random)
      return Rect(viewport: top..<(top + BenchFeed.side.units))
    }
    // The first round loads the nodes.
    var (visited, elements) = (0, 0)
    for rect in rects {
      let page = try snapshot.elements(in: rect)
      visited += page.work.nodesVisited
      elements += page.elements.count
    }
    let samples = try rects.map { rect in
      try stopwatch.nanoseconds { _ = try snapshot.elements(in: rect) }
    }
    let count = Double(rects.count)
    add(
      layout, .visibleRect, Figures(samples),
      [("nodesVisited", Double(visited) / count), ("elements", Double(elements) / count)])
  }

  private mutating func measureResizes(
    _ layout: KindBenchLayout, comparedWith scratch: Figures, in cache: LayoutCache
  ) throws {
    let first = itemCount / 2
    let resizes = (0..<Self.resizeCount).map { _ in
      let number = Int.random(in: first..<(first + max(1, itemCount / 100)), using: &random)
      let height = Int64.random(in: 100...499, using: &random)
      return BatchOperation.resize(
        key: Self.key(number), size: Size(width: 100, height: .points(Double(height))))
    }
    var work = CommittedWork()
    let samples = try resizes.map { resize in
      try stopwatch.nanoseconds { work.add(try cache.update(BenchFeed.dataset, with: [resize])) }
    }
    add(layout, .resizeMiddle, Figures(samples), try work.means(), comparedWith: scratch)
  }

  private mutating func measureInserts(
    _ layout: KindBenchLayout, comparedWith scratch: Figures, in cache: LayoutCache
  ) throws {
    try cache.checkpoint()
    var work = CommittedWork()
    let samples = try (0..<Self.insertCount).map { number in
      let item = try Item(
        key: "\(layout.rawValue)-\(number)", width: 100,
        height: Double(Int.random(in: 100...499, using: &random)))
      return try stopwatch.nanoseconds {
        work.add(
          try cache.update(
            BenchFeed.dataset,
            with: [.insert([item], at: .index(0, section: Importer.defaultSection))]))
        try cache.checkpoint()
      }
    }
    add(layout, .insertStart, Figures(samples), try work.means(), comparedWith: scratch)
  }

  private mutating func add(
    _ layout: KindBenchLayout, _ operation: KindBenchOperation, _ figures: Figures,
    _ details: [(String, Double)], comparedWith scratch: Figures? = nil
  ) {
    size.rows.append(
      KindBenchRow(
        layout: layout, operation: operation, figures: figures,
        details: details.map { (name: $0.0, value: $0.1) },
        scratchRatio: scratch.flatMap { BenchTarget.ratio(figures.median, $0.median) }))
  }
}
