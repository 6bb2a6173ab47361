import CollectionLayout
import LayoutCache
import LayoutGeometry

/// Measures, at one size, catching up with increasing numbers of operations, compared with laying
/// out from scratch.
struct CatchUpRun {
  private static let file = "catch-up.sqlite"
  /// The number of repetitions for each number of operations, if that is fast.
  private static let rounds = 3
  private static let operationsOfRounds = 10_000

  private let stopwatch = Stopwatch()
  private let announce: (String) throws -> Void
  private var random = BenchRandom(seed: 42)
  private var feed: BenchFeed
  private var nextNumber: Int
  private var size: CatchUpSize

  /// Measures everything at one size.
  ///
  /// - Parameters:
  ///   - folder: The folder for the database, which is deleted afterwards.
  ///   - announce: Announces the next step, and may throw to end the run.
  /// - Throws: ``Failure`` if the changes have left a problem; `LayoutCacheError`.
  static func measure(
    itemCount: Int, folder: BenchFolder, announce: @escaping (String) throws -> Void
  ) throws -> CatchUpSize {
    var run = CatchUpRun(itemCount: itemCount, announce: announce)
    for layout in CatchUpLayout.allCases {
      // A separate file: each layout catches up with different changes.
      let cache = try LayoutCache(path: folder.path(of: file))
      try run.measure(layout, in: cache)
      try cache.close()
      try folder.removeDatabase(file)
    }
    return run.size
  }

  private init(itemCount: Int, announce: @escaping (String) throws -> Void) {
    self.announce = announce
    feed = BenchFeed(itemCount: itemCount, using: &random)
    nextNumber = itemCount
    size = CatchUpSize(items: itemCount)
  }

  private mutating func measure(_ layout: CatchUpLayout, in cache: LayoutCache) throws {
    try announce("importing")
    let id = LayoutID(BenchFeed.layout, of: BenchFeed.dataset)
    _ = try cache.importItems(into: BenchFeed.dataset, mode: .create) { importer in
      for number in 0..<size.items { try importer.add(feed.item(number)) }
    }
    try cache.setLayout(id, to: layout.configuration)
    try cache.prepare(id)
    var count = 10
    while count <= size.items / 10 {
      try announce("\(layout.title), \(count) operations")
      size.rows.append(try measure(layout, id, operations: count, in: cache))
      // 10, 30, 100, 300 ...
      count = String(count).hasPrefix("1") ? count * 3 : count / 3 * 10
    }
    try fallBehind(10, in: cache)
    _ = try prepare(id, in: cache)
    try announce("checking")
    let problem = try cache.verify(dataset: BenchFeed.dataset).problems.first
    try require(problem == nil, "the changes have left a problem: \(problem?.detail ?? "")")
  }

  private mutating func measure(
    _ layout: CatchUpLayout, _ id: LayoutID, operations count: Int, in cache: LayoutCache
  ) throws -> CatchUpRow {
    var (catchUp, scratch, replayed) = ([Int64](), [Int64](), Set<Bool>())
    for _ in 0..<(count > Self.operationsOfRounds ? 1 : Self.rounds) {
      try fallBehind(count, in: cache)
      let (time, context) = try prepare(id, in: cache)
      catchUp.append(time)
      replayed.insert(!context.invalidateEverything)
      try cache.update(
        BenchFeed.dataset, with: [.invalidate(layout: id.layout, everything: true)],
        preparing: .none)
      let (scratchTime, scratchContext) = try prepare(id, in: cache)
      scratch.append(scratchTime)
      try require(scratchContext.invalidateEverything, "the layout is not from scratch")
    }
    try require(replayed.count == 1, "the layout was sometimes laid out from scratch")
    return CatchUpRow(
      layout: layout, operations: count, isReplayed: replayed.contains(true),
      catchUp: Figures(catchUp), scratch: Figures(scratch))
  }

  /// Commits operations one by one, without updating layouts.
  private mutating func fallBehind(_ count: Int, in cache: LayoutCache) throws {
    let resizes = feed.planResizes((count + 1) / 2, of: 0..<size.items, using: &random)
    for number in 0..<count {
      let operation: BatchOperation
      if number % 2 == 0 {
        operation = resizes[number / 2].operation
      } else {
        let existing = Int.random(in: 0..<size.items, using: &random)
        let item = try feed.newItem(nextNumber, using: &random)
        operation = .insert([item], at: .before(feed.key(existing)))
        nextNumber += 1
      }
      try cache.update(BenchFeed.dataset, with: [operation], preparing: .none)
    }
  }

  private func prepare(
    _ layout: LayoutID, in cache: LayoutCache
  ) throws -> (nanoseconds: Int64, context: InvalidationContext) {
    var preparation: Preparation?
    let time = try stopwatch.nanoseconds { preparation = try cache.prepare(layout) }
    guard let context = preparation?.context else {
      throw Failure(.internalError, "the layout was not behind; please report it")
    }
    return (time, context)
  }

  private func require(_ condition: Bool, _ message: String) throws {
    if !condition { throw Failure(.internalError, "\(message); please report it") }
  }
}

extension CatchUpLayout {
  fileprivate var configuration: LayoutConfiguration {
    switch self {
    case .flow: KindBenchLayout.flow.configuration
    case .stableWaterfall: BenchFeed.configuration(maximumSkew: nil)
    }
  }
}
