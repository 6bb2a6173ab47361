import Foundation
import Testing

/// One run of the built program.
struct Invocation {
  var exitCode: Int32
  /// The standard output, without the random names of histories.
  var output: String {
    outputAsIs.replacing(/,"incarnation":"[0-9a-f-]+"/, with: "")
  }
  var outputAsIs: String
  var errorOutput: String

  /// The lines on standard error.
  var errorLines: [Substring] {
    errorOutput.split(separator: "\n", omittingEmptySubsequences: true)
  }

  /// Runs a program and waits for its end.
  ///
  /// - Parameters:
  /// - executable: The program; `layoutcache` if omitted.
  ///   - arguments: The arguments after the program's name.
  /// - folder: The current folder.
  /// - input: The standard input.
  /// - environment: Variables in addition to those of the test.
  init(
    of executable: URL = Invocation.layoutcache, _ arguments: [String], in folder: String,
    input: Data = Data(),
    environment: [String: String] = [:]
  ) throws {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    var variables = ProcessInfo.processInfo.environment
    for name in ["LAYOUTCACHE_DATABASE", "LAYOUTCACHE_DATASET", "COLUMNS", "NO_COLOR", "TERM"] {
      variables[name] = nil
    }
    process.environment = variables.merging(environment) { _, new in new }
    // Files rather than pipes: a pipe that is not read would block the program.
    let name = UUID().uuidString
    func file(_ suffix: String, _ contents: Data) throws -> URL {
      let url = URL(fileURLWithPath: "\(folder)/\(name).\(suffix)")
      try contents.write(to: url)
      return url
    }
    let urls = (
      input: try file("in", input), output: try file("out", Data()),
      error: try file("err", Data())
    )
    process.standardInput = try FileHandle(forReadingFrom: urls.input)
    process.standardOutput = try FileHandle(forWritingTo: urls.output)
    process.standardError = try FileHandle(forWritingTo: urls.error)
    try process.run()
    process.waitUntilExit()
    exitCode = process.terminationReason == .exit ? process.terminationStatus : -1
    outputAsIs = String(decoding: try Data(contentsOf: urls.output), as: UTF8.self)
    errorOutput = String(decoding: try Data(contentsOf: urls.error), as: UTF8.self)
  }

  /// The program, which the package manager puts next to the tests.
  static let layoutcache: URL = {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      let products = (bundle ?? .main).bundleURL.deletingLastPathComponent()
    #else
      let products = Bundle.main.bundleURL
    #endif
    return products.appendingPathComponent("layoutcache")
  }()
}
