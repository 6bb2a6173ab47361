import Testing
import TextFormats

/// A row with a misplaced quote is a problem, and reading continues at the next row.
@Suite struct MisplacedQuoteTests {
  private static let header = "key,width,height\n\"x\ny\",1,2\n"

  private static func reading(_ rows: String, recordBytesMax: Int = 1 << 20) throws -> Reading {
    try Reading(header + rows, .csv, recordBytesMax: recordBytesMax)
  }

  @Test(arguments: [
    // A quote within an unquoted field, and after a space.
    ("a\"b,1,2\nc,1,2\n", ["c"], [4]), ("a, \"1\",2\nc,1,2\n", ["c"], [4]),
    // Text after a closing quote; the next line with three fields is the next row.
    ("\"a\",\"b\nc\"d,2\ne,1,2\n", ["e"], [4]), ("\"a\nb\",\"c\nd\" ,2\n", [], [4, 5, 6]),
    // A quote that is never closed costs its own row.
    ("a,1,2\n\"b,1,2\nc,3,4\nd,5,6", ["a", "c", "d"], [5]), ("\"b\nc,3,4\n", ["c"], [4]),
    ("\"b\nc\n", [], [4, 5]), ("\"", [], [4]),
    // The next row may itself have a quoted field with a line break.
    ("5\" disk,1,2\n\"d\n\",3,2\ne,1,2\n", ["d\n", "e"], [4]),
    ("5\" disk,1,2\r\nd,3,2\r\n", ["d"], [4]), ("5\" disk,1,2\rd,3,2\r", ["d"], [4]),
  ])
  func onlyTheFaultyRowIsSkipped(rows: String, keys: [String], lines: [Int]) throws {
    let reading = try Self.reading(rows)
    #expect(reading.error == nil)
    #expect(reading.records.map(\.key) == ["x\ny"] + keys)
    #expect(reading.problems.map(\.line) == lines)
    #expect(reading.problems.first?.code == .misplacedQuote)
  }

  @Test func theProblemNamesTheColumn() throws {
    let problem = try #require(try Self.reading("a,1\"2,3\n").problems.first)
    #expect(problem.field == "width")
    #expect(
      problem.description == """
        line 4: width has a misplaced quote at byte 4 of the row: an unquoted field contains a \
        quote; quote the field and double the quote
        """)
  }

  @Test func anUnclosedQuoteInALongTextCostsOneRow() throws {
    let rows = (0..<1000).map { "b\($0),1,2\n" }.joined()
    let reading = try Self.reading("\"a,1,2\n" + rows, recordBytesMax: 1000)
    #expect(reading.problems.map(\.line) == [4])
    #expect(reading.problems.map(\.code) == [.tooLong])
    #expect(reading.records.count == 1001)
  }

  @Test func withoutARowInReachTheFirstLineIsSkipped() throws {
    let lines = String(repeating: "b\n", count: 600)
    let reading = try Self.reading("\"a,1,2\n" + lines + "c,1,2\n", recordBytesMax: 1000)
    #expect(reading.problems.count == 601)
    #expect(reading.problems.dropFirst().allSatisfy { $0.code == .tooFewFields })
    #expect(reading.records.map(\.key) == ["x\ny", "c"])
    #expect(reading.records.last?.line == 605)
  }

  /// Each line is examined once, although each begins a faulty row.
  @Test func aTextOfFaultyRowsIsReadInLinearTime() throws {
    let count = 100_000
    let rows = String(repeating: "\"b\"c\n", count: count)
    #expect(try Self.reading(rows).problems.count == count)
  }

  @Test func aQuoteInTheHeaderIsAnError() throws {
    var reader = ItemReader(format: .csv)
    #expect(throws: ImportError.self) {
      try reader.consume(Array("key,width,height\"\na,1,2".utf8)) { _ in }
      try reader.finish { _ in }
    }
    let error = try #require(throws: ImportError.self) { try reader.consume([]) { _ in } }
    #expect(error.code == .strayQuote)
    #expect(throws: error) { try reader.finish { _ in } }
  }
}

/// In TSV a quote is text, unless it encloses a whole field of one line.
@Suite struct TabbedQuoteTests {
  @Test(arguments: [
    ("36\" flat screen", "36\" flat screen"), ("\"Hello\" world", "\"Hello\" world"),
    ("\"a \"\"b\"\"\"", "a \"b\""), ("\"a\tb\"", "a\tb"), ("\"", "\""), ("\"\"", ""),
    ("\"a", "\"a"),
    ("a\"", "a\""), ("\"\"\"", "\"\"\""), ("\"a\"\"", "\"a\"\""), ("\"\"\"\"", "\""),
  ])
  func onlyAWholeFieldIsUnquoted(text: String, expected: String) throws {
    let fields = FieldNames(data: .members(["title"]))
    for rows in [
      "key\twidth\theight\ttitle\na\t1\t2\t\(text)", "title\tkey\twidth\theight\n\(text)\ta\t1\t2",
    ] {
      for end in ["", "\n", "\r\n", "\nb\t1\t2\t3\n"]
      where !rows.hasPrefix("title") || end != "\nb\t1\t2\t3\n" {
        let bytes = Array((rows + end).utf8)
        let reading = try Reading(bytes, .tsv, fields: fields)
        var json = JSONWriter()
        json.beginObject()
        json.member("title", expected)
        json.endObject()
        #expect(reading.problems.isEmpty)
        #expect(
          reading.records.first?.data
            == (expected.isEmpty ? nil : String(decoding: json.bytes, as: UTF8.self)))
        #expect(
          try Reading(bytes, .tsv, fields: fields, cuts: Array(0..<bytes.count)) == reading)
      }
    }
  }
}
