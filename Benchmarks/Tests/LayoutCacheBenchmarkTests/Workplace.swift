import Foundation
import Testing

@testable import BenchmarkCommands

/// A new folder, and runs of the built program in it.
final class Workplace {
  /// One run of the program.
  struct Run {
    var exitCode: Int32
    var output: String
    var errorOutput: String
  }

  /// The program, which the package manager builds next to the tests.
  private static let program: URL = {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      let products = (bundle ?? .main).bundleURL.deletingLastPathComponent()
    #else
      let products = Bundle.main.bundleURL
    #endif
    return products.appendingPathComponent("LayoutCacheBenchmark")
  }()

  let folder: BenchFolder

  init() throws { folder = try BenchFolder(in: NSTemporaryDirectory()) }

  deinit { folder.remove() }

  /// The contents of the folder for databases.
  func leftovers() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasPrefix("layoutcache-bench") }
  }

  /// Runs the program to its end.
  func run(_ arguments: [String]) throws -> Run { try run(Self.program, arguments) }

  /// Runs a line of shell, in which `$BENCHMARK` is the program.
  func shell(_ line: String) throws -> Run {
    try run(URL(fileURLWithPath: "/bin/sh"), ["-c", line])
  }

  /// Runs the program and expects an exit code; for a failure, also one line on standard error
  /// and nothing on standard output.
  ///
  /// - Parameter phrases: The texts that the line must contain.
  @discardableResult
  func expect(
    _ exitCode: Int32, _ arguments: String..., saying phrases: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Run {
    let run = try run(arguments)
    let context = Comment(rawValue: "\(arguments): \(run.errorOutput)")
    #expect(run.exitCode == exitCode, context, sourceLocation: sourceLocation)
    if exitCode == 0 {
      #expect(run.errorOutput.isEmpty, context, sourceLocation: sourceLocation)
    } else {
      #expect(run.errorOutput.split(separator: "\n").count == 1, context)
      #expect(run.errorOutput.hasPrefix("LayoutCacheBenchmark: "), context)
      #expect(run.output.isEmpty, context, sourceLocation: sourceLocation)
    }
    for phrase in phrases {
      #expect(run.errorOutput.contains(phrase), context, sourceLocation: sourceLocation)
    }
    return run
  }

  private func run(_ executable: URL, _ arguments: [String]) throws -> Run {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["BENCHMARK": Self.program.path]
    ) { _, new in new }
    // Files rather than pipes: a pipe without a reader would block the program.
    let outputs = try ["out", "err"].map { name in
      let url = URL(fileURLWithPath: folder.path(of: "\(UUID().uuidString).\(name)"))
      try Data().write(to: url)
      return url
    }
    process.standardOutput = try FileHandle(forWritingTo: outputs[0])
    process.standardError = try FileHandle(forWritingTo: outputs[1])
    try process.run()
    process.waitUntilExit()
    let texts = try outputs.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Run(
      exitCode: process.terminationReason == .exit ? process.terminationStatus : -1,
      output: texts[0], errorOutput: texts[1])
  }
}
