import Foundation
import Testing

// The documentation's sessions are run unchanged and must print the documented output.
// Tests/ServiceTests runs those that start the service.

@Suite struct ReadmeTests {
  static let root = ConsolePage.root

  @Test(arguments: ["README.md", "docs/CHANGES.md"])
  func documentedSessionsPrintTheDocumentedOutput(path: String) throws {
    try ConsolePage(path).check()
  }

  /// The README must be short enough to read in one sitting.
  @Test func theReadmeIsShort() throws {
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 150)
  }

  private static func pages() throws -> [URL] {
    let docs = root.appending(path: "docs")
    let names = try FileManager.default.subpathsOfDirectory(atPath: docs.path).sorted()
    let here = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "Examples/README.md"]
    return here.map { root.appending(path: $0) }
      + names.filter { $0.hasSuffix(".md") }.map { docs.appending(path: $0) }
  }

  /// Files and headings that pages link to must exist.
  @Test func everyLinkLeadsSomewhere() throws {
    for page in try Self.pages() {
      let text = try String(contentsOf: page, encoding: .utf8)
      for match in text.matches(of: /\]\(([^)\s]+)\)/) {
        let link = String(match.1)
        if link.contains("://") { continue }
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let target =
          parts[0].isEmpty
          ? page : page.deletingLastPathComponent().appending(path: String(parts[0]))
        let place = "\(page.lastPathComponent): \(link)"
        guard FileManager.default.fileExists(atPath: target.path) else {
          Issue.record("\(place) does not exist")
          continue
        }
        guard parts.count > 1, target.pathExtension == "md" else { continue }
        let headings = try String(contentsOf: target, encoding: .utf8).split(separator: "\n")
          .filter { $0.hasPrefix("#") }.map(Self.anchor)
        #expect(headings.contains(String(parts[1])), "\(place) has no such heading")
      }
    }
  }

  /// Returns the anchor of a heading on GitHub.
  private static func anchor(_ heading: Substring) -> String {
    heading.drop { $0 == "#" }.dropFirst().lowercased().filter {
      $0.isLetter || $0.isNumber || $0 == " " || $0 == "-"
    }.replacing(" ", with: "-")
  }

  @Test func theIndexNamesEveryPage() throws {
    let index = try String(contentsOf: Self.root.appending(path: "docs/README.md"), encoding: .utf8)
    for page in try Self.pages() where page.deletingLastPathComponent().lastPathComponent == "docs"
    {
      let name = page.lastPathComponent
      #expect(name == "README.md" || index.contains("(\(name))"), "\(name)")
    }
  }

  /// The `make` targets in the documentation exist in the Makefile.
  @Test func everyDocumentedMakeTargetExists() throws {
    let makefile = try String(contentsOf: Self.root.appending(path: "Makefile"), encoding: .utf8)
    let phony = makefile.replacing("\\\n", with: " ").split(separator: "\n")
      .first { $0.hasPrefix(".PHONY:") }
    let targets = Set((phony ?? "").split(separator: " ").dropFirst().map(String.init))
    #expect(targets.contains("demo"))
    for page in try Self.pages() {
      let text = try String(contentsOf: page, encoding: .utf8)
      for match in text.matches(of: /(?:`|&& )make ([a-z-]+)|\nmake ([a-z-]+)(?:\n| +#| [A-Z]+=)/) {
        let target = String(match.1 ?? match.2 ?? "")
        #expect(targets.contains(target), "\(page.lastPathComponent): \(match.0)")
      }
    }
  }
}
