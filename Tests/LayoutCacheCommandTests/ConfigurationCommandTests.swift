import Testing

struct ConfigurationCommandTests {
  @Test(arguments: [
    ("{\n  \"container\": {\"width\": 390},\n}", "line 3, column 1: not valid JSON"),
    (
      "{\"container\":{\"width\":9},\n \"section\":{\"columns\":2,\"columns\":3}}",
      "line 2, column 25: member 'columns' occurs twice"
    ),
    (
      "{\"container\":{\"width\":9},\n \"section\":{\"colums\":2}}",
      "line 2, column 13: unknown member 'colums' (in section)"
    ),
    (
      "{\"container\":{\"width\":9},\n \"section\":{\"columns\":300}}",
      "line 2, column 13: columns is 300; the limit is 256 (in section)"
    ),
  ])
  func rejectedFileIsNamedWithThePosition(text: String, message: String) throws {
    let place = try Workplace.withFeed()
    try place.write(text, to: "phone.json")
    try place.expect(
      65, "layout", "set", "other", "--dataset", "feed", "--config", "phone.json",
      saying: ["phone.json: invalid layout configuration: \(message)"])
  }

  @Test func rejectedFlagsHaveNoPosition() throws {
    let place = try Workplace.withFeed()
    let run = try place.expect(
      65, "layout", "set", "other", "--dataset", "feed", "--width", "9", "--ties", "left",
      saying: ["'left' is not one of"])
    #expect(!run.errorOutput.contains("line 1"))
  }
}
