import TestSupport
import Testing

@Suite struct OracleConfigurationTests {
  private func refusal(_ text: String, items: [OracleItem] = []) -> OracleRefusal? {
    do {
      _ = try Oracle(configuration: text, sections: [section(items)])
      return nil
    } catch {
      return error
    }
  }

  private func refusal(section: String, width: Double = 300) -> OracleRefusal? {
    refusal(#"{"container":{"width":\#(width)},"section":{\#(section)}}"#)
  }

  @Test func containerTooNarrowForInsetsAndGapsNamesTheNeededLength() {
    // 10 + 20 + 2 * 15 and a point for each of three columns: 63.
    let section = """
      "kind":"waterfall","columns":3,"columnSpacing":15,"inset":{"left":10,"right":20}
      """
    #expect(refusal(section: section, width: 63) == nil)
    #expect(
      refusal(section: section, width: 62.984375)
        == OracleRefusal(.containerTooNarrow, "section", needed: 63 * 64))
  }

  @Test(arguments: [#""kind":"flow""#, #""kind":"justified","targetRowLength":9"#])
  func linesNeedAtLeastAPointBetweenTheInsets(kind: String) {
    let section = kind + #","inset":{"left":10,"right":20}"#
    #expect(refusal(section: section, width: 31) == nil)
    #expect(
      refusal(section: section, width: 30.984375)
        == OracleRefusal(.containerTooNarrow, "section", needed: 31 * 64))
  }

  @Test func membersOfOtherKindsAreIgnored() {
    let others = #""lineLength":0,"itemSize":5,"targetRowLength":0,"lineAlignment":"left""#
    #expect(refusal(section: #""kind":"grid","columns":2,\#(others)"#) == nil)
    #expect(
      refusal(
        section: #""kind":"flow","columns":2,"minimumColumnWidth":9,"rowLength":0"#) == nil)
  }

  @Test func overrideOfAMissingSectionIsChecked() {
    let text = """
      {"container":{"width":10},"section":{"kind":"grid","columns":1,"rowLength":5},
       "sections":{"absent":{"columns":11}}}
      """
    #expect(
      refusal(text)
        == OracleRefusal(.containerTooNarrow, "section", needed: 11 * 64))
  }

  @Test(
    arguments: [
      (#""kind":"waterfall","colums":2"#, .unknownMember, "section.colums"),
      (#""columns":2"#, .missingMember, "section.kind"),
      (#""kind":"waterfall","columns":0"#, .outOfRange, "section.columns"),
      (#""kind":"waterfall","columns":257"#, .outOfRange, "section.columns"),
      (#""kind":"waterfall","columns":true"#, .wrongType, "section.columns"),
      (#""kind":"waterfall","columns":1.5"#, .wrongType, "section.columns"),
      (#""kind":"waterfall","header":-1"#, .outOfRange, "section.header"),
      (#""kind":"waterfall","header":"44""#, .wrongType, "section.header"),
      (#""kind":"waterfall","ties":"last""#, .outOfRange, "section.ties"),
      (#""kind":"waterfall","itemLength":"tall""#, .outOfRange, "section.itemLength"),
      (#""kind":"waterfall","inset":{"start":1}"#, .unknownMember, "section.inset.start"),
      (#""kind":"grid","rowLength":0"#, .outOfRange, "section.rowLength"),
      (#""kind":"mosaic""#, .unsupported, "section.kind"),
      (#""kind":"flow","itemSize":"wide""#, .outOfRange, "section.itemSize"),
      (#""kind":"flow","itemSize":5"#, .wrongType, "section.itemSize"),
      (#""kind":"flow","itemSize":{"width":1}"#, .missingMember, "section.itemSize.height"),
      (
        #""kind":"flow","itemSize":{"width":1,"height":0}"#, .outOfRange,
        "section.itemSize.height"
      ),
      (
        #""kind":"flow","itemSize":{"width":1,"height":1,"depth":1}"#, .unknownMember,
        "section.itemSize.depth"
      ),
      (
        #""kind":"flow","itemSize":{"width":1,"height":1},"lineLength":5"#, .conflictingMembers,
        "section.lineLength"
      ),
      (#""kind":"flow","lineLength":0"#, .outOfRange, "section.lineLength"),
      (#""kind":"flow","minimumLineSpacing":-1"#, .outOfRange, "section.minimumLineSpacing"),
      (#""kind":"flow","lineAlignment":"left""#, .outOfRange, "section.lineAlignment"),
      (#""kind":"flow","crossAlignment":"middle""#, .outOfRange, "section.crossAlignment"),
      (#""kind":"justified""#, .missingMember, "section.targetRowLength"),
      (#""kind":"justified","targetRowLength":0"#, .outOfRange, "section.targetRowLength"),
      (
        #""kind":"justified","targetRowLength":1,"maximumRowLength":0"#, .outOfRange,
        "section.maximumRowLength"
      ),
      (
        #""kind":"justified","targetRowLength":1,"lastRow":"leading""#, .outOfRange,
        "section.lastRow"
      ),
      (#""kind":"circle""#, .missingMember, "section.itemSize"),
      (#""kind":"circle","itemSize":"natural""#, .missingMember, "section.itemSize"),
      (
        #""kind":"grid","columns":2,"minimumColumnWidth":9"#, .conflictingMembers,
        "section.minimumColumnWidth"
      ),
    ] as [(String, OracleRefusal.Code, String)])
  func sectionMemberIsRejected(section: String, code: OracleRefusal.Code, subject: String) {
    #expect(refusal(section: section) == OracleRefusal(code, subject))
  }

  @Test(
    arguments: [
      ("5", .wrongType, "effect"), ("{}", .missingMember, "effect.kind"),
      (#"{"kind":"fade"}"#, .outOfRange, "effect.kind"),
      (#"{"kind":"scale","maximumAngle":1}"#, .unknownMember, "effect.maximumAngle"),
      (#"{"kind":"scale","maximumScale":0}"#, .outOfRange, "effect.maximumScale"),
      (#"{"kind":"scale","maximumScale":100.5}"#, .outOfRange, "effect.maximumScale"),
      (#"{"kind":"scale","maximumScale":"2"}"#, .wrongType, "effect.maximumScale"),
      (#"{"kind":"coverStack","maximumScale":1}"#, .unknownMember, "effect.maximumScale"),
      (#"{"kind":"rotary","maximumAngle":-1}"#, .outOfRange, "effect.maximumAngle"),
      (#"{"kind":"rotary","maximumAngle":89.5}"#, .outOfRange, "effect.maximumAngle"),
      (#"{"kind":"pageTurn","maximumAngle":1}"#, .unknownMember, "effect.maximumAngle"),
    ] as [(String, OracleRefusal.Code, String)])
  func effectIsRejected(effect: String, code: OracleRefusal.Code, subject: String) {
    let text = #"{"container":{"width":9},"section":{"kind":"grid"},"effect":\#(effect)}"#
    #expect(refusal(text) == OracleRefusal(code, subject))
  }

  @Test func nullEffectMeansNoEffect() {
    #expect(
      refusal(#"{"container":{"width":9},"section":{"kind":"grid"},"effect":null}"#) == nil)
  }

  @Test func invalidJSONIsRejected() {
    #expect(refusal("{")?.code == .malformedText)
    #expect(refusal("[]") == OracleRefusal(.wrongType, ""))
  }

  @Test func containerNeedsItsCrossLength() {
    let text = """
      {"container":{"width":10},"scrollDirection":"horizontal","section":{"kind":"waterfall"}}
      """
    #expect(refusal(text) == OracleRefusal(.missingMember, "container.height"))
  }

  @Test(arguments: [0, -1, .nan, .infinity, 1_000_001, 1.0 / 256])
  func naturalSizeOutOfRangeIsRejected(size: Double) {
    let text = #"{"container":{"width":10},"section":{"kind":"waterfall"}}"#
    #expect(
      refusal(text, items: [OracleItem(key: "a", width: 1, height: size)])
        == OracleRefusal(.outOfRange, "a"))
    #expect(
      refusal(text, items: [OracleItem(key: "b", width: size, height: 1)])
        == OracleRefusal(.outOfRange, "b"))
  }
}
