import Testing

@testable import TextFormats

@Suite struct JSONLineTests {
  @Test func readsMembersInAnyOrderAndIgnoresOthers() throws {
    let reading = try Reading(
      #"""
      {"key":"a","width":400,"height":300}
        {"span" : 2 , "extra":{"key":"no","a":[1,{"b":null}]}, "height":3.5,"width":4e2,"section":"s","key":"b"}

      {"key":"c","width":1,"height":2,"section":null,"span":null}
      {"key":"d","width":1,"height":2,"section":"","span":3.0}
      """#, .ndjson)
    #expect(reading.problems == [])
    #expect(
      reading.records == [
        ItemRecord(key: "a", width: 400, height: 300, line: 1),
        ItemRecord(key: "b", width: 400, height: 3.5, section: "s", span: 2, line: 2),
        ItemRecord(key: "c", width: 1, height: 2, line: 4),
        ItemRecord(key: "d", width: 1, height: 2, span: 3, line: 5),
      ])
  }

  @Test func linesMayEndInCRLFAndTheLastOneInNothing() throws {
    let line = #"{"key":"a","width":1,"height":2}"#
    let reading = try Reading("\u{FEFF}\(line)\r\n \t\r\n\(line)", .ndjson)
    #expect(reading.records.map(\.line) == [1, 3])
    #expect(reading.problems == [])
  }

  @Test func memberNamesMayBeEscapedLongOrShared() throws {
    let fields = FieldNames(key: "identifier of it", width: "s", height: "s")
    let reading = try Reading(
      #"{"identifier of us":1,"\u0069dentifier of it":"a","s":5}"#, .ndjson, fields: fields)
    #expect(reading.records == [ItemRecord(key: "a", width: 5, height: 5, line: 1)])
  }

  @Test func messageSaysWhereTheLineStopsBeingJSON() throws {
    let reading = try Reading(#"{"key":"a";"width":1}"#, .ndjson)
    #expect(
      reading.problems.map(\.description) == [
        "line 1: the line is not JSON: expected a comma or a closing brace at byte 11"
      ])
  }

  @Test(arguments: ["[]", "1", "\"a\"", "null", "true", "[{\"key\":\"a\"}]"])
  func otherJSONIsNotAnObject(line: String) throws {
    #expect(try Reading(line, .ndjson).problems.map(\.code) == [.notAnObject])
  }

  @Test(arguments: [
    (#"{"width":1,"height":2}"#, RecordProblem.Code.missingField, "key"),
    (#"{"key":"a","width":1}"#, .missingField, "height"),
    (#"{"key":"","width":1,"height":2}"#, .emptyField, "key"),
    (#"{"key":7.0,"width":1,"height":2}"#, .notAString, "key"),
    (#"{"key":7e1,"width":1,"height":2}"#, .notAString, "key"),
    (#"{"key":true,"width":1,"height":2}"#, .notAString, "key"),
    (#"{"key":null,"width":1,"height":2}"#, .notAString, "key"),
    (#"{"key":"a","width":"x","height":2}"#, .notANumber, "width"),
    (#"{"key":"a","width":" ","height":2}"#, .emptyField, "width"),
    (#"{"key":"a","width":[1],"height":2}"#, .notANumber, "width"),
    (#"{"key":"a","width":1,"height":null}"#, .notANumber, "height"),
    (#"{"key":"a","width":1e999,"height":2}"#, .numberTooLarge, "width"),
    (#"{"key":"a","width":1,"height":2,"section":1997.5}"#, .notAString, "section"),
    (#"{"key":"a","width":1,"height":2,"span":"2.5"}"#, .notAnInteger, "span"),
    (#"{"key":"a","width":1,"height":2,"span":2.5}"#, .notAnInteger, "span"),
    (#"{"key":"a","width":1,"height":2,"span":true}"#, .notAnInteger, "span"),
    (#"{"key":"a","width":1,"height":2,"span":1e19}"#, .numberTooLarge, "span"),
  ])
  func memberOfAnotherTypeIsAProblem(
    line: String, code: RecordProblem.Code, field: String
  ) throws {
    let problem = try #require(try Reading(line, .ndjson).problems.first)
    #expect(problem.code == code)
    #expect(problem.field == field)
  }

  @Test(arguments: ["0", "7", "-1", "-0", "12345678901234567890123"])
  func wholeNumberKeysAreStoredAsWritten(number: String) throws {
    let line = "{\"key\": \(number) ,\"width\":1,\"height\":2,\"section\":\(number)}"
    let record = try #require(try Reading(line, .ndjson).records.first)
    #expect(record.key == number && record.section == number)
  }

  @Test func nestingHasALimitAndNeverOverflowsTheStack() throws {
    func line(_ depth: Int, _ open: String, _ close: String) -> String {
      let value =
        String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
      return "{\"key\":\"a\",\"width\":1,\"height\":2,\"x\":\(value)}\n"
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[0,", "]")] {
      #expect(try Reading(line(511, open, close), .ndjson).records.count == 1)
      #expect(try Reading(line(512, open, close), .ndjson).problems.count == 1)
      #expect(try Reading(line(100_000, open, close), .ndjson).problems.count == 1)
    }
    let brackets = String(repeating: "[", count: 100_000)
    #expect(try Reading(brackets, .ndjson).problems.map(\.code) == [.malformedJSON])
  }
}
