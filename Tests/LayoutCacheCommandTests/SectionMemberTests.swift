import ArgumentParser
import CollectionLayout
import Foundation
import Testing

@testable import LayoutCacheCommand

/// The table of docs/LAYOUTS.md, the command's flags and the table in the code agree.
struct SectionMemberTests {
  /// Returns the flag of a member with a valid value, and the resulting JSON.
  private static func example(
    of member: SectionMember
  ) -> (flags: [String], value: ConfigurationValue)? {
    let flag = flag(of: member)
    switch member.form {
    case .object: return nil
    case .truth: return ([flag], .bool(true))
    case .length: return ([flag, "-2.5"], .number(-2.5))
    case .columns: return ([flag, "2,-1"], .array([.number(2), .number(-1)]))
    case .name: return ([flag, "waterfall"], .string("waterfall"))
    case .nameOrLength: return ([flag, "12.5"], .number(12.5))
    case .itemSize:
      return ([flag, "3x4"], .object(["width": .number(3), "height": .number(4)]))
    case .insets:
      let side = ConfigurationValue.number(-1)
      return ([flag, "-1"], .object(["top": side, "left": side, "bottom": side, "right": side]))
    }
  }

  private static func flag(of member: SectionMember) -> String {
    "--" + member.name.replacing(/[A-Z]/) { "-" + $0.output.lowercased() }
  }

  @Test func documentedMembersMatchTheCode() throws {
    var lines: [String] = []
    var readersBefore: SectionMember.Readers?
    for member in SectionMember.all {
      let readers =
        switch member.readers {
        case .everyKind: "every kind"
        case .ownKinds: "custom kinds"
        case .kinds(let kinds): kinds.map { "`\($0.name)`" }.joined(separator: ", ")
        }
      let cells = [
        member.readers == readersBefore ? "" : readers, "`\(member.name)`", member.defaultText,
        member.meaning,
      ]
      lines.append("|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined())
      readersBefore = member.readers
    }
    let page = try String(
      contentsOf: ReadmeTests.root.appending(path: "docs/LAYOUTS.md"), encoding: .utf8)
    let table = (["| kind | member | default | meaning |", "| --- | --- | --- | --- |"] + lines)
      .joined(separator: "\n")
    #expect(page.contains("\n\(table)\n\n"), "the page should have\n\(table)")
  }

  @Test func helpDescribesEveryMember() throws {
    let help = try Workplace().expect(0, "layout", "set", "--help")
    let text = help.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      text.contains("waterfall, flow, grid, justified, carousel or circle (default: waterfall)"))
    for member in SectionMember.all where member.form != .object {
      #expect(text.contains(Self.flag(of: member)))
      let meaning = member.meaning.filter { $0 != "`" }.dropFirst()
      #expect(text.contains(meaning), "\(member.name)")
    }
  }

  @Test func everyFlagStatesItsMemberAndNothingElse() throws {
    for member in SectionMember.all {
      guard let example = Self.example(of: member) else { continue }
      var expected = [member.name: example.value]
      var arguments = example.flags
      if case .kinds(let kinds) = member.readers, let kind = kinds.first {
        arguments += ["--kind", kind.name]
        expected["kind"] = .string(kind.name)
      }
      #expect(try SectionFlags.parse(arguments).members == expected)
    }
    #expect(try SectionFlags.parse([]).members.isEmpty)
  }

  @Test(arguments: SectionKind.builtIn)
  func flagsOfOtherKindsAreRejectedByName(kind: SectionKind) throws {
    for member in SectionMember.all where member.name != "kind" {
      guard let example = Self.example(of: member) else { continue }
      let arguments = ["--kind", kind.name] + example.flags
      if member.isRead(by: kind) {
        #expect(throws: Never.self) { try SectionFlags.parse(arguments) }
        continue
      }
      #expect {
        try SectionFlags.parse(arguments)
      } throws: { error in
        guard case .kinds(let kinds) = member.readers else { return false }
        let names = kinds.map(\.name).joined(separator: " and ")
        return SectionFlags.message(for: error)
          == "\(Self.flag(of: member)) is for \(names), not for \(kind.name)"
      }
    }
  }
}
