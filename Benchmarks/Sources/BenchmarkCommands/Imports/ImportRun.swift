import BenchmarkBaselines
import Foundation
import LayoutCache

/// Measures `layoutcache import` of NDJSON rows, compared with inserting the same rows by hand
/// into one table with an index on the key, alternately in one run.
///
/// The baseline has parsed rows in memory and prepared statements: a whole import, including
/// parsing, is compared with only SQLite's part.
struct ImportRun {
  private static let rounds = 5

  /// The built `layoutcache`.
  let program: String
  let itemCount: Int
  let folder: BenchFolder
  private let stopwatch = Stopwatch()

  init(program: String, itemCount: Int, folder: BenchFolder) {
    self.program = program
    self.itemCount = itemCount
    self.folder = folder
  }

  /// Measures the import and the inserts.
  ///
  /// - Throws: ``Failure`` if one of them did not store all rows, `BaselineError`.
  func measure(_ order: KeyOrder) throws -> ImportRow {
    let rows = rows(order)
    let input = folder.path(of: "rows.ndjson")
    try Self.ndjson(rows).write(to: URL(fileURLWithPath: input))
    var (imports, inserts, ratios) = ([Int64](), [Int64](), [Double]())
    var peakBytes = 0
    for _ in 0..<Self.rounds {
      let database = folder.path(of: "rows.sqlite")
      let importing = try stopwatch.nanoseconds {
        let peak = try run(["import", input, "--dataset", "rows", "--database", database, "--json"])
        peakBytes = max(peakBytes, peak)
      }
      let table = try KeyedTable(path: folder.path(of: "table.sqlite"))
      let inserting = try stopwatch.nanoseconds { try table.insert(rows) }
      imports.append(importing)
      inserts.append(inserting)
      ratios.append(Double(importing) / Double(inserting))
      try check(table, database)
      for name in ["rows.sqlite", "table.sqlite"] { try folder.removeDatabase(name) }
    }
    return ImportRow(
      order: order, itemCount: itemCount, imports: Figures(imports), inserts: Figures(inserts),
      ratio: ratios.sorted()[ratios.count / 2], peakBytes: peakBytes)
  }

  /// Items 200 points wide and 100 to 499 high.
  private func rows(_ order: KeyOrder) -> [KeyedTable.Row] {
    var random = BenchRandom(seed: 42)
    return (0..<itemCount).map { number in
      KeyedTable.Row(
        key: order.key(number), width: 200,
        height: Double(Int.random(in: 100...499, using: &random)))
    }
  }

  private static func ndjson(_ rows: [KeyedTable.Row]) -> Data {
    var text = Data()
    for row in rows {
      text.append(
        contentsOf:
          "{\"key\":\"\(row.key)\",\"width\":\(Int(row.width)),\"height\":\(Int(row.height))}\n"
          .utf8)
    }
    return text
  }

  /// Checks the number of rows in the table and in the database.
  private func check(_ table: KeyedTable, _ database: String) throws {
    let cache = try LayoutCache(path: database)
    let imported = try cache.datasets().first?.itemCount ?? 0
    try cache.close()
    for (storage, count) in [("the import", imported), ("the table", try table.count())]
    where count != itemCount {
      throw Failure(.internalError, "\(storage) has \(count) items of \(itemCount)")
    }
  }

  /// Runs the program to its end.
  ///
  /// - Returns: Its peak memory in bytes; 0 if the system does not report it.
  private func run(_ arguments: [String]) throws -> Int {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    do { try process.run() } catch {
      throw Failure(.inputOutput, "cannot run \(program): \(error.localizedDescription)")
    }
    var peakBytes = 0
    // `getrusage` would include this process's memory, from before `exec`.
    while process.isRunning {
      let id = String(process.processIdentifier)
      peakBytes = max(peakBytes, PeakMemory.bytes("VmHWM", ofProcess: id) ?? 0)
      usleep(2_000)
    }
    guard process.terminationStatus == 0 else {
      throw Failure(.internalError, "\(program) exited with \(process.terminationStatus)")
    }
    return peakBytes
  }
}
