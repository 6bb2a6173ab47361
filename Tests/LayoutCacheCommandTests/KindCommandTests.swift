import Foundation
import Testing

struct KindCommandTests {
  /// Flags, and the members of `section` that they set.
  struct Flags: CustomTestStringConvertible, Sendable {
    var flags: [String]
    var members: [String: String]

    var testDescription: String { flags.joined(separator: " ") }
  }

  static let flags = [
    Flags(
      flags: ["--kind", "flow", "--item-size", "60x40.5"],
      members: ["kind": #""flow""#, "itemSize": #"{"height":40.5,"width":60}"#]),
    Flags(
      flags: [
        "--kind", "flow", "--item-size", "natural", "--minimum-interitem-spacing", "3",
        "--minimum-line-spacing", "5.5", "--line-alignment", "center", "--cross-alignment", "top",
      ],
      members: [
        "kind": #""flow""#, "itemSize": #""natural""#, "minimumInteritemSpacing": "3",
        "minimumLineSpacing": "5.5", "lineAlignment": #""center""#, "crossAlignment": #""top""#,
      ]),
    Flags(
      flags: ["--kind", "flow", "--line-length", "80"],
      members: ["kind": #""flow""#, "lineLength": "80"]),
    Flags(
      flags: ["--kind", "grid", "--columns", "3", "--row-length", "square"],
      members: ["kind": #""grid""#, "columns": "3", "rowLength": #""square""#]),
    Flags(
      flags: ["--kind", "grid", "--minimum-column-width", "50", "--row-length", "70"],
      members: ["kind": #""grid""#, "minimumColumnWidth": "50", "rowLength": "70"]),
    Flags(
      flags: [
        "--kind", "justified", "--target-row-length", "90", "--spacing", "4", "--last-row", "fill",
        "--maximum-row-length", "120",
      ],
      members: [
        "kind": #""justified""#, "targetRowLength": "90", "spacing": "4", "lastRow": #""fill""#,
        "maximumRowLength": "120",
      ]),
    Flags(
      flags: ["--kind", "circle", "--item-size", "20x30"],
      members: ["kind": #""circle""#, "itemSize": #"{"height":30,"width":20}"#]),
  ]

  @Test(arguments: flags)
  func flagsStateTheMembersOfTheirKind(flags: Flags) throws {
    let place = try Workplace.withFeed()
    let run = try place.run(
      ["layout", "set", "l", "--dataset", "feed", "--width", "200"] + flags.flags)
    #expect(run.exitCode == 0, "\(run.errorOutput)")
    let shown = try place.expect(0, "layout", "show", "l", "--dataset", "feed")
    let object = try JSONSerialization.jsonObject(with: Data(shown.output.utf8))
    let section = try #require((object as? [String: Any])?["section"] as? [String: Any])
    let members = try section.mapValues { value in
      String(
        decoding: try JSONSerialization.data(
          withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys]),
        as: UTF8.self)
    }
    #expect(members == flags.members)
  }

  @Test func invalidFlagsAreRejected() throws {
    let place = try Workplace.withFeed()
    func set(_ exitCode: Int32, _ flags: String..., saying phrase: String) throws {
      let run = try place.run(
        ["layout", "set", "l", "--dataset", "feed", "--width", "200"] + flags)
      #expect(run.exitCode == exitCode, "\(flags)")
      #expect(run.errorOutput.contains(phrase), "\(run.errorOutput)")
    }
    try set(65, "--kind", "masonry", saying: "'masonry' is not one of 'waterfall', 'flow', 'grid'")
    try set(64, "--kind", "flow", "--item-size", "60", saying: "a size such as 100x80")
    try set(64, "--kind", "flow", "--item-size", "60x", saying: "'' is not a number")
    try set(64, "--kind", "flow", "--item-size", "1x2x3", saying: "a size such as 100x80")
    try set(64, "--kind", "flow", "--item-size", "huge", saying: "a size such as 100x80")
    try set(65, "--kind", "flow", "--item-size", "0x5", saying: "width is 0")
    try set(65, "--kind", "grid", "--row-length", "round", saying: #"not "round""#)
    try set(65, "--kind", "justified", saying: "'targetRowLength' is missing")
    try set(65, "--kind", "circle", saying: "'itemSize' is missing")
    try set(
      65, "--kind", "flow", "--item-size", "9x9", "--line-length", "9",
      saying: "'itemSize' and 'lineLength' cannot be combined")
  }

  @Test func helpNamesEveryKind() throws {
    let place = try Workplace()
    let help = try place.expect(0, "layout", "set", "--help")
    let text = help.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      text.contains("waterfall, flow, grid, justified, carousel or circle (default: waterfall)"))
  }

  private static let kinds = [
    ["--kind", "flow"], ["--kind", "grid", "--columns", "2"],
    ["--kind", "justified", "--target-row-length", "40"],
    ["--kind", "circle", "--item-size", "20x30"],
  ]

  @Test(arguments: kinds)
  func everyCommandWorksOnEveryKind(kind: [String]) throws {
    let place = try Workplace.withFeed()
    let layout = ["--dataset", "feed", "--layout", "l"]
    func run(_ arguments: [String], input: String = "") throws -> String {
      let run = try place.run(arguments, input: input)
      #expect(run.exitCode == 0, "\(arguments): \(run.errorOutput)")
      return run.output
    }
    _ = try run(["layout", "set", "l", "--dataset", "feed", "--width", "220"] + kind)
    #expect(try run(["prepare", "--dataset", "feed", "--layout", "l"]).contains("laid out"))
    #expect(try run(["layout", "list", "--dataset", "feed"]).contains(kind[1]))
    #expect(try run(["query", "--rect", "0,0,220,500", "--json"] + layout).contains(#""key":"c""#))
    let item = try run(["item", "b", "--json"] + layout)
    #expect(item.contains("\"column\":1") == (kind[1] == "grid"))
    #expect(try !run(["hit-test", "10,10"] + layout).isEmpty)
    let sections = try run(["inspect", "--json"] + layout)
    #expect(sections.contains(#""columnEnds":[],"skew":0"#))
    #expect(try !run(["inspect"] + layout).contains("skew"))
    let update = try run(
      ["update", "-", "--dataset", "feed", "--json"],
      input: #"{"op":"resize","key":"a","width":100,"height":80}"#)
    #expect(update.contains(#""layout":"l","everything":false,"recomputedItems":"#))
    #expect(update.contains(#""recomputedColumns":0"#))
    #expect(try run(["sections"] + layout).contains("two"))
    _ = try run(["render", "--rect", "0,0,220,500", "-o", "l.svg"] + layout)
    #expect(try place.read("l.svg").contains("<rect"))
    _ = try run(["rebalance"] + layout)
    _ = try run(["invalidate"] + layout)
    _ = try run(["verify"])
  }

  @Test func listNamesTheKindsOfAllSections() throws {
    let place = try Workplace.withFeed()
    try place.write(
      #"""
      {"container":{"width":200},"section":{"kind":"grid"},
       "sections":{"one":{"kind":"flow"},"two":{"columns":3}}}
      """#, to: "l.json")
    try place.expect(0, "layout", "set", "l", "--dataset", "feed", "--config", "l.json")
    let list = try place.expect(0, "layout", "list", "--dataset", "feed")
    #expect(list.output.contains("grid, flow"))
  }

  @Test func picturesShowTransformedCells() throws {
    let place = try Workplace.withFeed()
    let set = ["layout", "set", "l", "--dataset", "feed", "--width", "220", "--columns", "1"]
    let render = [
      "render", "--dataset", "feed", "--layout", "l", "--rect", "0,0,220,220", "-o", "l.svg",
    ]
    for (flags, drawing) in [
      (["--effect", "scale", "--maximum-scale", "2"], "<g transform=\"matrix("),
      (["--effect", "rotary"], "<polygon points=\""),
    ] {
      #expect(try place.run(set + flags).exitCode == 0)
      #expect(try place.run(render).exitCode == 0)
      #expect(try place.read("l.svg").contains(drawing))
    }
  }
}
