import Testing
import TextFormats

@Suite struct NumberTests {
  private func width(_ text: String) throws -> Double? {
    try Reading("key,width,height\na,\"\(text)\",1\n", .csv).records.first?.width
  }

  private func span(_ text: String) throws -> Int? {
    try Reading("key,width,height,span\na,1,1,\"\(text)\"\n", .csv).records.first?.span
  }

  @Test(arguments: [
    "(upper):", "ea.316", "NaN", "inf", "Infinity", "0x10", "1,5", "007", "-",
    "1e", "1e+", "--1", "1 2", "1e2.5", "٤", "1\n", "1_000", ".", "+", "+-5", "-+5", "1.2.3",
    "++5", "1,000.5", "e5",
  ])
  func anythingElseIsNotANumber(text: String) throws {
    let reading = try Reading("key,width,height\na,\"\(text)\",1\n", .csv)
    let problem = try #require(reading.problems.first)
    #expect(problem.code == .notANumber)
    #expect(problem.field == "width")
  }

  @Test(arguments: [
    (".5", 0.5), ("5.", 5), ("+5", 5), ("+.5", 0.5), ("-.5", -0.5), ("5.e2", 500), ("\t1 ", 1),
  ])
  func commonNotationsAreNumbers(text: String, expected: Double) throws {
    #expect(try width(text) == expected)
    let line = "{\"key\":\"a\",\"width\":\"\(text == "\t1 " ? " 1 " : text)\",\"height\":1}"
    #expect(try Reading(line, .ndjson).records.first?.width == expected)
    let data = FieldNames(data: .members(["n:number"]))
    let csv = try Reading(
      "key,width,height,n\na,1,1,\(text.filter { $0 != "\t" })\n", .csv, fields: data)
    let json = try #require(csv.records.first?.data)
    #expect(Double(json.dropFirst(5).dropLast()) == expected)
  }

  @Test func decimalsMayFollowAComma() throws {
    var shape = TextShape()
    shape.usesDecimalComma = true
    let text = "key;width;height;n\na;1,5;2;,25\nb;1.5;2;1\nc;1,5;2;1.5\n"
    let fields = FieldNames(data: .members(["n:number"]))
    let reading = try Reading(text, .csv, fields: fields, shape: shape, sniffs: true)
    #expect(reading.records.map(\.width) == [1.5])
    #expect(reading.records.map(\.data) == [#"{"n":0.25}"#])
    // A point would be a separator of thousands, or a mistake.
    #expect(reading.problems.map(\.line) == [3, 4])
  }

  @Test func messageQuotesTheTextShortenedAndEscaped() throws {
    let long = "\u{1B}[31m" + String(repeating: "é", count: 100)
    let reading = try Reading("key,width,height\na,\(long),1\nb,ea.316,1\n", .csv)
    let shown = #"\u{1B}[31m"# + String(repeating: "é", count: 75) + "…"
    #expect(
      reading.problems.map(\.message) == [
        "width is not a number: \"\(shown)\"", "width is not a number: \"ea.316\"",
      ])
  }

  @Test(arguments: [
    "1e309", "-1e400", "1e99999999999999999999999", "179769313486231580793728971405304e276",
  ])
  func numberBeyondADoubleIsTooLarge(text: String) throws {
    let reading = try Reading("key,width,height\na,\(text),1\n", .csv)
    #expect(reading.problems.map(\.code) == [.numberTooLarge])
  }

  @Test(arguments: [
    ("1", 1), (" 12 ", 12), ("-3", -3), ("2.0", 2), ("1e2", 100), ("250e-1", 25), ("0e999999", 0),
    ("9223372036854775807", .max), ("-9223372036854775808", .min),
    ("2.00000000000000000000000", 2), ("0.0000000000000000000000002e25", 2),
  ])
  func spanIsAWholeNumber(text: String, expected: Int) throws {
    #expect(try span(text) == expected)
  }

  @Test(arguments: [
    ("1.5", RecordProblem.Code.notAnInteger), ("two", .notAnInteger), ("1e-1", .notAnInteger),
    ("0x2", .notAnInteger), ("1.00000000000000000000000001", .notAnInteger),
    ("9223372036854775808", .numberTooLarge), ("-9223372036854775809", .numberTooLarge),
    ("1e99", .numberTooLarge), ("99999999999999999999999999", .numberTooLarge),
  ])
  func otherSpansAreProblems(text: String, code: RecordProblem.Code) throws {
    let reading = try Reading("key,width,height,span\na,1,1,\(text)\n", .csv)
    #expect(reading.problems.map(\.code) == [code])
  }
}
