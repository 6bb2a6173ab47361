import Testing
import TextFormats

@Suite struct BatchRefusalTests {
  /// An invalid line, with the expected problem.
  struct Refusal: CustomTestStringConvertible, Sendable {
    var line: String
    var code: RecordProblem.Code
    var field: String?
    var message: String?

    var testDescription: String { line }

    init(
      _ line: String, _ code: RecordProblem.Code, _ field: String?, _ message: String? = nil
    ) {
      (self.line, self.code, self.field, self.message) = (line, code, field, message)
    }
  }

  /// BatchPropertyTests and test_ranges.py leave out, repeat, add and replace the members of every
  /// form.
  static let refusals = [
    Refusal("[]", .notAnObject, nil, "the line is not a JSON object"),
    Refusal("{}", .missingField, "op", "op is missing"),
    Refusal(#"{"op":7}"#, .notAString, "op", "op is not a string: 7"),
    Refusal(
      #"{"op":"erase","keys":["a"]}"#, .unknownOperation, "op",
      "op is \"erase\", not one of insert, delete, upsert, move, resize, hide, prefer, "
        + "data, insertSection, style, deleteSection, moveSection, invalidate, match, mark"),
    Refusal(
      #"{"op":"delete","keys":["a"],"missing":"Ignore"}"#, .unknownValue, "missing",
      #"missing must be fail or ignore, not "Ignore""#),
    Refusal(
      #"{"op":"delete","keys":["a"],"key":"a"}"#, .unknownMember, "key",
      "\"key\" is not a member of delete, which has op, keys, missing; did you mean 'keys'?"),
    Refusal(#"{"op":"delete","keys":["a"],"\u006bey":"a"}"#, .unknownMember, "key"),
    Refusal(#"{"op":"delete","keys":["a"],"":1}"#, .unknownMember, ""),
    Refusal(
      #"{"op":"delete","keys":["a"],"keys":["b"]}"#, .duplicateMember, "keys", "keys occurs twice"),
    Refusal(#"{"op":"delete","\u006bey\u0073":["a"],"keys":["b"]}"#, .duplicateMember, "keys"),

    Refusal(#"{"op":"insert","section":"s"}"#, .missingField, "items", "items is missing"),
    Refusal(
      #"{"op":"insert","items":{},"section":"s"}"#, .notAnArray, "items",
      "items is not an array: {}"),
    Refusal(#"{"op":"insert","items":null,"section":"s"}"#, .notAnArray, "items"),
    Refusal(
      #"{"op":"insert","items":["a"],"section":"s"}"#, .notAnObject, "items[0]",
      "items[0] is not an object: a"),
    Refusal(
      #"{"op":"insert","items":[{"key":"a","width":1,"height":1},{"key":"b","height":1}],"section":"s"}"#,
      .missingField, "items[1].width", "items[1].width is missing"),
    Refusal(
      #"{"op":"insert","items":[{"width":1,"height":1}],"section":"s"}"#, .missingField,
      "items[0].key"),
    Refusal(
      #"{"op":"insert","items":[{"key":"a","width":"1","height":1}],"section":"s"}"#, .notANumber,
      "items[0].width", "items[0].width is not a number: \"1\"; write it without quotes"),
    Refusal(
      #"{"op":"insert","items":[{"key":"a","width":1,"height":1e999}],"section":"s"}"#,
      .numberTooLarge, "items[0].height"),
    Refusal(
      #"{"op":"insert","items":[{"key":"a","width":1,"height":1,"span":1.5}],"section":"s"}"#,
      .notAnInteger, "items[0].span"),
    Refusal(
      #"{"op":"insert","items":[{"key":"a","width":1,"height":1,"section":"s"}],"section":"s"}"#,
      .unknownMember, "items[0].section",
      "\"items[0].section\" is not a member of an item, which has key, width, height, span, "
        + "hidden, data"),
    Refusal(
      #"{"op":"hide","keys":["a"],"hidden":"yes"}"#, .notAVisibility, "hidden",
      #"hidden is not true, false or "collapsed": yes"#),
    Refusal(
      #"{"op":"insert","items":[{"key":"a","width":1,"height":1,"key":"b"}],"section":"s"}"#,
      .duplicateMember, "items[0].key"),

    Refusal(
      #"{"op":"move","key":"a"}"#, .missingField, "section",
      "section is missing; give section, before or after"),
    Refusal(
      #"{"op":"insert","items":[],"before":"a","after":"b"}"#, .conflictingMembers, "after",
      "after cannot be combined with before"),
    Refusal(
      #"{"op":"insert","items":[],"section":"s","before":"b"}"#, .conflictingMembers, "before"),
    Refusal(
      #"{"op":"move","key":"a","after":"b","index":1}"#, .conflictingMembers, "index",
      "index cannot be combined with after; it counts within a section"),
    Refusal(#"{"op":"move","key":"a","before":null}"#, .notAString, "before"),
    Refusal(#"{"op":"move","key":"a","section":1997.0}"#, .notAString, "section"),

    Refusal(#"{"op":"delete","keys":"a"}"#, .notAnArray, "keys", "keys is not an array: a"),
    Refusal(
      #"{"op":"delete","keys":["a",7.5]}"#, .notAString, "keys[1]", "keys[1] is not a string: 7.5"),
    Refusal(#"{"op":"resize","key":"a","width":null,"height":1}"#, .notANumber, "width"),
    Refusal(
      #"{"op":"prefer","layout":"l","layoutHeader":9,"key":"a"}"#, .conflictingMembers, "key",
      "key cannot be combined with layoutHeader"),
    Refusal(
      #"{"op":"prefer","layout":"l","layoutFooter":9,"length":1}"#, .conflictingMembers, "length",
      "length cannot be combined with layoutFooter"),
    Refusal(
      #"{"op":"prefer","layout":"l","layoutFooter":0.001}"#, .beyondLimit, "layoutFooter",
      "operation 2: layoutFooter is 0.001; it must be at least 1/64"),
    Refusal(#"{"op":"deleteSection","key":null}"#, .notAString, "key"),
    Refusal(
      #"{"op":"invalidate","layout":"l"}"#, .missingField, "everything",
      #"items, sections and everything are missing; "everything":true lays out all of it"#),
    Refusal(
      #"{"op":"invalidate","layout":"l","kinds":["header"],"everything":true}"#,
      .conflictingMembers, "everything", "everything cannot be combined with kinds"),
    Refusal(
      #"{"op":"invalidate","layout":"l","kinds":["header"],"items":["a"]}"#,
      .conflictingMembers, "items", "items cannot be combined with kinds"),
    Refusal(#"{"op":"invalidate","layout":"l","items":[1e0]}"#, .notAString, "items[0]"),
    Refusal(
      #"{"op":"invalidate","layout":"l","everything":"yes"}"#, .notABoolean, "everything",
      "everything is neither true nor false: yes"),
    Refusal(#"{"op":"invalidate","layout":"l","everything":null}"#, .notABoolean, "everything"),

    Refusal(
      #"{"op":"insert","items":[{"key":"a","width":1,"height":1},{"key":"b","width":1,"height":0}],"section":"s"}"#,
      .beyondLimit, "items[1].height",
      "operation 2: item 'b': height is 0; it must be at least 1/64"),
    Refusal(
      #"{"op":"insert","items":[{"key":"","width":1,"height":1}],"section":"s"}"#,
      .beyondLimit, "items[0].key", "operation 2: item '': key is empty"),
    Refusal(
      #"{"op":"insert","items":[{"key":"a","width":1,"height":1,"span":65536}],"section":"s"}"#,
      .beyondLimit, "items[0].span", "operation 2: item 'a': span is 65536; the limit is 65535"),
    Refusal(
      #"{"op":"resize","key":"a","width":4,"height":-5}"#, .beyondLimit, "height",
      "operation 2: item 'a': height is -5; it must be at least 1/64"),
    Refusal(
      #"{"op":"resize","key":"a","width":1000000.5,"height":5}"#, .beyondLimit, "width",
      "operation 2: item 'a': width is 1000000.5; the limit is 1000000"),
    Refusal(
      #"{"op":"prefer","layout":"l","key":"a","length":0.001}"#, .beyondLimit, "length",
      "operation 2: item 'a': length is 0.001; it must be at least 1/64"),
    Refusal(
      #"{"op":"delete","keys":["a",""]}"#, .beyondLimit, "keys[1]",
      "operation 2: item '': key is empty"),
    Refusal(
      #"{"op":"move","key":"a","before":"b\u0000"}"#, .beyondLimit, "before",
      #"operation 2: item 'b\0': key has a control character"#),
    Refusal(
      #"{"op":"insert","items":[],"section":""}"#, .beyondLimit, "section",
      "operation 2: section key is empty"),
    Refusal(
      #"{"op":"moveSection","key":"\u0085","index":0}"#, .beyondLimit, "key",
      "operation 2: section key has a control character"),
    Refusal(
      #"{"op":"prefer","layout":"","key":"a","length":null}"#, .beyondLimit, "layout",
      "operation 2: layout name is empty"),
    Refusal(
      #"{"op":"invalidate","layout":"l","sections":["s","\#(String(repeating: "é", count: 128))"]}"#,
      .beyondLimit, "sections[1]", "operation 2: section key has 256 bytes; the limit is 255"),
    // Types come before limits.
    Refusal(#"{"op":"resize","key":"a","width":0,"height":"5"}"#, .notANumber, "height"),
  ]

  @Test(arguments: refusals)
  func refusedLineIsNamedWithItsMember(_ refusal: Refusal) throws {
    let before = "{\"op\":\"deleteSection\",\"key\":\"s\"}\n\n"
    let reading = try BatchReading(before + refusal.line + "\n" + before)
    let problem = try #require(reading.problem)
    #expect(reading.records == [])
    #expect(problem.line == 3)
    #expect(problem.code == refusal.code)
    #expect(problem.field == refusal.field)
    if let message = refusal.message { #expect(problem.message == message) }
  }

  @Test func rulesThatNeedADatasetAreNotCheckedByTheReader() throws {
    let reading = try BatchReading(
      """
      {"op":"resize","key":"a","width":1,"height":1,"span":65536}
      {"op":"insertSection","key":"s","index":-1}
      {"op":"delete","keys":["a","a"]}
      """)
    #expect(reading.problem == nil)
    #expect(reading.records.count == 3)
  }

  @Test func messagesQuoteInputShortenedAndEscaped() throws {
    let long = "\u{1B}[31m" + String(repeating: "é", count: 100)
    let problem = try BatchReading("{\"op\":\"\\u001b\(long.dropFirst())\"}").problem
    #expect(problem?.message.hasPrefix("op is \"\\u{1B}[31m" + "é") == true)
    #expect(problem?.message.contains("é…\"") == true)
  }
}
