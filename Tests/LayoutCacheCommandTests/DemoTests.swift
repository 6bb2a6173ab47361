import Foundation
import TestSupport
import Testing

@Suite struct DemoTests {
  @Test func theDemoShowsWhatItDidAndWhatToTypeNext() throws {
    let place = try Workplace()
    // Without a converter, so that the result does not depend on the machine.
    let demo = try place.run(
      ["demo", "--items", "3000"], environment: ["PATH": place.folder.path])
    #expect(demo.exitCode == 0, "\(demo.errorOutput)")
    #expect(demo.errorOutput.isEmpty)
    for phrase in [
      "imported 2699 items", "skipped 301 rows", "becomes twice as tall", "\n 3000 ",
      "demo.svg\ndemo-edit.svg\n", "apt-get install librsvg2-bin",
      "import FILE.csv --dataset NAME --key COLUMN",
    ] {
      #expect(demo.output.contains(phrase), "\(phrase): \(demo.output)")
    }
    // The next steps contain the command's path.
    let shown = try #require(demo.output.split(separator: "Next steps").first)
    for line in shown.split(separator: "\n") {
      #expect(line.count <= 80, "\(line)")
    }
    let json = try place.expect(0, "demo", "--items", "0", "--json").output
    // Readers who do not scroll past the end of a layout are not moved.
    #expect(json.matches(of: /"contentOffsetAdjustment":{"x":0,"y":0}/).count == 4)
    #expect(json.matches(of: /"contentOffsetAdjustment"/).count == 4)
    try place.expect(0, "verify", "--database", "layoutcache-demo.sqlite")
    try place.expect(64, "demo", "--items", "-1", saying: ["--items must be 0 to"])
  }

  /// The documentation's pictures are created by the demo; UPDATE_GOLDEN=1 rewrites them.
  @Test(arguments: ["demo.svg", "demo-edit.svg"])
  func documentationPicturesMatchTheDemo(name: String) throws {
    let place = try Workplace()
    try place.expect(0, "demo", "--items", "0")
    let drawn = try place.read(name)
    let page = ReadmeTests.root.appending(path: "docs/\(name)")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try drawn.write(to: page, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: page, encoding: .utf8) == drawn, "docs/\(name)")
  }

  /// The edited item is visible, with room for its title and its artist, before and after the
  /// edit.
  @Test func editedItemIsVisible() throws {
    let place = try Workplace()
    let demo = try place.expect(0, "demo", "--items", "0")
    let title = try #require(demo.output.firstMatch(of: /One edit: '(.*)' becomes twice/)).1
    let picture = try place.read("demo-edit.svg")
    #expect(picture.components(separatedBy: ">\(title)</tspan>").count == 3)
    #expect(picture.contains("recomputed: 1 of 2717 items, 1 of 2 columns"))
  }
}
