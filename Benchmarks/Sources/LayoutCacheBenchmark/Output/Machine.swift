import BenchmarkBaselines
import Foundation
import LayoutGeometry

/// The environment that the figures depend on.
enum Machine {
  /// As a line: "2 processors, SQLite 3.40.1".
  static var text: String {
    let build = isOptimized ? "" : "; a debug build, whose figures mean nothing"
    return "\(plural(processorCount, "processor")), SQLite \(sqliteVersion)\(build)"
  }

  /// As members of a report.
  static var members: [(name: String, value: JSONValue)] {
    [
      ("processors", .integer(processorCount)), ("sqlite", .text(sqliteVersion)),
      ("optimized", .bool(isOptimized)), ("columns", .integer(BenchFeed.columns)),
      ("containerSide", .number(BenchFeed.side.points)),
    ]
  }

  private static var processorCount: Int { ProcessInfo.processInfo.activeProcessorCount }

  /// Whether the compiler has optimized this program.
  private static var isOptimized: Bool {
    #if DEBUG
      false
    #else
      true
    #endif
  }
}
