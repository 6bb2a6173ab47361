import CollectionLayout
import LayoutCache
import LayoutGeometry
import Testing

/// Errors in a configuration's text, and their positions.
@Suite struct ConfigurationTextTests {
  private func refusal(_ text: String) -> ConfigurationError? {
    #expect(throws: ConfigurationError.self, "\(text.prefix(300))") {
      try ConfigurationText.decode(text)
    }
  }

  @Test(arguments: [
    (#"{"container":{"width":390,}}"#, 1, 27), (#"{"container":{"width":390}},"#, 1, 28),
    ("{\n  \"container\": {\"width\": 390},\n}", 3, 1), (#"{"container":{"width":0390}}"#, 1, 23),
    (#"{"container":{"width":+1}}"#, 1, 23), (#"{'container':{}}"#, 1, 2), ("", 1, 1),
    ("nope", 1, 1), (#"{"container":{"width":NaN}}"#, 1, 23), ("{}{}", 1, 3), ("{", 1, 2),
    ("{\"container\":\r\n{\"width\":1 // wide\n}}", 2, 12), (#"{"a":"é😀"x"#, 1, 10),
    (#"{"sections":{"a":[1,2,]}}"#, 1, 23), ("{\"a\":\"\t\"}", 1, 7), (#"{"a":"\ud800"}"#, 1, 13),
    (#"{"a":1"b":2}"#, 1, 7), (#"{"a" 1}"#, 1, 6), (#"{"a":"\x"}"#, 1, 8),
  ])
  func invalidJSONIsRejectedWithItsPosition(text: String, line: Int, column: Int) {
    let error = refusal(text)
    #expect(error?.place == .init(line: line, column: column), "\(text): \(error as Any)")
    let message = error.map { "\($0)" } ?? ""
    #expect(message.hasPrefix("line \(line), column \(column): not valid JSON"))
  }

  @Test(arguments: [
    (#"{"container":{"width":1},"container":{"width":2}}"#, "container", 26),
    (#"{"container":{"width":1,"width":1}}"#, "width", 25),
    (#"{"container":{"width":1},"sections":{"a":{},"\u0061":{}}}"#, "a", 45),
    (#"{"container":{"width":1},"section":{"options":{"x":[{"y":1,"y":2}]}}}"#, "y", 60),
    (
      #"{"container":{"width":1},"section":{"options":{"e\u0301":{},"é":{}}}}"#, "é", 61
    ),
  ])
  func aDuplicateMemberIsRejectedAtAnyDepth(text: String, name: String, column: Int) {
    let error = refusal(text)
    #expect(error?.code == .repeatedMember(name))
    #expect(error?.place == .init(line: 1, column: column))
  }

  @Test(arguments: [
    ("{\n\"container\":{\"width\":1},\n\"colour\":2}", "line 3, column 1: unknown member 'colour'"),
    (
      #"{"container":{"width":1},"sections":{"a":{"rows":1}}}"#,
      "line 1, column 43: unknown member 'rows' (in sections.a)"
    ),
    (#"{"section":{}}"#, "line 1, column 1: 'container' is missing"),
    (
      #"{"container":{"width":1},"section":{"ties":"left"}}"#,
      "line 1, column 44: 'left' is not one of 'leading', "
    ),
    (
      #"{"container":{"width":1},"section":{"header":"a"}}"#,
      """
      line 1, column 46: 'header' must be a number, or an object with fraction and minus \
      (in section.header)
      """
    ),
    (
      #"{"container":{"width":1},"section":{"columns":1.5}}"#,
      "line 1, column 47: 1.5 is not a whole number (in section.columns)"
    ),
    (#"{"container":null}"#, "line 1, column 14: 'container' is null (in container)"),
    (#"{"container":{"width":1e400}}"#, "line 1, column 23: the number is too large"),
    (
      #"{"container":{"width":1},"section":{"options":7}}"#,
      "line 1, column 47: 'options' must be a JSON object (in section.options)"
    ),
    ("[]", "line 1, column 1: the configuration must be a JSON object"),
    (
      #"{"container":{"widht":1}}"#,
      "line 1, column 15: unknown member 'widht' (in container); did you mean 'width'?"
    ),
    (
      #"{"container":{"width":1},"sectoin":{}}"#,
      "line 1, column 26: unknown member 'sectoin'; did you mean 'section'?"
    ),
    (
      #"{"container":{"width":1},"section":{"inset":{"topp":2}}}"#,
      "line 1, column 46: unknown member 'topp' (in section.inset); did you mean 'top'?"
    ),
    (
      #"{"container":{"width":1},"section":{"background":{"kind":"a","zindx":2}}}"#,
      "line 1, column 62: unknown member 'zindx' (in section.background); did you mean 'zIndex'?"
    ),
    (
      #"{"container":{"width":1},"section":{"kind":7}}"#,
      "line 1, column 44: 'kind' must be a string (in section.kind)"
    ),
    (
      #"{"container":{"width":1},"section":{"itemLength":true}}"#,
      "line 1, column 50: itemLength must be \"aspect\", \"natural\" or a number "
        + "(in section.itemLength)"
    ),
    (
      #"{"container":{"width":1},"section":{"rowLength":"sqare"}}"#,
      "line 1, column 49: rowLength must be \"square\" or a number, not \"sqare\"; "
        + "did you mean 'square'?"
    ),
    (
      #"{"container":{"width":1},"sections":{"a":{"ties":"leding"}}}"#,
      "line 1, column 50: 'leding' is not one of 'leading', 'trailing', 'cursor' (in sections.a.ties)"
        + "; did you mean 'leading'?"
    ),
    (
      #"{"container":{"width":1},"effect":{"kind":"scale","maximumScle":2}}"#,
      "line 1, column 51: unknown member 'maximumScle' (in effect); did you mean 'maximumScale'?"
    ),
    (
      #"{"container":{"width":1},"section":[]}"#,
      "line 1, column 36: 'section' must be a JSON object"
    ),
    ("null", "line 1, column 1: the configuration is null"),
  ])
  func errorsNameTheMemberAndItsPosition(text: String, message: String) {
    #expect(refusal(text).map { "\($0)".hasPrefix(message) } == true, "\(refusal(text) as Any)")
  }

  @Test func errorsOfThePlanNameTheMember() throws {
    for (text, place) in [
      ("{\"container\":{\"width\":9},\n\"section\":{\"columns\":300}}", (2, 12)),
      (#"{"container":{"width":9},"sections":{"a":{"header":-1}}}"#, (1, 43)),
      (#"{"container":{"width":9},"section":{"columns":2,"minimumColumnWidth":2}}"#, (1, 49)),
      (#"{"container":{"height":9}}"#, (1, 14)),
      (#"{"container":{"width":9},"effect":{"kind":"scale","maximumScale":0}}"#, (1, 51)),
    ] {
      let configuration = try ConfigurationText.decode(text)
      let error = try #require(throws: ConfigurationError.self) {
        try LayoutPlan(configuration)
      }
      #expect(error.place == nil)
      let located = ConfigurationText.locate(error, in: text)
      #expect(located.place == .init(line: place.0, column: place.1), "\(located)")
    }
  }

  @Test(arguments: [("[", "]"), (#"{"a":"#, "}"), ("[0,", "]"), (#"{"a":{},"b":[],"c":"#, "}")])
  func nestingIsBounded(open: String, close: String) throws {
    for depth in [500, 512, 10_000] {
      let value =
        String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
      let text = #"{"container":{"width":1},"section":{"options":{"x":\#(value)}}}"#
      if depth == 500 {
        #expect(try ConfigurationText.decode(text).section.options?.count == 1)
      } else {
        #expect(refusal(text).map { "\($0)".contains("less nesting") } == true)
      }
      _ = refusal(String(repeating: open, count: depth))
    }
  }

  @Test func aByteOrderMarkIsSkipped() throws {
    let text = #"{"container":{"width":1}}"#
    #expect(try ConfigurationText.decode("\u{FEFF}" + text) == ConfigurationText.decode(text))
    #expect(throws: ConfigurationError.self) { try ConfigurationText.decode(text + "\u{FEFF}") }
  }

  @Test func aConfigurationMayHaveThousandsOfSectionsUpToItsBytes() throws {
    func text(_ count: Int) -> String {
      let sections = (0..<count).map { #""section \#($0)":{"columns":3,"header":9}"# }
      return #"{"container":{"width":9},"sections":{\#(sections.joined(separator: ","))}}"#
    }
    #expect(try ConfigurationText.decode(text(6_000)).sections.count == 6_000)
    #expect(refusal(text(8_000)).map { "\($0)".contains("262144") } == true)
  }
}
