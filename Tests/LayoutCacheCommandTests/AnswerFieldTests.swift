import LayoutGeometry
import Testing
import TextFormats

@testable import LayoutCacheCommand

/// One list of fields defines both a row's JSON and its line in a table.
struct AnswerFieldTests {
  private struct Row {
    var name: String
    var count: Int?
    var size: Size?
    var parts: [Row] = []
  }

  private static var fields: [AnswerField<Row>] {
    [
      AnswerField("name", \.name), AnswerField("itemCount", as: "items", \.count),
      .optional("size", as: .number("size"), \.size), .json("isEmpty") { $0.count == nil },
      .table(.text("note")) { $0.count == nil ? "empty" : "" },
      .rows("parts", as: .number("parts"), [AnswerField("name", \.name)], \.parts) {
        $0.parts.count.text
      },
    ]
  }

  private static let size = Size(width: Length(units: 96), height: .points(2))

  private func json(_ rows: [Row]) -> String {
    var json = JSONWriter()
    json.value(rows, Self.fields)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private func lines(_ rows: [Row]) -> [String] {
    Table(rows, Self.fields).lines(.of()).split(separator: "\n").map(String.init)
  }

  @Test func jsonHasTheMembersInListOrder() {
    let rows = [
      Row(name: "a", count: 3, size: Self.size, parts: [Row(name: "p"), Row(name: "q")]),
      Row(name: "b"),
    ]
    #expect(
      json(rows)
        == #"[{"name":"a","itemCount":3,"size":{"width":1.5,"height":2},"isEmpty":false,"#
        + #""parts":[{"name":"p"},{"name":"q"}]},"#
        + #"{"name":"b","itemCount":null,"isEmpty":true,"parts":[]}]"#)
    #expect(json([]) == "[]")
  }

  @Test func tableHasAColumnForEachVisibleField() {
    let rows = [Row(name: "a", count: 3, size: Self.size), Row(name: "b", parts: [Row(name: "p")])]
    #expect(
      lines(rows) == [
        "name  items     size  note   parts", "a         3  1.5 x 2             0",
        "b                     empty      1",
      ])
  }

  @Test func emptyColumnsAreOmitted() {
    #expect(lines([Row(name: "a", count: 3)]) == ["name  items  parts", "a         3      0"])
  }
}
