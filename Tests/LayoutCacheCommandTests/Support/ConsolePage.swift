import Foundation
import TestSupport
import Testing

/// The sessions of a documentation page: commands after `$`, continued after `>`, and their output.
struct ConsolePage {
  struct Step {
    /// The command, with line breaks.
    var command: String
    var output: String
  }

  /// The project's folder.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let mark = "----- end of a step:"

  let url: URL
  private let text: String

  /// - Parameter path: The path of the page in the project.
  init(_ path: String) throws {
    url = Self.root.appending(path: path)
    text = try String(contentsOf: url, encoding: .utf8)
  }

  /// The sessions up to the first that starts the service, which the tests of the service run.
  var blocks: [[Step]] {
    let blocks = text.components(separatedBy: "```console\n").dropFirst().map {
      Self.steps($0.components(separatedBy: "```")[0])
    }
    return Array(blocks.prefix { !$0.contains { $0.command.contains("layoutcache serve") } })
  }

  private static func steps(_ block: String) -> [Step] {
    var steps: [Step] = []
    for line in block.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2)), output: ""))
      } else if line.hasPrefix("> "), let last = steps.last, last.output.isEmpty {
        steps[steps.count - 1].command += "\n" + line.dropFirst(2)
      } else if !steps.isEmpty {
        steps[steps.count - 1].output += line + "\n"
      }
    }
    return steps
  }

  /// Runs the sessions in order in one shell, in a folder with the files that the pages use,
  /// and compares the output of each step with the page.
  ///
  /// With UPDATE_GOLDEN=1 it writes the output into the page.
  func check() throws {
    let steps = blocks.flatMap(\.self)
    try #require(!steps.isEmpty, "\(url.lastPathComponent) has no session")
    let folder = try TemporaryDirectory()
    try FileManager.default.createSymbolicLink(
      at: URL(filePath: folder.path(of: "Sources")),
      withDestinationURL: Self.root.appending(path: "Sources"))
    let script = steps.map { "\($0.command)\nprintf '\\n%s %s\\n' '\(Self.mark)' $?\n" }.joined()
    let products = Invocation.layoutcache.deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let run = try Invocation(
      of: URL(filePath: "/bin/sh"), ["-c", "exec 2>&1\n\(script)"], in: folder.path,
      // The width of the pages; the tests of the service use the same.
      environment: ["PATH": "\(products):\(path)", "COLUMNS": "120"])
    var page = text
    var printed = run.output.components(separatedBy: "\n\(Self.mark) ").makeIterator()
    var output = printed.next() ?? ""
    for step in steps {
      // The exit code of this step, and the output of the next one.
      let next = printed.next() ?? "none"
      let parts = next.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      let code = String(parts[0])
      #expect(code == "0", "\(step.command) ends with \(code): \(output)")
      if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
        let typed = "$ " + step.command.replacing("\n", with: "\n> ") + "\n"
        page = page.replacing(typed + step.output, with: typed + output, maxReplacements: 1)
      } else {
        #expect(output == step.output, "\(step.command)")
      }
      output = parts.count > 1 ? String(parts[1]) : ""
    }
    if page != text { try page.write(to: url, atomically: true, encoding: .utf8) }
  }
}
