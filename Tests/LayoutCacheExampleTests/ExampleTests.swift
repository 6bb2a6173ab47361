import Foundation
import TestSupport
import Testing

@Suite struct ExampleTests {
  /// The folder of the built programs.
  static var products: URL {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      return (bundle ?? .main).bundleURL.deletingLastPathComponent()
    #else
      return Bundle.main.bundleURL
    #endif
  }

  @Test func theArticleHasTheProgramThatFollowsAStream() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    func text(_ path: String) throws -> String {
      try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
    let program = try text("Examples/ChangeStream/Sources/ChangeStream/main.swift")
    let article = try text("Sources/LayoutCache/LayoutCache.docc/FollowingAChangeStream.md")
    #expect(article.contains("```swift\n\(program)```"))
    #expect(program.split(separator: "\n", omittingEmptySubsequences: false).count <= 30)
  }

  @Test(arguments: [
    ("TimelineExample", "Examples/Timeline"), ("CalendarExample", "Examples/Kinds Calendar"),
    ("MosaicExample", "Examples/Kinds Mosaic"),
  ])
  func anExamplePrintsWhatThePageSays(name: String, package: String) throws {
    let folder = try TemporaryDirectory()
    let output = folder.path(of: "output")
    try Data().write(to: URL(filePath: output))
    let process = Process()
    process.executableURL = Self.products.appending(path: name)
    process.arguments = [folder.path(of: "example.sqlite")]
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "Examples/README.md"), encoding: .utf8)
    let session = try #require(
      page.components(separatedBy: "```console\n$ swift run --package-path \(package)\n")
        .dropFirst().first?.components(separatedBy: "```").first)
    #expect(try String(contentsOfFile: output, encoding: .utf8) == session)
  }
}
