import LayoutCache
import Testing

@Suite struct ItemDataTests {
  @Test func onlyWhiteSpaceBetweenValuesIsRemoved() throws {
    let data = try ItemData(
      json: " {\n \"a b\" : [ 1.50 , \"x \\\" y \\\\\" , { } ] ,\t\"a b\": null }\r\n")
    #expect(data.json == #"{"a b":[1.50,"x \" y \\",{}],"a b":null}"#)
    #expect(try ItemData(json: data.json) == data)
  }

  @Test(arguments: ["", " ", "[]", "1", "null", "{", "{}{}", "{\"a\":1,}", "{\"a\":\"\\ud800\"}"])
  func dataThatIsNotAnObjectIsRejected(_ json: String) {
    #expect(throws: LimitError(.notAnObject, "data", limit: 0, value: 0)) {
      try ItemData(json: json)
    }
  }

  @Test func bytesAreCountedWithoutWhiteSpace() throws {
    let text = String(repeating: "é", count: (4096 - 8) / 2)
    let json = #"{"a": "\#(text)"}"#
    #expect(try ItemData(json: json).json.utf8.count == 4096)
    #expect(throws: LimitError(.tooLong, "data", limit: 4096, value: 4097)) {
      try ItemData(json: #"{"ab":"\#(text)"}"#)
    }
  }
}
