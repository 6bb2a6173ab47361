import Foundation
import TestSupport
import Testing

@Suite struct RenderCommandTests {
  private static let render = [
    "render", "--dataset", "feed", "--layout", "phone", "--rect", "0,0,220,400", "-o",
  ]

  /// Returns a workplace with a script in place of rsvg-convert.
  private static func place(converter: String) throws -> (Workplace, path: [String: String]) {
    let place = try Workplace.withFeed()
    let folder = place.folder.path(of: "bin")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try place.write("#!/bin/sh\n\(converter)\n", to: "bin/rsvg-convert")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: "\(folder)/rsvg-convert")
    return (place, ["PATH": "\(folder):/usr/bin:/bin"])
  }

  @Test func pngIsConvertedFromTheSVG() throws {
    let (place, path) = try Self.place(converter: "cat")
    let run = try place.run(Self.render + ["a.PNG"], environment: path)
    #expect(run.exitCode == 0, "\(run.errorOutput)")
    #expect(run.output == "drew 7 elements into a.PNG\n")
    try place.expect(
      0, "render", "--dataset", "feed", "--layout", "phone", "--rect", "0,0,220,400", "-o", "a.svg")
    #expect(try place.read("a.PNG") == place.read("a.svg"))
  }

  @Test func failingConverterLeavesNoFile() throws {
    let (place, path) = try Self.place(converter: "echo half; echo complaint >&2; exit 3")
    let run = try place.run(Self.render + ["a.png"], environment: path)
    #expect(run.exitCode == 74)
    #expect(run.errorLines.count == 1)
    #expect(run.errorOutput.contains("rsvg-convert ended with exit code 3"))
    #expect(!place.exists("a.png"))
  }

  @Test func missingConverterIsExplained() throws {
    let place = try Workplace.withFeed()
    let run = try place.run(Self.render + ["a.png"], environment: ["PATH": place.folder.path])
    #expect(run.exitCode == 64)
    #expect(run.errorLines.count == 1)
    #expect(run.errorOutput.contains("apt-get install librsvg2-bin"))
    #expect(!place.exists("a.png"))
  }

  @Test(arguments: [
    ["--rect", "0,0,32768,10", "-o", "a.png"], ["--rect", "0,0,10,10", "-o", "a.gif"],
    ["--rect", "0,0,10,10", "-o", "png"],
    ["--rect", "0,0,10,10", "-o", "a.svg", "--changes", "-1"],
  ])
  func unsupportedPictureIsAUsageError(_ arguments: [String]) throws {
    let run = try Workplace.withFeed()
      .run(["render", "--dataset", "feed", "--layout", "phone"] + arguments)
    #expect(run.exitCode == 64)
    #expect(run.errorLines.count == 1)
  }

  @Test func changesAreMarkedAndCounted() throws {
    let place = try Workplace.withFeed()
    try place.expect(0, "prepare", "--dataset", "feed")
    try place.write(#"{"op":"resize","key":"b","width":100,"height":100}"#, to: "batch")
    try place.expect(0, "update", "batch", "--dataset", "feed")
    let same = try place.run(Self.render + ["a.svg", "--changes", "2", "--json"])
    #expect(
      same.output == """
        {"dataset":"feed","layout":"phone","revision":2,"file":"a.svg","elements":7,"since":2,\
        "everything":false,"edited":0,"moved":0}

        """)
    // Whether the log still covers that revision depends on what has been stored since.
    let marked = try place.run(Self.render + ["b.svg", "--changes", "1", "--json"])
    #expect(marked.output.contains(#""since":1"#) && marked.output.contains(#""edited":1"#))
    #expect(try place.read("a.svg") != place.read("b.svg"))
    // Everything in an import is new; a future revision does not exist.
    let everything = try place.run(Self.render + ["c.svg", "--changes", "0"])
    #expect(everything.output.contains("all are marked"))
    let run = try place.run(Self.render + ["d.svg", "--changes", "9"])
    #expect(run.exitCode == 65)
    #expect(!place.exists("d.svg"))
  }

  /// A variant has many names in requests and one in answers.
  @Test func answersCarryTheCanonicalNameOfAVariant() throws {
    let place = try Workplace.withFeed()
    try place.write(#"{"container":{"widths":{}}}"#, to: "any.json")
    try place.expect(0, "layout", "set", "any", "--dataset", "feed", "--config", "any.json")
    let of = ["--dataset", "feed", "--json", "--layout"]
    for name in ["any@390", "any@384.5", "any@384"] {
      let sections = try place.run(["sections"] + of + [name])
      let prepared = try place.run(["prepare"] + of + [name])
      let drawn = try place.run(
        ["render", "--rect", "0,0,400,400", "-o", "a.svg"] + of + [name])
      for run in [sections, prepared, drawn] {
        #expect(run.output.contains(#""layout":"any@384","#), "\(run.output)\(run.errorOutput)")
      }
    }
    // Changes are of the layout that the picture shows, by whatever name.
    try place.write(#"{"op":"resize","key":"b","width":100,"height":100}"#, to: "batch")
    try place.expect(0, "update", "batch", "--dataset", "feed")
    let marked = try place.run(
      ["render", "--rect", "0,0,400,400", "-o", "b.svg", "--changes", "1"] + of + ["any@390"])
    #expect(marked.output.contains(#""everything":false,"edited":1,"#), "\(marked.output)")
  }
}
