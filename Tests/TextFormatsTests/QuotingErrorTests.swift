import Testing
import TextFormats

/// A row with a misplaced quote is a problem, and reading continues at the next row.
@Suite struct MisplacedQuoteTests {
  private static let header = "key,width,height\n\"x\ny\",1,2\n"

  private static func reading(_ rows: String, recordBytesMax: Int = 1 << 20) throws -> Reading {
    try Reading(header + rows, .csv, recordBytesMax: recordBytesMax)
  }

  @Test func theProblemNamesTheColumn() throws {
    let problem = try #require(try Self.reading("a,1\"2,3\n").problems.first)
    #expect(problem.code == .misplacedQuote && problem.field == "width")
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
        #expect(try Reading(bytes, .tsv, fields: fields, cuts: Array(0..<bytes.count)) == reading)
      }
    }
  }
}
