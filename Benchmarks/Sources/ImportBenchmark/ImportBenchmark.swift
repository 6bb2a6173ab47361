import Foundation

/// Measures `layoutcache import` of NDJSON rows beside plain SQLite inserts of the same
/// rows into one indexed table, in turn and in one run.
///
///     swift run -c release --package-path Benchmarks ImportBenchmark \
///       "$(swift build -c release --show-bin-path)/layoutcache" 1000000
///
/// The baseline gets its rows parsed, in memory, and prepared statements: what is
/// compared is a whole import, parsing included, with SQLite's part alone.
@main
enum ImportBenchmark {
  static let rounds = 5

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let program = arguments.first else {
      print("usage: ImportBenchmark PATH-OF-LAYOUTCACHE [ITEMS]")
      exit(64)
    }
    let count = arguments.dropFirst().first.flatMap(Int.init) ?? 1_000_000
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("import-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }  // A leftover harms nothing.

    for order in [KeyOrder.random, .ascending] {
      try measure(Row.rows(count, order), order, program, folder)
    }
  }

  /// Measures both ways to store some rows, in turn.
  static func measure(
    _ rows: [Row], _ order: KeyOrder, _ program: String, _ folder: URL
  ) throws {
    let input = folder.appendingPathComponent("\(order).ndjson")
    try Row.ndjson(rows).write(to: input)
    var imports: [Double] = []
    var inserts: [Double] = []
    var peak = 0
    for round in 0..<rounds {
      let database = folder.appendingPathComponent("\(order)\(round).sqlite").path
      imports.append(
        try seconds {
          peak = max(
            peak,
            try run(
              program,
              ["import", input.path, "--dataset", "rows", "--database", database, "--json"]))
        })
      let table = try PlainTable(
        path: folder.appendingPathComponent("\(order)\(round).plain").path)
      inserts.append(try seconds { try table.insert(rows) })
    }
    let ratio = median(zip(imports, inserts).map { $0 / $1 })
    print("rows, keys in \(order) order: \(rows.count)")
    print("  layoutcache import     \(rate(rows, imports)) rows/s, whole process, parsing")
    print("  plain SQLite inserts   \(rate(rows, inserts)) rows/s, rows parsed, in memory")
    print("  import / inserts       \(String(format: "%.2f", ratio)) of the time")
    print("  peak of an import      \(peak / 1024) MB")
  }

  static func rate(_ rows: [Row], _ times: [Double]) -> Int {
    Int(Double(rows.count) / median(times))
  }

  static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    let elapsed = ContinuousClock.now - start
    return Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
  }

  static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  /// Runs a program to its end.
  ///
  /// - Returns: Its peak memory in kilobytes.
  static func run(_ program: String, _ arguments: [String]) throws -> Int {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    var peak = 0
    while process.isRunning {
      peak = max(peak, peakKilobytes(of: process.processIdentifier))
      usleep(2_000)
    }
    guard process.terminationStatus == 0 else {
      throw BenchmarkError(message: "\(program) exited with \(process.terminationStatus)")
    }
    return peak
  }

  /// The most memory that a running process has had, on Linux; 0 elsewhere, and when
  /// it has just ended. (`getrusage` would count this process's own, from before `exec`.)
  static func peakKilobytes(of process: Int32) -> Int {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}

struct BenchmarkError: Error {
  var message: String
}
