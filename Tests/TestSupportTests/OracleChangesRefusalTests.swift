import TestSupport
import Testing

@Suite struct OracleChangesRefusalTests {
  private func feed() throws -> OracleFeed {
    try OracleFeed([
      section("s", [item("a", 10), item("b", 10)]), section("t", [item("c", 10)]),
    ])
  }

  private typealias Refused = (OracleOperation, OracleRefusal.Code, String)

  private static let keys: [Refused] = [
    (.insert(items: [item("x", 1)], at: .end(section: "no")), .unknownSection, "no"),
    (.insert(items: [item("x", 1)], at: .index(0, section: "no")), .unknownSection, "no"),
    (.insert(items: [item("x", 1)], at: .before("no")), .unknownItem, "no"),
    (.insert(items: [item("x", 1)], at: .after("no")), .unknownItem, "no"),
    (.insert(items: [], at: .after("no")), .unknownItem, "no"),
    (.insert(items: [item("x", 1), item("c", 1)], at: .after("a")), .itemExists, "c"),
    (.insert(items: [item("x", 1), item("x", 1)], at: .after("a")), .itemExists, "x"),
    (.insert(items: [item("", 1)], at: .after("a")), .outOfRange, ""),
    (.insert(items: [item("\u{85}", 1)], at: .after("a")), .outOfRange, "\u{85}"),
    (.delete(keys: ["no"]), .unknownItem, "no"),
    (.delete(keys: ["a", "a"]), .unknownItem, "a"),
    (.move(key: "no", to: .end(section: "s")), .unknownItem, "no"),
    (.move(key: "no", to: .after("no")), .unknownItem, "no"),
    (.move(key: "a", to: .before("no")), .unknownItem, "no"),
    (.move(key: "a", to: .end(section: "no")), .unknownSection, "no"),
    (.move(key: "a", to: .before("a")), .relativeToItself, "a"),
    (.move(key: "a", to: .after("a")), .relativeToItself, "a"),
    (.resize(key: "no", width: 1, height: 1), .unknownItem, "no"),
    (.prefer(key: "no", length: 64), .unknownItem, "no"),
    (.prefer(key: "no", length: nil), .unknownItem, "no"),
    (.insertSection(key: "t"), .sectionExists, "t"),
    (.insertSection(key: ""), .outOfRange, ""),
    (.deleteSection(key: "no"), .unknownSection, "no"),
    (.moveSection(key: "no", index: 0), .unknownSection, "no"),
    (.invalidate(items: ["a", "no"]), .unknownItem, "no"),
    (.invalidate(sections: ["s", "no"]), .unknownSection, "no"),
    (.invalidate(items: ["no"], everything: true), .unknownItem, "no"),
    (.invalidateElements(kinds: [], sections: ["no"]), .unknownSection, "no"),
    (.invalidateElements(kinds: ["header"], sections: ["s"]), .noElement, "header"),
    (.invalidateElements(kinds: ["layoutHeader"]), .noElement, "layoutHeader"),
    (.rebalance(section: "no"), .unknownSection, "no"),
    (.rebalance(from: "no"), .unknownItem, "no"),
    (.rebalance(section: "s", from: "no"), .unknownItem, "no"),
    (.rebalance(section: "s", from: "c"), .inOtherSection, "c"),
  ]

  private static let values: [Refused] = [
    (.insert(items: [item("x", 1)], at: .index(-1, section: "s")), .outOfRange, "s"),
    (.insert(items: [item("x", 1)], at: .index(3, section: "s")), .outOfRange, "s"),
    (.move(key: "a", to: .index(2, section: "s")), .outOfRange, "s"),
    (.move(key: "a", to: .index(2, section: "t")), .outOfRange, "t"),
    (.insertSection(key: "x", index: 3), .outOfRange, "x"),
    (.insertSection(key: "x", index: -1), .outOfRange, "x"),
    (.moveSection(key: "s", index: 2), .outOfRange, "s"),
    (.moveSection(key: "s", index: -1), .outOfRange, "s"),
    (.insert(items: [item("x", 0)], at: .after("a")), .outOfRange, "x"),
    (.insert(items: [item("x", .nan)], at: .after("a")), .outOfRange, "x"),
    (.insert(items: [item("x", 1, span: -1)], at: .after("a")), .outOfRange, "x"),
    (.resize(key: "a", width: 0, height: 1), .outOfRange, "a"),
    (.resize(key: "a", width: 1, height: -1), .outOfRange, "a"),
    (.resize(key: "a", width: 1, height: .infinity), .outOfRange, "a"),
    (.resize(key: "a", width: 1_000_001, height: 1), .outOfRange, "a"),
    (.resize(key: "a", width: 1, height: 1, span: -1), .outOfRange, "a"),
    (.resize(key: "a", width: 1, height: 1, span: 65_536), .outOfRange, "a"),
    (.prefer(key: "a", length: 0), .outOfRange, "a"),
    (.prefer(key: "a", length: -64), .outOfRange, "a"),
    (.prefer(key: "a", length: 64_000_001), .outOfRange, "a"),
  ]

  @Test(arguments: keys + values)
  func refusedBatchChangesNothing(
    operation: OracleOperation, code: OracleRefusal.Code, subject: String
  ) throws {
    var feed = try feed()
    let before = feed
    let batch: [OracleOperation] = [
      .resize(key: "a", width: 100, height: 50), operation, .delete(keys: ["never reached"]),
    ]
    let refusal = #expect(throws: OracleRefusal.self) { try feed.apply(batch) }
    #expect(refusal?.code == code)
    #expect(refusal?.subject == subject)
    #expect(refusal?.operation == 2)
    #expect(feed.sections == before.sections)
    #expect(feed.oracle.allElements() == before.oracle.allElements())
  }

  @Test func keyIsFreeOnceItIsDeleted() throws {
    var feed = try feed()
    #expect(throws: OracleRefusal.self) {
      try feed.apply([.insert(items: [item("a", 1)], at: .after("b")), .delete(keys: ["a"])])
    }
    try feed.apply([.delete(keys: ["a"]), .insert(items: [item("a", 1)], at: .after("b"))])
    #expect(feed.keys == ["b", "a", "c"])
  }

  @Test func contentTooLongIsRejectedWhole() throws {
    var feed = try OracleFeed(
      configuration: #"{"container":{"width":1000000},"section":{"kind":"waterfall"}}"#,
      sections: [section("s", [item("a", 1)])])
    let before = feed
    let tall = OracleItem(key: "x", width: 1.0 / 64, height: 1_000_000)
    let refusal = #expect(throws: OracleRefusal.self) {
      try feed.apply([.insert(items: [tall], at: .after("a"))])
    }
    #expect(refusal?.code == .contentTooLong)
    #expect(feed.sections == before.sections)
  }

  @Test func refusedConfigurationChangesNothing() throws {
    var feed = try feed()
    let before = feed
    #expect(throws: OracleRefusal.self) { try feed.replace(configuration: "{}") }
    try feed.apply([.delete(keys: ["c"])])
    #expect(feed.oracle.allElements() == Array(before.oracle.allElements().dropLast()))
  }
}
