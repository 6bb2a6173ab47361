import BenchmarkBaselines
import LayoutCache

/// Measures the command as started from a shell, at random positions of a feed, compared with the
/// SQLite shell and a program that does nothing.
struct ShellRun {
  private static let samples = 200

  /// The built `layoutcache`.
  let program: String

  /// Measures one size.
  ///
  /// - Throws: ``Failure`` if a program cannot be run, `LayoutCacheError`.
  func measure(
    itemCount: Int, folder: BenchFolder, announce: (String) throws -> Void
  ) throws -> ShellSize {
    var random = BenchRandom(seed: 42)
    let feed = BenchFeed(itemCount: itemCount, using: &random)
    try announce("importing")
    let (engine, sql) = try (makeEngine(feed, folder), makeSQL(feed, folder))
    let viewports = (0..<Self.samples).map { _ in feed.viewport(using: &random) }
    let operations = ShellOperation.allCases.filter {
      command($0, engine: engine, sql: sql, viewports[0]) != nil
    }
    try announce("starting programs")
    let samples = try Stopwatch().inTurn(
      Self.samples, block: 5,
      operations.map { operation in
        { call in try command(operation, engine: engine, sql: sql, viewports[call])?.run() }
      }
    ) { _ in try announce("starting programs") }
    for name in [Self.engineFile, Self.sqlFile] { try folder.removeDatabase(name) }
    return ShellSize(
      items: itemCount,
      rows: zip(operations, samples).map { ShellRow(operation: $0, figures: Figures($1)) })
  }

  private static let engineFile = "shell.sqlite"
  private static let sqlFile = "shell-sql.sqlite"

  private func makeEngine(_ feed: BenchFeed, _ folder: BenchFolder) throws -> String {
    let path = folder.path(of: Self.engineFile)
    let cache = try LayoutCache(path: path)
    _ = try cache.importItems(into: BenchFeed.dataset, mode: .create) { importer in
      for number in 0..<feed.itemCount { try importer.add(feed.item(number)) }
    }
    let layout = LayoutID(BenchFeed.layout, of: BenchFeed.dataset)
    try cache.setLayout(layout, to: BenchFeed.configuration(maximumSkew: nil))
    try cache.prepare(layout)
    try cache.close()
    return path
  }

  private func makeSQL(_ feed: BenchFeed, _ folder: BenchFolder) throws -> String {
    let path = folder.path(of: Self.sqlFile)
    let sql = try HandWrittenSQL(path: path, columns: BenchFeed.columns, cacheKibibytes: 2000)
    try sql.insert(count: feed.itemCount) { feed.row($0) }
    try sql.checkpoint()
    return path
  }

  /// - Returns: `nil` if the program is not installed.
  private func command(
    _ operation: ShellOperation, engine: String, sql: String, _ viewport: Range<Int64>
  ) -> ShellProgram? {
    let rect = Rect(viewport: viewport)
    let query = [
      "query", "--database", engine, "--dataset", BenchFeed.dataset, "--layout",
      BenchFeed.layout, "--rect",
      "\(rect.minX.points),\(rect.minY.points),\(rect.size.width.points),\(rect.size.height.points)",
    ]
    switch operation {
    case .query: return ShellProgram(path: program, arguments: query)
    case .queryJSON: return ShellProgram(path: program, arguments: query + ["--json"])
    case .version: return ShellProgram(path: program, arguments: ["--version"])
    case .sqlite3:
      return ShellProgram.path(of: "sqlite3").map {
        let statements = HandWrittenSQL.statements(
          columns: BenchFeed.columns, viewport: viewport)
        return ShellProgram(path: $0, arguments: [sql, statements])
      }
    case .nothing:
      return ShellProgram.path(of: "true").map { ShellProgram(path: $0, arguments: []) }
    }
  }
}
