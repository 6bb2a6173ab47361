import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

@testable import TextFormats

// The data of items in CSV and NDJSON texts.

@Suite struct ItemDataTextTests {
  private static func data(
    _ text: String, _ format: TextFormat, _ data: FieldNames.DataFields = .object("data")
  ) throws -> [String?] {
    let reading = try Reading(text, format, fields: FieldNames(data: data))
    #expect(reading.problems.isEmpty && reading.error == nil)
    return reading.records.map(\.data)
  }

  @Test func columnsBecomeStringMembersInTheRequestedOrder() throws {
    let text = #"""
      key,title,width,height,artist
      a,"The ""Sea""",1,1,Turner
      b,,1,1,Blake
      c, ,1,1,
      d,,1,1,
      e,é\#u{1},1,1,7

      """#
    #expect(
      try Self.data(text, .csv, .members(["artist", "title"])) == [
        #"{"artist":"Turner","title":"The \"Sea\""}"#, #"{"artist":"Blake"}"#,
        #"{"title":" "}"#, nil, #"{"artist":"7","title":"é\u0001"}"#,
      ])
    #expect(
      try Self.data(text, .csv, .members(["artist"])) == [
        #"{"artist":"Turner"}"#, #"{"artist":"Blake"}"#, nil, nil, #"{"artist":"7"}"#,
      ])
    // The key is a column like any other.
    #expect(try Self.data(text, .csv, .members(["key"])).last == #"{"key":"e"}"#)
  }

  @Test func aColumnDataHasTheJSONText() throws {
    let text = "key\twidth\theight\tdata\na\t1\t1\t\"{\"\"n\"\": [1, 2]}\"\nb\t1\t1\nc\t1\t1\t \n"
    let reading = try Reading(text, .tsv)
    #expect(reading.records.map(\.data) == [#"{"n": [1, 2]}"#, nil])
    // As with a section's column, a row may only be shorter after the wanted columns.
    #expect(reading.problems.map(\.code) == [.tooFewFields])
    #expect(try Self.data("key,width,height\na,1,1\n", .csv) == [nil])
  }

  @Test func membersOfLinesAreStoredVerbatim() throws {
    let text = """
      {"key":"a","width":1,"height":1,"data":{ "x":[1.50, {}] }}
      {"key":"b","width":1,"height":1,"data":null}
      {"key":"c","width":1,"height":1,"n":1e2,"\\u0074":"\\u0041","u":null}
      {"key":"d","width":1,"height":1,"u":null,"data":{"x":1},"data":{}}

      """
    #expect(
      try Self.data(text, .ndjson) == [#"{ "x":[1.50, {}] }"#, nil, nil, "{}"])
    #expect(
      try Self.data(text, .ndjson, .members(["t", "u", "n"])) == [
        nil, nil, #"{"t":"\u0041","n":1e2}"#, nil,
      ])
    #expect(try Self.data(text, .ndjson, .members(["n"])) == [nil, nil, #"{"n":1e2}"#, nil])
  }

  @Test(arguments: ["5", "[]", "\"{}\"", "true"])
  func dataThatIsNotAnObjectIsAProblem(json: String) throws {
    let reading = try Reading(
      "{\"key\":\"a\",\"width\":1,\"height\":1,\"data\":\(json)}\n", .ndjson)
    let problem = try #require(reading.problems.first)
    #expect(problem.code == .notAnObject && problem.field == "data" && problem.line == 1)
    #expect(problem.message.contains("data is not an object"))
  }

  @Test(
    arguments: [
      (
        "data has 4099 bytes; the limit is 4096",
        "{\"a\":\"\(String(repeating: "x", count: 4091))\"}"
      ),
      ("data is not a JSON object", "[1]"), ("data is not a JSON object", "{\"a\"}"),
      ("data is not a JSON object", "x"),
    ])
  func aRowBeyondTheLimitIsNamed(reason: String, json: String) throws {
    let directory = try TemporaryDirectory()
    let cache = try LayoutCache(path: directory.path(of: "d.sqlite"))
    let quoted = json.replacing("\"", with: "\"\"")
    let text = "key,width,height,data\na,1,1,{}\nb,1,1,\"\(quoted)\"\n"
    let work = ItemImport(dataset: "d", mode: .create, format: .csv)
    #expect {
      try work.run(Array(text.utf8), into: cache)
    } throws: { error in
      (error as? ImportError)
        == ImportError(
          line: 3, code: .invalidRow(.beyondLimit), message: reason)
    }
    let skipping = ItemImport(dataset: "d", mode: .create, format: .csv, invalidRows: .skip)
    let outcome = try skipping.run(Array(text.utf8), into: cache)
    #expect(outcome.summary.itemCount == 1 && outcome.skipped.count == 1)
  }

  /// An exported and re-imported dataset is equal, including styles and the items' data.
  @Test(.property, arguments: PropertyRun.seeds, [TextFormat.csv, .ndjson])
  func anExportIsReadBack(seed: UInt64, format: TextFormat) throws {
    var generator = SeededGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    let cache = try LayoutCache(path: directory.path(of: "d.sqlite"))
    _ = try cache.importItems(into: "from", mode: .create) { importer in
      for number in PropertyRun.each(seed, steps: 200) {
        let section = ["a", "\"b,\"", " é "].randomElement(using: &generator)!
        let prefix = ["k", "\"", "\"k\"", " ", "=", "sep=;"].randomElement(using: &generator)!
        try importer.addSection(section, style: section == "a" ? nil : "\"s\" \(section)")
        try importer.add(
          Item(
            key: "\(prefix)\(number) ", width: Double(number + 1) / 64, height: 3,
            columnSpan: number % 3, data: Self.data(using: &generator)), section: section)
      }
    }
    func items(_ dataset: String) throws -> [(String, String?, Item)] {
      var items: [(String, String?, Item)] = []
      try cache.exportItems(of: dataset, withData: true) { _ in
      } _: { section, item in
        items.append((section.key, section.style, item))
      }
      return items
    }
    var writer = ItemWriter(format: format, withStyles: true, withData: true)
    let written = try items("from")
    for (section, style, item) in written {
      writer.write(
        key: item.key, width: item.size.width.points, height: item.size.height.points,
        section: section, span: item.columnSpan, style: style, data: item.data)
    }
    let work = ItemImport(dataset: "to", mode: .create, format: format)
    _ = try work.run(writer.takeBytes(), into: cache)
    let read = try items("to")
    #expect(read.map(\.0) == written.map(\.0))
    #expect(read.map(\.1) == written.map(\.1))
    #expect(read.map(\.2) == written.map(\.2))
  }

  private static func data(using generator: inout SeededGenerator) throws -> ItemData? {
    if generator.oneIn(3) { return nil }
    let values = [
      "1.50", "-0", "\"\"", "\"a,\\\"b\\\\\\n\"", "null", "[{},[]]", "\"é\u{2028}😀\"",
      "\"\\u00e9\"",
      "{\"x\":{\"y\":true}}",
    ]
    let members = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
      "\"m\(Int.random(in: 0...2, using: &generator))\":\(values.randomElement(using: &generator)!)"
    }
    return try ItemData(json: "{\(members.joined(separator: ", "))}")
  }
}

extension ItemImport {
  /// Imports a complete text.
  fileprivate func run(_ text: [UInt8], into cache: LayoutCache) throws -> Outcome {
    var isRead = false
    return try run(into: cache) { body in
      if isRead { return false }
      isRead = true
      try text.withUnsafeBytes { try body($0) }
      return true
    }
  }
}
