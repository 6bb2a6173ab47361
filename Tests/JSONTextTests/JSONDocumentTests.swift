import JSONText
import LayoutGeometry
import Testing

@Suite struct JSONDocumentTests {
  private static let text = """
    {"a": [1, {"b": null}],
     "c": "é\\n", "d": true, "": -2.5e0}
    """

  @Test func aValuePrecedesItsNestedValues() throws {
    let document = try JSONDocument(Self.text)
    #expect(
      document.nodes.map(\.value.kind)
        == [.object, .array, .number, .object, .null, .string, .boolean, .number])
    #expect(document.nodes.map(\.next) == [8, 5, 3, 5, 5, 6, 7, 8])
    #expect(document.members(of: 0) == ["a": 1, "c": 5, "d": 6, "": 7])
    #expect(document.string(5) == "é\n")
    #expect(document.isTrue(6))
    #expect(document.number(7) == -2.5 && document.integer(7) == nil)
    #expect(document.integer(2) == 1)
  }

  @Test func aPathEndsAtTheLastValueThatExists() throws {
    let document = try JSONDocument(Self.text)
    #expect(document.node(at: []) == 0)
    #expect(document.node(at: ["a", "1", "b"]) == 4)
    #expect(document.node(at: ["a", "2"]) == 1)
    #expect(document.node(at: ["a", "x"]) == 1)
    #expect(document.child("0", of: 1) == 2)
    #expect(document.child("-1", of: 1) == nil)
    #expect(document.child("b", of: 2) == nil)
  }

  @Test(arguments: [
    ("", 0, 1, 1), ("ab", 2, 1, 3), ("a\nb", 2, 2, 1), ("a\r\nb", 3, 2, 1), ("a\rb", 2, 2, 1),
    ("\r\n\r\n", 4, 3, 1), ("é😀x", 6, 1, 3),
  ])
  func linesAndColumnsCountScalars(text: String, offset: Int, line: Int, column: Int) {
    let place = text.utf8.lineAndColumn(ofOffset: offset)
    #expect(place.line == line && place.column == column)
  }

  @Test(arguments: [
    ("[1,]", 3, "a value"), ("{\"a\":1,}", 7, "a double quote"), ("[1 2]", 3, "a comma"),
    ("\"\\ud800\"", 7, "a pair of surrogates"), ("01", 0, "a number"), ("1 1", 2, "the end"),
    ("{\"a\" 1}", 5, "a colon"), ("\"\t\"", 1, "an escaped control character"), ("[", 1, "a value"),
  ])
  func anErrorNamesTheFirstWrongByte(text: String, offset: Int, expected: String) {
    let error = #expect(throws: JSONSyntaxError.self, "\(text)") { try JSONDocument(text) }
    #expect(error?.offset == offset, "\(text)")
    #expect(error.map { "\($0.expected)".hasPrefix(expected) } == true, "\(text): \(error as Any)")
  }

  @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
  func nestingIsLimited(open: String, close: String) {
    func nested(_ depth: Int) -> String {
      String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }
    #expect(throws: Never.self) { try JSONDocument(nested(jsonDepthMax)) }
    for depth in [jsonDepthMax + 1, 100_000] {
      let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument(nested(depth)) }
      #expect(error?.offset == jsonDepthMax * open.utf8.count)
    }
  }
}
