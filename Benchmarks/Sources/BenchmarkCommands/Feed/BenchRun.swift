import BenchmarkBaselines
import LayoutCache
import LayoutGeometry

/// The measurements at one size. Each starts from the state after the previous one; the first is
/// the import.
///
/// Every timed answer is compared with the plain arrays' answer, and every block of changes is
/// followed by such queries: figures of wrong answers are worthless.
final class BenchRun {
  static let engineFile = "engine.sqlite"
  static let sqlFile = "sql.sqlite"
  static let dataFile = "data.sqlite"
  static let evenFile = "even.sqlite"
  private static let seed: UInt64 = 42
  /// The memory for pages of hand-written SQL: as much as the engine has for nodes.
  static let sqlCacheKibibytes = LayoutCacheOptions().nodeCacheBytes / 1024
  /// Random changes never reach this skew: the plain arrays do not rebalance.
  static let skewWithoutRebalancing = Limits.sideMax

  let folder: BenchFolder
  let edits: Int
  /// Announces the next step. Throws if the run is interrupted.
  let announce: (String) throws -> Void
  let stopwatch = Stopwatch()
  /// The random numbers of the present row.
  var random = BenchRandom(seed: seed)
  var feed: BenchFeed
  var report: BenchReport.Size
  /// The next number of an unused key.
  var nextNumber: Int

  private init(
    itemCount: Int, edits: Int, folder: BenchFolder,
    announce: @escaping (String) throws -> Void
  ) {
    self.folder = folder
    self.edits = edits
    self.announce = announce
    feed = BenchFeed(itemCount: itemCount, using: &random)
    report = BenchReport.Size(items: itemCount)
    report.plainArraysBytes = feed.arrays.byteCount
    nextNumber = itemCount
  }

  /// Measures everything at one size.
  ///
  /// - Parameters:
  ///   - edits: The number of changes of the longest run; the others have fewer.
  ///   - folder: The folder for the databases; those of this size are deleted afterwards.
  ///   - announce: Announces the next step, and may throw to end the run.
  /// - Throws: ``Failure`` for wrong answers; `LayoutCacheError`, `BaselineError`.
  static func report(
    itemCount: Int, edits: Int, folder: BenchFolder,
    announce: @escaping (String) throws -> Void
  ) throws -> BenchReport.Size {
    let run = BenchRun(itemCount: itemCount, edits: edits, folder: folder, announce: announce)
    try run.measureImports()
    try run.measureFirstQueries()
    let sqlResize = try run.measureQueries()
    try run.measureData()
    try run.measureEdits(sqlResize: sqlResize)
    try run.verify()
    try folder.removeDatabase(engineFile)
    let order = BenchOperation.allCases
    run.report.rows.sort {
      order.firstIndex(of: $0.operation) ?? 0 < order.firstIndex(of: $1.operation) ?? 0
    }
    return run.report
  }

  /// Starts the sequence of random numbers of a row.
  func begin(_ operation: BenchOperation) {
    random = BenchRandom(seed: Self.seed, stream: operation.rawValue)
  }

  /// Opens a database of the engine.
  func openCache(
    _ file: String = engineFile, durability: LayoutCacheOptions.Durability = .process
  ) throws -> LayoutCache {
    var options = LayoutCacheOptions()
    options.durability = durability
    return try LayoutCache(path: folder.path(of: file), options: options)
  }

  /// Opens the database of hand-written SQL.
  func openSQL() throws -> HandWrittenSQL {
    try HandWrittenSQL(
      path: folder.path(of: Self.sqlFile), columns: BenchFeed.columns,
      cacheKibibytes: Self.sqlCacheKibibytes)
  }

  /// Runs `body` on the layout.
  func read<R>(_ cache: LayoutCache, _ body: (LayoutSnapshot) throws -> R) throws -> R {
    try cache.read(LayoutID(BenchFeed.layout, of: BenchFeed.dataset), body)
  }

  /// Compares an answer's number of elements with the plain arrays'.
  ///
  /// - Throws: ``Failure``.
  func require(
    _ count: Int, equals expected: Int, in viewport: Range<Int64>, _ source: String
  ) throws {
    if count == expected { return }
    throw Failure(
      .internalError,
      """
      \(source) found \(count) items at \(Length(units: viewport.lowerBound)) points, and plain \
      arrays \(expected), of \(report.items); please report it
      """)
  }

  /// Requires an answer to equal the plain arrays' answer.
  ///
  /// - Throws: ``Failure``.
  func require(_ isEqual: Bool, in viewport: Range<Int64>, _ source: String) throws {
    if isEqual { return }
    throw Failure(
      .internalError,
      """
      \(source) differs from the plain arrays at \(Length(units: viewport.lowerBound)) points, \
      with \(report.items) items; please report it
      """)
  }

  /// Compares the engine's answers with the plain arrays' at random positions.
  func checkAnswers(_ cache: LayoutCache) throws {
    for _ in 0..<5 {
      let viewport = feed.viewport(using: &random)
      let count = try read(cache) { try $0.elements(in: Rect(viewport: viewport)).elements.count }
      try require(
        count, equals: feed.arrays.count(in: viewport), in: viewport, "the changed layout")
    }
  }

  func add(
    _ operation: BenchOperation, _ nanoseconds: [Int64], sharing extra: Int64 = 0,
    comparedWith baselines: [BenchRow.BaselineFigures], details: [(String, Double)] = []
  ) {
    report.rows.append(
      BenchRow(
        operation: operation, figures: Figures(nanoseconds, sharing: extra),
        baselines: baselines, details: details.map { (name: $0.0, value: $0.1) }))
  }

  func record(_ memory: BenchReport.Memory?, of phase: String) {
    if let memory { report.memory.append((phase, memory)) }
  }

  /// Compares all layouts with layouts from scratch, and records the file's final size.
  private func verify() throws {
    try announce("checking")
    let cache = try openCache()
    try verify(cache)
    report.changedBytes = try cache.inspect().fileBytes
    try cache.close()
  }

  /// Compares all layouts of a database with layouts from scratch.
  ///
  /// - Throws: ``Failure``.
  func verify(_ cache: LayoutCache) throws {
    let verification = try cache.verify(dataset: BenchFeed.dataset)
    guard let problem = verification.problems.first else { return }
    throw Failure(
      .internalError,
      "the changes have left a problem, \(problem.place): \(problem.detail); please report it")
  }
}
