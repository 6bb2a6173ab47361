import TestSupport
import Testing

@testable import TextFormats

/// `;` and tabs in place of commas, and one JSON array in place of lines.
struct SniffingTests {
  private static func withoutLines(_ reading: Reading) -> [String] {
    reading.events.map { event in
      switch event {
      case .record(let record): "\(record.key) \(record.width) \(record.height) \(record.span ?? 1)"
      case .invalid(let record): record.problems[0].message
      }
    }
  }

  @Test(arguments: [";", "\t"]) func theSeparatorIsDetectedFromTheHeader(delimiter: String) throws {
    let text = "key,width,height,span\n\"a,;\t\",12.5,0.25,2\n\"b\"\"\",3,1e2,\n"
    let commas = try Reading(text, .csv, sniffs: true)
    #expect(commas.records.count == 2)
    let other = text.replacing(",", with: delimiter).replacing("a\(delimiter);", with: "a,;")
    #expect(try Reading(other, .csv, sniffs: true).events == commas.events)
    // A `tsv` format always has tabs.
    if delimiter == ";" {
      #expect(try Reading(other, .tsv, sniffs: true).error?.code == .missingColumn)
    }
  }

  @Test func separatorsWithinQuotesDoNotCount() throws {
    let reading = try Reading("key,width,height,\"a;b;c;d;e\"\nx,1,2,3\n", .csv, sniffs: true)
    #expect(reading.records.map(\.key) == ["x"])
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func anArrayReadsLikeTheSameLines(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let spaces = ["", " ", "\n", "\r\n", "\t\n\n", "  "]
    for _ in 0..<40 {
      let values = (0..<Int.random(in: 0...8, using: &random)).map { number in
        [
          #"{"key":"k\#(number)","width":1.5,"height":2}"#,
          #"{"key":"]},{\"","width":1,"height":[2]}"#,
          #"{"key":"\\","width":1,"height":2,"x":[[],{"y":"["}]}"#, "7", "[1]", #"{"key":"a}"#,
          #"{"key":"é日","width":0,"height":-1}"#, "null", "nul", #""a,b""#,
        ].randomElement(using: &random) ?? ""
      }
      // An unclosed string would consume everything after it.
      let sound = values.filter { $0 != #"{"key":"a}"# }
      let lines = try Reading(sound.joined(separator: "\n"), .ndjson)
      func space() -> String { spaces.randomElement(using: &random) ?? "" }
      var text = space() + "["
      for (index, value) in sound.enumerated() {
        text += (index == 0 ? "" : ",") + space() + value + space()
      }
      text += "]" + space()
      let bytes = Array(text.utf8)
      let whole = try Reading(bytes, .ndjson, sniffs: true)
      #expect(whole.error == nil, "\(text)")
      if !sound.isEmpty { #expect(Self.withoutLines(whole) == Self.withoutLines(lines), "\(text)") }
      for _ in 0..<5 {
        let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
        #expect(try Reading(bytes, .ndjson, sniffs: true, cuts: cuts) == whole, "\(text) \(cuts)")
      }
      // Each is named by the line on which it begins.
      for (index, event) in whole.events.enumerated() {
        let line: Int
        switch event {
        case .record(let record): line = record.line
        case .invalid(let record): line = record.problems[0].line
        }
        #expect(line >= 1 && line <= 1 + text.count { $0.isNewline }, "\(index) of \(text)")
      }
    }
  }

  @Test(arguments: [
    ("[\n{}\n", 3, "not closed"), ("[{}] x", 1, "after the end"), ("[{},]", 1, "missing"),
    ("[,{}]", 1, "missing"), ("[\n{},\n,{}]", 3, "missing"), ("[{}]]", 1, "after the end"),
    ("[\"a", 1, "not closed"), ("[", 1, "not closed"), ("[{}]\n[{}]", 2, "after the end"),
  ])
  func aMalformedArrayIsRejectedWithItsLine(text: String, line: Int, phrase: String) throws {
    let error = try Reading(text, .ndjson, sniffs: true).error
    #expect(error?.code == .malformedArray, "\(text)")
    #expect(error?.line == line, "\(text): \(error as Any)")
    #expect(error?.message.contains(phrase) == true, "\(text): \(error as Any)")
  }

  @Test func anElementIsNamedByItsLine() throws {
    let reading = try Reading(
      "\n[\n  {\"key\":\"a\",\n\"width\":1,\"height\":2},\n\n 7,8]", .ndjson, sniffs: true)
    #expect(reading.records.map(\.line) == [3])
    #expect(reading.problems.map(\.line) == [6, 6])
  }

  @Test func anArrayMayBeLongerThanARecord() throws {
    let element = #"{"key":"a","width":1,"height":2}"#
    let text = "[" + Array(repeating: element, count: 5000).joined(separator: ",") + "]"
    #expect(try Reading(text, .ndjson, sniffs: true, recordBytesMax: 100).records.count == 5000)
    let long = try Reading(
      "[{\"key\":\"\(String(repeating: "a", count: 200))\"}]", .ndjson,
      sniffs: true, recordBytesMax: 100)
    #expect(long.problems.map(\.code) == [.tooLong] && long.error == nil)
    let next = try Reading(
      "[{\"key\":\"\(String(repeating: "],", count: 200))\"},\n\(element)]", .ndjson, sniffs: true,
      recordBytesMax: 100)
    #expect(next.problems.map(\.line) == [1] && next.records.map(\.line) == [2])
  }

  @Test(arguments: ["sep=;\n", "sep=;\r\n", "SEP=;\r", "\"sep=;\"\n"])
  func excelsFirstLineNamesTheSeparator(line: String) throws {
    let reading = try Reading(line + "key;width;height;a,b,c,d,e\nx;1;2;3\n", .csv, sniffs: true)
    #expect(reading.records.map(\.key) == ["x"] && reading.records.map(\.line) == [3])
  }

  @Test func rowsMayEndInOneMoreSeparator() throws {
    let reading = try Reading("key,width,height\na,1,2,\nb,1,2,,\nc,1,2,x\n", .csv)
    #expect(reading.records.map(\.key) == ["a"])
    #expect(reading.problems.map(\.code) == [.tooManyFields, .tooManyFields])
  }

  @Test(arguments: ["\n", "\r\n", "\r"]) func linesBeforeTheHeaderAreSkipped(end: String) throws {
    var shape = TextShape()
    shape.skippedLines = 2
    let lines = ["A report, \"2024", "", "key;width;height", "a;1;2", ""]
    let bytes = Array(lines.joined(separator: end).utf8)
    let whole = try Reading(bytes, .csv, shape: shape, sniffs: true)
    #expect(whole.records.map(\.key) == ["a"] && whole.records.map(\.line) == [4])
    for cut in 0...bytes.count {
      #expect(try Reading(bytes, .csv, shape: shape, sniffs: true, cuts: [cut]) == whole)
    }
    shape.skippedLines = 9
    #expect(try Reading(bytes, .csv, shape: shape).error?.code == .emptyInput)
  }

  @Test func columnsWithoutAHeaderHaveNumbers() throws {
    var shape = TextShape()
    shape.hasHeader = false
    let fields = FieldNames(key: "2", width: "3", height: "300", data: .members(["title=1"]))
    let reading = try Reading("T,a,4\nU,b,5\n", .csv, fields: fields, shape: shape)
    #expect(reading.records.map(\.key) == ["a", "b"])
    #expect(reading.records.map(\.width) == [4, 5] && reading.records[0].height == 300)
    #expect(reading.records[0].data == #"{"title":"T"}"#)
    #expect(try Reading("a,1\n", .csv, shape: shape).error?.code == .missingColumn)
  }

  @Test(arguments: ["images", "data.images"]) func aListMayBeWithinAnObject(path: String) throws {
    var shape = TextShape()
    shape.items = path
    let list = #"[{"key":"a","width":1,"height":2},\n{"key":"b","width":1,"height":2}]"#
      .replacing(#"\n"#, with: "\n")
    let inner = #"{"x":[{"images":[1]}],"note":"\"images\":[","images":\#(list),"more":{"a":[]}}"#
    let text = path == "images" ? inner : #"{"images":[7],"data":\#(inner),"z":1}"#
    let bytes = Array(text.utf8)
    let whole = try Reading(bytes, .ndjson, shape: shape, sniffs: true)
    #expect(whole.error == nil)
    #expect(whole.records.map(\.key) == ["a", "b"] && whole.records.map(\.line) == [1, 2])
    for cut in 0...bytes.count {
      #expect(try Reading(bytes, .ndjson, shape: shape, sniffs: true, cuts: [cut]) == whole)
    }
    let none = try Reading("{\"x\":{}}", .ndjson, shape: shape, sniffs: true)
    #expect(none.error?.code == .missingColumn)
    var lists = ListedMembers()
    bytes.withUnsafeBytes { lists.consume($0) }
    #expect(lists.lists.contains { $0.path == path && $0.count == 2 })
  }
}
