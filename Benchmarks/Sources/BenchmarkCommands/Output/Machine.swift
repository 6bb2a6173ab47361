import BenchmarkBaselines
import Foundation
import LayoutGeometry

/// The machine and the build, on which the figures depend.
enum Machine {
  /// A line such as "2 processors, SQLite 3.40.1".
  static var text: String {
    let build = isOptimized ? "" : "; a debug build, whose figures are meaningless"
    return "\(plural(processorCount, "processor")), SQLite \(sqliteVersion)\(build)"
  }

  /// The members of a report.
  static var members: [(name: String, value: JSONValue)] {
    [
      ("processor", .optional(processor)), ("processors", .integer(processorCount)),
      ("memoryBytes", .integer(Int(clamping: ProcessInfo.processInfo.physicalMemory))),
      ("sqlite", .text(sqliteVersion)), ("swift", .optional(swiftVersion)),
      ("commit", .optional(commit)), ("date", .text(date)), ("optimized", .bool(isOptimized)),
      ("columns", .integer(BenchFeed.columns)), ("containerSide", .number(BenchFeed.side.points)),
    ]
  }

  /// The version of the Swift compiler in the path; `nil` without one.
  private static var swiftVersion: String? {
    ProgramOutput.line(of: "swift", ["--version"])?.firstMatch(of: /Swift version ([0-9.]+)/)
      .map { String($0.1) }
  }

  /// The processor's name; `nil` if the system does not report it.
  private static var processor: String? {
    // Other systems have no such file.
    let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":", maxSplits: 1).last.map {
      $0.trimmingCharacters(in: .whitespaces)
    }
  }

  /// The commit of the current folder, with "-dirty" if it has changes; `nil` outside git.
  private static var commit: String? {
    ProgramOutput.line(
      of: "git", ["describe", "--always", "--dirty", "--exclude", "*", "--abbrev=10"])
  }

  /// Today, in UTC.
  private static var date: String { String(Date().ISO8601Format().prefix(10)) }

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
