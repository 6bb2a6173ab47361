import Foundation
import TestSupport
import Testing

/// A fresh folder with a database of one dataset, and runs of the program in it.
final class Workplace {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The files of ``withFeed()``, which are the same for all tests.
  private static let feed = Result {
    let place = try Workplace()
    try place.write(
      """
      key,width,height,section,span
      a,100,50,one,1
      b,100,200,one,1
      c,4,1,two,0

      """, to: "feed.csv")
    try place.expect(0, "import", "feed.csv", "--dataset", "feed")
    try place.expect(
      0, "layout", "set", "phone", "--dataset", "feed", "--kind", "waterfall", "--width", "220",
      "--height", "100", "--columns", "2", "--column-spacing", "10", "--line-spacing", "10",
      "--inset", "5", "--header", "20", "--background", "card")
    return try place.files
  }

  /// Creates three items in two sections, and a waterfall of two columns of 100 points at 5 and
  /// 115, with a gap of 10, insets of 5 and headers of 20.
  ///
  /// Section "one" has item a from 25 to 75 in column 0, and b from 25 to 225 in column 1;
  /// section "two" begins at 230, and has c from 255 to 307.5 in both columns.
  static func withFeed() throws -> Workplace {
    let place = try Workplace()
    try place.addFeed()
    return place
  }

  /// As ``withFeed()``, with the layout up to date.
  static func withPreparedFeed() throws -> Workplace {
    let place = try Workplace.withFeed()
    try place.expect(0, "prepare", "--dataset", "feed")
    return place
  }

  /// Adds the files of ``withFeed()``.
  func addFeed() throws { try write(Self.feed.get()) }

  /// The files of the folder, by name.
  var files: [String: Data] {
    get throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return try Dictionary(
        uniqueKeysWithValues: names.map {
          ($0, try Data(contentsOf: URL(fileURLWithPath: folder.path(of: $0))))
        })
    }
  }

  func write(_ files: [String: Data]) throws {
    for (name, data) in files { try write(data, to: name) }
  }

  func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

  func write(_ data: Data, to name: String) throws {
    try data.write(to: URL(fileURLWithPath: folder.path(of: name)))
  }

  func read(_ name: String) throws -> String {
    try String(contentsOfFile: folder.path(of: name), encoding: .utf8)
  }

  /// Runs the command in the test's process.
  func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:]
  ) throws -> Invocation {
    try Invocation(arguments, in: folder.path, input: Data(input.utf8), environment: environment)
  }

  /// Runs the program and expects an exit code; for a failure, also one line on standard error
  /// and an empty standard output.
  ///
  /// - Parameter phrases: The texts that the line must contain.
  @discardableResult
  func expect(
    _ exitCode: Int32, _ arguments: String..., saying phrases: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Invocation {
    let run = try run(arguments)
    let context = Comment(rawValue: "\(arguments): \(run.errorOutput)")
    #expect(run.exitCode == exitCode, context, sourceLocation: sourceLocation)
    if exitCode == 0 {
      #expect(run.errorOutput.isEmpty, context, sourceLocation: sourceLocation)
    } else {
      #expect(run.errorLines.count == 1, context, sourceLocation: sourceLocation)
      #expect(run.errorOutput.hasPrefix("layoutcache: "), context, sourceLocation: sourceLocation)
      #expect(run.output.isEmpty, context, sourceLocation: sourceLocation)
      // A question mark is not followed by a semicolon.
      #expect(!run.errorOutput.contains("?;"), context, sourceLocation: sourceLocation)
    }
    for phrase in phrases {
      #expect(run.errorOutput.contains(phrase), context, sourceLocation: sourceLocation)
    }
    return run
  }

  /// The search path, in which `layoutcache` is the built program.
  private static let path = [
    "PATH": Invocation.layoutcache.deletingLastPathComponent().path + ":"
      + (ProcessInfo.processInfo.environment["PATH"] ?? "")
  ]

  /// Runs lines of shell, in which `layoutcache` is a process.
  func shell(_ line: String, input: String = "") throws -> Invocation {
    try Invocation(
      of: URL(fileURLWithPath: "/bin/sh"), ["-c", line], in: folder.path, input: Data(input.utf8),
      environment: Self.path)
  }

  /// Returns what a line of shell prints on a terminal.
  ///
  /// - Parameter columns: The width of the terminal; `nil` if it reports none.
  func onTerminal(
    _ line: String, environment: [String: String] = [:], columns: Int? = nil
  ) throws -> String {
    let whole = (columns.map { "stty cols \($0); " } ?? "") + line
    return try Invocation(
      of: URL(fileURLWithPath: "/usr/bin/script"), ["-qec", whole, "/dev/null"], in: folder.path,
      environment: environment.merging(Self.path) { _, path in path }
    ).output
  }

  /// Changes the database directly, without the program.
  func sql(_ statement: String) throws {
    try RawDatabase(path: folder.path(of: "layoutcache.sqlite")).execute(statement)
  }
}
