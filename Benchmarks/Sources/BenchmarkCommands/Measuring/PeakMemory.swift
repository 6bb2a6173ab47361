import Foundation

/// The resident memory of processes, as reported by Linux.
enum PeakMemory {
  /// Runs a phase and measures this process.
  ///
  /// - Returns: `nil` if the system does not report it.
  static func during(_ phase: () throws -> Void) rethrows -> BenchReport.Memory? {
    // 5 resets the peak to the present resident size: proc(5), clear_refs.
    try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    let start = bytes("VmRSS")
    try phase()
    guard let start, let peak = bytes("VmHWM") else { return nil }
    return BenchReport.Memory(startBytes: start, peakBytes: peak)
  }

  /// Returns a value of a running process's status in bytes, such as "VmHWM", the peak.
  ///
  /// - Parameter id: The process's id, or "self".
  /// - Returns: `nil` if the system does not report it, or the process has just ended.
  static func bytes(_ name: String, ofProcess id: String = "self") -> Int? {
    // Other systems have no such file.
    let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
      Int($0)
    }
    return kilobytes.map { $0 * 1024 }
  }
}
