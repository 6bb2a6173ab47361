import ArgumentParser
import Foundation

struct SmokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "smoke",
    abstract: "Run every benchmark on a small input, without printing figures",
    discussion: """
      Every timed answer is compared with a baseline's. A wrong answer or a missing row is a \
      failure. Figures of such a small input would be meaningless.
      """)

  private static let itemCount = 1000
  private static let edits = 20

  @Argument(help: "The built layoutcache")
  var program: String

  func run() throws {
    let folder = try BenchFolder(in: NSTemporaryDirectory())
    defer { folder.remove() }
    let feed = try BenchRun.report(
      itemCount: Self.itemCount, edits: Self.edits, folder: folder, announce: { _ in })
    try Self.require(BenchOperation.allCases, in: feed.rows.map(\.operation))
    let kinds = try KindBenchRun.measure(
      itemCount: Self.itemCount, folder: folder, announce: { _ in })
    for layout in KindBenchLayout.allCases {
      let rows = kinds.rows.filter { $0.layout == layout }
      try Self.require(KindBenchOperation.allCases, in: rows.map(\.operation))
    }
    let waits = try WaitRun.measure(
      itemCount: Self.itemCount, folder: folder, announce: { _ in })
    for location in WriterLocation.allCases {
      let rows = waits.rows.filter { $0.location == location }
      try Self.require(WaitOperation.allCases, in: rows.map(\.operation))
    }
    let catchUps = try CatchUpRun.measure(
      itemCount: Self.itemCount, folder: folder, announce: { _ in })
    try Self.require(
      CatchUpLayout.allCases.flatMap { [$0, $0, $0] }, in: catchUps.rows.map(\.layout))
    let imports = ImportRun(program: program, itemCount: Self.itemCount, folder: folder)
    for order in KeyOrder.allCases { _ = try imports.measure(order) }
    let shell = try ShellRun(program: program).measure(
      itemCount: Self.itemCount, folder: folder, announce: { _ in })
    // The SQLite shell is optional.
    try Self.require(
      ShellOperation.allCases.filter { $0 != .sqlite3 },
      in: shell.rows.map(\.operation).filter { $0 != .sqlite3 })
    let rowCount =
      feed.rows.count + kinds.rows.count + waits.rows.count + catchUps.rows.count
      + shell.rows.count + KeyOrder.allCases.count
    try StandardOutput.write("benchmarks: \(rowCount) rows measured, all answers correct\n")
  }

  /// Checks that each operation was measured, once and in order.
  ///
  /// - Throws: ``Failure``.
  static func require<Operation: RawRepresentable<String> & Equatable>(
    _ operations: [Operation], in measured: [Operation]
  ) throws {
    if measured == operations { return }
    throw Failure(
      .internalError,
      "measured \(measured.map(\.rawValue)) instead of \(operations.map(\.rawValue))")
  }
}
