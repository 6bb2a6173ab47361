import JSONText
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionLayout

@Suite struct ItemFilterTests {
  private static let data = #"""
    {"price":10,"exact":9007199254740993,"huge":-1e999,"color":"red","title":"Água de Março",
     "tags":["new",["old",3]],"taken":"2024-02-29T08:00:00+01:00","isNew":true,"sold":null,
     "none":[],"blank":"","box":{},"full":{"a":1},"a.b":5,"width":"wide","AND":"and","year":"2024",
     "runs":"AAABAAC"}
    """#

  /// An item with the data, the key `k1`, no section's name, and a natural size of 100 x 0.5.
  private func matches(_ filter: ItemFilter, _ data: String = data) throws -> Bool {
    let document = try JSONDocument(data)
    let members = document.members(of: 0)
    return filter.matches { field in
      #expect(filter.reads.contains(field))
      return switch field {
      case .key: .text("k1")
      case .section: .text("")
      case .width: .number(FilterNumber(100))
      case .height: .number(FilterNumber(0.5))
      case .member(let name): members[name].map { FilterValue(document, $0) }
      }
    }
  }

  @Test(arguments: [
    "price < 100 AND (color = red OR tags IN [new, sale]) AND NOT gone EXISTS",
    "price=10", "price = 1e1", "price 10 TO 20", "price 5.5 TO 10.0", "price != '10'",
    "NOT price > '1'",
    "exact = 9007199254740993", "exact > 9007199254740992", "huge < -9e18", "color STARTS WITH r",
    "title CONTAINS 'ÁGUA DE m'", "title CONTAINS ''", "runs CONTAINS aab", "runs CONTAINS abaac",
    "tags = old", "tags = 3", "tags < 4",
    "NOT tags != new", "tags NOT IN [sale,]", "price NOT IN []", "taken < 2024-03-01",
    "taken = '2024-02-29T08:00:00+01:00'", "taken != 2024-02-29T07:00:00Z",
    "taken 2024-02-29T07:00:00Z TO 2024-02-29T07:00:00.000Z", "NOT taken < zebra", "isNew = true",
    "isNew != 'true'", "sold EXISTS", "sold IS NULL", "sold NOT IN [null]", "gone IS NOT NULL",
    "none IS EMPTY", "blank IS EMPTY", "box IS EMPTY", "full IS NOT EMPTY", "gone NOT EXISTS",
    "a.b = 5", "width = 100", "'width' = wide", "'AND' = and", "height >= 0.5", "key = k1",
    "section = ''", "year STARTS WITH 20", "year NOT CONTAINS 3", "price NOT STARTS WITH 1",
    "NOT NOT NOT gone EXISTS", "gone != a", "price = 1 AND price = 2 OR price = 10",
  ])
  func aConditionMatchesAndItsNegationDoesNot(text: String) throws {
    #expect(try matches(ItemFilter(text)))
    let negation = try ItemFilter("NOT (\(text))")
    #expect(try !matches(negation))
    #expect(try ItemFilter("NOT (\(negation))") == ItemFilter(text))
  }

  @Test(arguments: [
    ("a = 1 AND b = 2", "b=2 AND a=1"), ("a < 1 OR b = 2 OR a < 1", "b = 2 OR a < 1"),
    ("color = red OR n = 1 OR color = blue", "n = 1 OR color IN [blue, red]"),
    ("a EXISTS AND (b EXISTS AND a EXISTS)", "b EXISTS AND a EXISTS"), ("a = 1 OR a = 1", "a = 1"),
    ("(a = 1 OR b = 2) AND c = 3", "c = 3 AND (b = 2 OR (a = 1))"),
  ])
  func conditionsInAnotherOrderAreOneFilter(one: String, other: String) throws {
    let (one, other) = (try ItemFilter(one), try ItemFilter(other))
    #expect(one == other && one.description == other.description)
    #expect(try ItemFilter(one.description) == one)
  }

  /// An array may match two of them by different elements.
  @Test func equalitiesOfOneFieldAreJoinedByOrOnly() throws {
    #expect(try matches(ItemFilter("tags = new AND tags = old")))
  }

  @Test(arguments: [
    ("", 1, "a condition, found the end"),
    ("price", 6, "an operator, such as =, found the end"),
    ("a = b and", 7, "AND, OR or the end, found 'and'; keywords are in upper case"),
    ("a = b AND", 10, "a condition, found the end"),
    ("é = IN", 5, "a value, found the keyword 'IN'"),
    ("price between 1", 7, "an operator, such as =, found 'between'"),
    ("a 1 TO b", 8, "a value comparable with 1, found 'b'"),
    ("a < true", 5, "a number or a text, found 'true'"),
    ("a = 1e999", 5, "a smaller number, found '1e999'"),
    ("(a = b", 7, "AND, OR or ')', found the end"),
    ("a IN [b c]", 9, "',' or ']', found 'c'"),
    ("a IN b", 6, "'[', found 'b'"),
    ("a STARTS b", 10, "WITH, found 'b'"),
    ("a NOT = b", 7, "IN, EXISTS, CONTAINS or STARTS WITH, found '='"),
    ("a IS b", 6, "NULL or EMPTY, found 'b'"),
    ("a = 'b", 5, "a closing quote, found none"),
    (#"a = 'b\x'"#, 7, #"\\, \', \", \n, \r or \t, found another escape"#),
    ("a = ''''", 7, "AND, OR or the end, found ''"),
    ("a & b", 3, "an operator, such as =, found '&'"),
    ("a == b", 4, "a value, found '='"),
  ])
  func anErrorNamesThePositionAndWhatIsValidThere(text: String, character: Int, message: String)
    throws
  {
    let error = try #require(throws: ItemFilterError.self) { try ItemFilter(text) }
    #expect("\(error)" == "character \(character) of the filter: expected \(message)")
  }

  @Test func theLimitsAreExact() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "NOT (", count: depth) + "a=b" + String(repeating: ")", count: depth)
    }
    func joined(_ count: Int) -> String {
      (0..<count / 2).map { "a=\($0) OR NOT a=\($0)" }.joined(separator: " AND ")
    }
    #expect(try ItemFilter(nested(64)) == ItemFilter("a = b"))
    #expect(try ItemFilter(joined(64)).root != ItemFilter(joined(62)).root)
    let atLimit = "a = " + String(repeating: "b", count: 4092)
    #expect(try ItemFilter(atLimit).description == atLimit)
    let unspaced = atLimit.replacing(" = ", with: "=") + "bb"
    for text in [
      nested(65), nested(800), joined(66), atLimit + "b", unspaced,
      String(repeating: "(", count: 4096),
    ] {
      #expect(throws: ItemFilterError.self) { try ItemFilter(text) }
    }
  }

  @Test func aFilterReadsWhatItsConditionsName() throws {
    let filter = try ItemFilter("key = a OR (width > 3 AND NOT 'b c' EXISTS) OR 'key' = 1")
    #expect(filter.reads == [.key, .width, .member("b c"), .member("key")])
    #expect(filter.members == ["b c", "key"])
  }

  /// Strategy: random filters and items from few values of all types, so that conditions often
  /// match. The oracle, from the same tree, decides; the parser must also survive broken texts.
  @Test(.property, arguments: PropertyRun.seeds)
  func filtersAgreeWithTheOracle(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fields = ["key", "section", "width", "height", "price", "a.b c", "AND", "é"]
    var counts = [true: 0, false: 0]
    for _ in PropertyRun.each(seed, steps: 2000) {
      var item: [String: OracleFilter.Value] = [:]
      for field in fields where !random.oneIn(4) {
        item[field] = .random(isAny: true, using: &random)
      }
      let members = item.map { "\"\($0.key)\":\($0.value.json)" }.joined(separator: ",")
      let document = try JSONDocument("{\(members)}")
      let numbers = document.members(of: 0)
      let oracle = OracleFilter.random(over: fields, using: &random)
      let text = oracle.text(using: &random)
      let filter = try ItemFilter(text)
      let isMatch = filter.matches { field in
        let name = if case .member(let name) = field { name } else { ExactKey("\(field)") }
        return numbers[name].map { FilterValue(document, $0) }
      }
      counts[isMatch]! += 1
      #expect(isMatch == oracle.matches(item), "\(text) of {\(members)}")
      #expect(try ItemFilter(filter.description) == filter, "\(text)")
      #expect(try ItemFilter(filter.description).description == filter.description)
      let pair = (0..<2).map { _ in OracleFilter.Value.random(isAny: false, using: &random) }
      let keys = try pair.map { SortKey(FilterValue(try JSONDocument($0.json), 0)) }
      #expect((keys[0] < keys[1]) == OracleFilter.isOrdered(pair[0], before: pair[1]), "\(pair)")
      let broken = random.mutated(text, inserting: ["(", ")", "'", "NOT ", "TO", "<", "IN ["])
      if let other = try? ItemFilter(broken) { #expect(try ItemFilter(other.description) == other) }
    }
    #expect(counts.values.allSatisfy { $0 > 200 })
  }
}

extension FilterValue {
  fileprivate init(_ document: JSONDocument, _ node: Int) {
    self = document.bytes.withUnsafeBytes { FilterValue(document.nodes[node].value, in: $0) }
  }
}
