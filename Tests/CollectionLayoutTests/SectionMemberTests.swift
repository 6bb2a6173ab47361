import Foundation
import Testing

@testable import CollectionLayout

/// The behaviour that the table of section members defines, for each member.
struct SectionMemberTests {
  /// Two values of each member, as JSON.
  private static let examples: [String: (one: String, other: String)] = [
    "kind": (#""flow""#, #""timeline""#), "assignment": (#""exact""#, #""stable""#),
    "ties": (#""cursor""#, #""leading""#), "lineAlignment": (#""center""#, #""trailing""#),
    "crossAlignment": (#""top""#, #""bottom""#), "lastRow": (#""fill""#, #""natural""#),
    "columns": ("3", "[2,1]"), "scrolling": (#""paging""#, #""continuous""#),
    "effect": (#"{"kind":"none"}"#, #"{"kind":"tilt","options":{"a":1}}"#),
    "appearance": (#""slide""#, #"{"kind":"drop","options":{"a":1}}"#),
    "itemWidth": (#"{"fraction":0.5,"peek":8}"#, #""aspect""#),
    "itemLength": (#""natural""#, "7.5"), "rowLength": ("5", #""square""#),
    "header": (#"{"fraction":0.5,"minus":8.25}"#, "0"),
    "itemSize": (#"{"height":2,"width":{"fraction":0.29,"minus":0}}"#, #""natural""#),
    "options": (#"{"a":[1,null,"b"]}"#, "{}"), "pinsHeader": ("true", "false"),
    "pinsFooter": ("true", "false"),
    "inset": (
      #"{"bottom":3,"left":2,"right":4,"top":1}"#, #"{"bottom":0,"left":0,"right":0,"top":0.5}"#
    ),
    "supplementary": (
      #"[{"alignment":"center","crossLength":{"fraction":0.5,"minus":0},"edge":"bottom","#
        + #""inset":{"bottom":0,"left":9,"right":0,"top":0},"kind":"total","length":40,"#
        + #""pins":true,"zIndex":3}]"#, "[]"
    ),
    "badges": (
      #"[{"anchor":"top","kind":"a","offset":{"x":1,"y":-0.5},"size":{"height":2,"width":1},"when":"n = 1"}]"#,
      "[]"
    ),
    "decorations": (
      #"[{"count":3,"inset":{"bottom":0,"left":0,"right":0,"top":0},"kind":"a","place":"run","zIndex":-1}]"#,
      #"[{"inset":{"bottom":0,"left":9,"right":0,"top":0},"kind":"a","length":0.5,"place":"separator","zIndex":0}]"#
    ),
    "decorators": (#"[{"kind":"now","options":{"y":1}}]"#, "[]"),
    "background": (
      #"{"inset":{"bottom":0,"left":0,"right":0,"top":0},"kind":"card","zIndex":-1}"#,
      #"{"inset":{"bottom":0,"left":9,"right":0,"top":0},"kind":"b","zIndex":2}"#
    ),
  ]

  private static func examples(of member: SectionMember) -> (one: String, other: String) {
    examples[member.name] ?? ("8.25", "0")
  }

  private func options(_ members: [String: String]) throws -> SectionOptions {
    let text = members.map { #""\#($0)":\#($1)"# }.joined(separator: ",")
    return try JSONDecoder().decode(SectionOptions.self, from: Data("{\(text)}".utf8))
  }

  private func text(_ options: SectionOptions) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(options), as: UTF8.self)
  }

  @Test func everyPropertyIsInTheTableUnderItsName() {
    let properties = Mirror(reflecting: SectionOptions()).children.compactMap(\.label)
    #expect(Set(SectionMember.all.map(\.name)) == Set(properties))
    #expect(SectionMember.all.count == properties.count)
  }

  @Test func everyMemberRoundTripsAloneAndAsWritten() throws {
    for member in SectionMember.all {
      let examples = Self.examples(of: member)
      for value in [examples.one, examples.other] {
        let options = try options([member.name: value])
        #expect(options != SectionOptions(), "\(member.name)")
        #expect(try text(options) == #"{"\#(member.name)":\#(value)}"#)
      }
      #expect(try self.options([member.name: "null"]) == SectionOptions())
    }
  }

  @Test func anOverrideTakesEveryMemberThatItLeavesOutFromTheDefaults() throws {
    for member in SectionMember.all {
      let examples = Self.examples(of: member)
      let one = try options([member.name: examples.one])
      let other = try options([member.name: examples.other])
      #expect(SectionOptions().filled(from: one) == one)
      #expect(one.filled(from: SectionOptions()) == one)
      #expect(one.filled(from: other) == one, "\(member.name)")
    }
  }

  @Test(arguments: [("columns", "minimumColumnWidth"), ("itemSize", "lineLength")])
  func anOverrideDisplacesAnExclusiveMemberOfTheDefaults(
    first: String, second: String
  ) throws {
    let values = Dictionary(
      uniqueKeysWithValues: SectionMember.all.map { ($0.name, Self.examples(of: $0).one) })
    let one = try options([first: try #require(values[first])])
    let other = try options([second: try #require(values[second])])
    #expect(one.filled(from: other) == one)
    #expect(other.filled(from: one) == other)
    var others = values
    others[first] = nil
    others[second] = nil
    let rest = try options(others)
    #expect(
      try one.filled(from: options(values))
        == options(others.merging([first: values[first]!]) { $1 }))
    #expect(try text(rest.filled(from: one)) == text(one.filled(from: rest)))
  }

  @Test func theFirstMistakeInTableOrderIsNamed() {
    for _ in 0..<10 {
      #expect {
        try options(["lastRow": #""x""#, "ties": #""y""#, "columns": "1.5"])
      } throws: { "\($0)" == "1.5 is not a whole number (in columns)" }
    }
  }
}
