import Foundation
import TestSupport
import Testing

@Suite struct ExampleTests {
  /// The folder of the built programs.
  private var products: URL {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      return (bundle ?? .main).bundleURL.deletingLastPathComponent()
    #else
      return Bundle.main.bundleURL
    #endif
  }

  @Test func theTimelinePrintsWhatItsPageSays() throws {
    let folder = try TemporaryDirectory()
    let output = folder.path(of: "output")
    try Data().write(to: URL(filePath: output))
    let process = Process()
    process.executableURL = products.appending(path: "TimelineExample")
    process.arguments = [folder.path(of: "timeline.sqlite")]
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "Examples/README.md"), encoding: .utf8)
    let session = try #require(
      page.components(separatedBy: "```console\n").dropFirst().first?
        .components(separatedBy: "```").first)
    // All but the command.
    let expected = session.split(separator: "\n").dropFirst().joined(separator: "\n") + "\n"
    #expect(try String(contentsOfFile: output, encoding: .utf8) == expected)
  }
}
