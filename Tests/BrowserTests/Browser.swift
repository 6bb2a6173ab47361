import Foundation
import TestSupport
import Testing

/// The distribution's Chromium without a window, driven by `lay_out.py`.
enum Browser {
  /// The browser's version and capabilities.
  struct Identity: Decodable {
    var version: String
    /// Whether it supports `display: grid-lanes`, with or without its flag.
    var hasGridLanes: Bool
  }

  /// The positions of a page's items, in CSS pixels.
  struct Answer: Decodable {
    /// The container's width and height.
    var size: [Double]
    /// Each item's x, y, width and height in the container.
    var items: [[Double]]
  }

  /// Whether a missing browser is a failure: set if one has been installed for the tests.
  static let isRequired =
    ProcessInfo.processInfo.environment["LAYOUTCACHE_REQUIRE_BROWSER"] == "1"

  /// The browser, or nil if it, Python or Playwright is not installed.
  static let identity: Identity? = try? layOut([]).identity

  static let hasGridLanes = identity?.hasGridLanes ?? false

  static let lacksGridLanes: Comment = "needs a Chromium with `display: grid-lanes`: 156 has it"

  /// Lays out pages in one browser.
  ///
  /// - Throws: `Failure` with Python's output, without a browser or an answer.
  static func layOut(_ pages: [BrowserPage]) throws -> (identity: Identity, answers: [Answer]) {
    let encoder = JSONEncoder()
    var input = Data()
    for page in pages {
      input += try encoder.encode(page)
      input.append(UInt8(ascii: "\n"))
    }
    let lines = try run(input: input).split(separator: UInt8(ascii: "\n"))
    guard lines.count == pages.count + 1 else {
      throw Failure(reason: "\(lines.count) lines for \(pages.count) pages")
    }
    let decoder = JSONDecoder()
    return (
      try decoder.decode(Identity.self, from: lines[0]),
      try lines.dropFirst().map { try decoder.decode(Answer.self, from: $0) }
    )
  }

  struct Failure: Error {
    var reason: String
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  /// The Python in which `make browser` installs Playwright, else the one on the path.
  private static var python: String {
    let own = folder.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: ".build/browser/bin/python3").path
    return FileManager.default.isExecutableFile(atPath: own) ? own : "python3"
  }

  /// Runs the script; input and errors go through files because pipes could fill up.
  private static func run(input: Data) throws -> Data {
    let directory = try TemporaryDirectory()
    let inputPath = directory.path(of: "pages")
    let errorPath = directory.path(of: "errors")
    try input.write(to: URL(filePath: inputPath))
    try Data().write(to: URL(filePath: errorPath))
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [python, folder.appending(path: "lay_out.py").path]
    process.standardInput = try FileHandle(forReadingFrom: URL(filePath: inputPath))
    process.standardError = try FileHandle(forWritingTo: URL(filePath: errorPath))
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(reason: try String(contentsOfFile: errorPath, encoding: .utf8))
    }
    return data
  }
}
