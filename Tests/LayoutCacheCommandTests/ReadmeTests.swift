import Foundation
import TestSupport
import Testing

// The README's session is run as it stands there, and must print what stands there.

@Suite struct ReadmeTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The commands of the README's session with what they print.
  static func session() throws -> [(command: String, output: String)] {
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let block =
      readme.components(separatedBy: "```console\n").dropFirst().first?
      .components(separatedBy: "```").first ?? ""
    var steps: [(command: String, output: String)] = []
    for line in block.split(separator: "\n") {
      if line.hasPrefix("$ ") {
        steps.append((String(line.dropFirst(2)), ""))
      } else if !steps.isEmpty {
        steps[steps.count - 1].output += line + "\n"
      }
    }
    return steps
  }

  @Test func theSessionPrintsWhatTheReadmeSays() throws {
    let folder = try TemporaryDirectory()
    try FileManager.default.copyItem(
      at: Self.root.appending(path: "Sources/DemoSample/tate-sample.csv"),
      to: URL(filePath: folder.path(of: "tate-sample.csv")))
    let steps = try Self.session()
    #expect(steps.count == 3)
    for step in steps {
      let words = step.command.split(separator: " ").map(String.init)
      #expect(words.first == "layoutcache")
      let run = try Invocation(Array(words.dropFirst()), in: folder.path)
      #expect(run.exitCode == 0, "\(step.command): \(run.errorOutput)")
      #expect(run.output == step.output, "\(step.command)")
    }
  }
}
