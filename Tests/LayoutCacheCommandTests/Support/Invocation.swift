import Foundation
import Synchronization
import Testing

@testable import LayoutCacheCommand

/// One run of the command, in the test's process, or of another program.
struct Invocation {
  var exitCode: Int32
  /// The standard output, without the random names of histories.
  var output: String { outputAsIs.replacing(/,"incarnation":"[0-9a-f-]+"/, with: "") }
  var outputAsIs: String
  var errorOutput: String

  /// The lines on standard error.
  var errorLines: [Substring] {
    errorOutput.split(separator: "\n", omittingEmptySubsequences: true)
  }

  /// The lock of the process's current folder and of ``RunContext``.
  private static let turn = Mutex(())

  /// The first step of the program's `main`. It may be done only once.
  private static let preparation: Void = {
    signal(SIGPIPE, SIG_IGN)
    WarningLog.bootstrap()
  }()

  /// Runs the command in the test's process.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after the program's name.
  ///   - folder: The current folder.
  ///   - input: The standard input.
  ///   - environment: Variables in addition to those of the test.
  init(
    _ arguments: [String], in folder: String, input: Data = Data(),
    environment: [String: String] = [:]
  ) throws {
    self = try Self.turn.withLock { _ in
      _ = Self.preparation
      let streams = try Streams(input)
      let former = FileManager.default.currentDirectoryPath
      try #require(FileManager.default.changeCurrentDirectoryPath(folder))
      defer { _ = FileManager.default.changeCurrentDirectoryPath(former) }
      RunContext.current = RunContext(
        input: streams.input.fileDescriptor, output: streams.output.fileDescriptor,
        error: streams.error.fileDescriptor, variables: Self.variables(environment),
        program: "layoutcache")
      defer { RunContext.current = RunContext() }
      return try Invocation(Main.run(arguments).rawValue, streams)
    }
  }

  private init(_ exitCode: Int32, _ streams: Streams) throws {
    self.exitCode = exitCode
    outputAsIs = try Streams.text(streams.output)
    errorOutput = try Streams.text(streams.error)
  }

  /// The standard streams of a run: files rather than pipes, because a pipe that is not read would
  /// block the program. They have no names, so that they are not in the folder.
  private final class Streams {
    private let files: [UnsafeMutablePointer<FILE>]
    var input: FileHandle { FileHandle(fileDescriptor: fileno(files[0])) }
    var output: FileHandle { FileHandle(fileDescriptor: fileno(files[1])) }
    var error: FileHandle { FileHandle(fileDescriptor: fileno(files[2])) }

    init(_ text: Data) throws {
      files = try (0..<3).map { _ in try #require(tmpfile()) }
      try input.write(contentsOf: text)
      try input.seek(toOffset: 0)
    }

    deinit { for file in files { fclose(file) } }

    static func text(_ file: FileHandle) throws -> String {
      try file.seek(toOffset: 0)
      return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }
  }

  private static func variables(_ added: [String: String]) -> [String: String] {
    let chosen: Set = ["COLUMNS", "NO_COLOR", "TERM"]
    let variables = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("LAYOUTCACHE_") && !chosen.contains(name)
    }
    return variables.merging(added) { _, new in new }
  }

  /// Runs a program and waits for its end.
  ///
  /// - Parameters:
  ///   - executable: The program.
  ///   - arguments: The arguments after the program's name.
  ///   - folder: The current folder.
  ///   - input: The standard input.
  ///   - environment: Variables in addition to those of the test.
  init(
    of executable: URL, _ arguments: [String], in folder: String,
    input: Data = Data(),
    environment: [String: String] = [:]
  ) throws {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = Self.variables(environment)
    let streams = try Streams(input)
    process.standardInput = streams.input
    process.standardOutput = streams.output
    process.standardError = streams.error
    try process.run()
    process.waitUntilExit()
    try self.init(process.terminationReason == .exit ? process.terminationStatus : -1, streams)
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
