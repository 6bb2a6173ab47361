import Foundation
import TestSupport
import Testing

@Suite struct DemoTests {
  @Test func theDemoShowsWhatItDidAndWhatToTypeNext() throws {
    let place = try Workplace()
    // Without a converter, so that the result does not depend on the machine.
    let demo = try place.run(["demo", "--items", "3000"], environment: ["PATH": place.folder.path])
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
    for line in shown.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
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
    try compare(place, name)
  }

  /// Compares a picture with that of the documentation, or replaces the latter.
  private func compare(_ place: Workplace, _ name: String) throws {
    let drawn = try place.read(name)
    let page = ReadmeTests.root.appending(path: "docs/\(name)")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try drawn.write(to: page, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: page, encoding: .utf8) == drawn, "docs/\(name)")
  }

  /// The pictures of the kinds, of the same 30 items.
  @Test func documentationPicturesOfTheKindsMatchTheCommand() throws {
    let place = try Workplace()
    let sizes = [(4, 3), (3, 4), (1, 1), (16, 9), (2, 3), (3, 2), (5, 4)]
    try place.write(
      "key,width,height\n"
        + (0..<30).map { "\($0 + 1),\(sizes[$0 % 7].0 * 30),\(sizes[$0 % 7].1 * 30)\n" }.joined(),
      to: "items.csv")
    try place.expect(0, "import", "items.csv", "--dataset", "items")
    for (kind, options) in [
      "waterfall": "--columns 4 --column-spacing 4 --line-spacing 4",
      "flow": "--line-length 40 --minimum-interitem-spacing 4 --minimum-line-spacing 4",
      "grid": "--columns 5 --column-spacing 4 --line-spacing 4",
      "justified": "--target-row-length 40 --spacing 4",
      "carousel": "--item-width aspect --item-length 60 --spacing 4",
      "circle": "--item-size 16x16",
    ] {
      let shape = "layout set \(kind) --kind \(kind) --width 240 --height 180 --inset 4 \(options)"
      #expect(try place.run(shape.split(separator: " ").map(String.init)).exitCode == 0, "\(shape)")
      try place.expect(
        0, "render", "--layout", kind, "--rect", "0,0,240,180", "--output", "kind-\(kind).svg")
      try compare(place, "kind-\(kind).svg")
    }
  }

  /// The edited item is visible, with room for its title and its artist, before and after the edit.
  @Test func editedItemIsVisible() throws {
    let place = try Workplace()
    let demo = try place.expect(0, "demo", "--items", "0")
    let title = try #require(demo.output.firstMatch(of: /One edit: '(.*)' becomes twice/)).1
    let picture = try place.read("demo-edit.svg")
    #expect(picture.components(separatedBy: ">\(title)</tspan>").count == 3)
    #expect(picture.contains("recomputed: 1 of 2717 items, 1 of 2 columns"))
  }
}
