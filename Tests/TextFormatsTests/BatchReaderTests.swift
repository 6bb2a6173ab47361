import LayoutCache
import LayoutGeometry
import Testing

@testable import TextFormats

@Suite struct BatchReaderTests {
  /// `update --help` shows the examples.
  @Test func everyFormHasExamplesThatDecode() throws {
    for form in OperationForm.all {
      #expect(!form.examples.isEmpty, "\(form.name)")
      for example in form.examples {
        #expect(example.hasPrefix("{\"op\":\"\(form.name)\","), "\(example)")
        #expect(try BatchReading(example).operations.count == 1, "\(example)")
      }
    }
  }

  @Test(
    arguments: [
      (
        #"{"op":"insert","items":[{"key":"a","width":4,"height":3,"span":1}],"section":"1997","index":0}"#,
        .insert(
          [item("a", 4, 3)],
          at: .index(0, section: "1997"))
      ),
      (
        #"{"op":"insert","items":[{"key":"a","width":4,"height":3.5},{"height":1,"width":1e2,"key":"b","span":null}],"section":"1997"}"#,
        .insert(
          [
            item("a", 4, 3.5), item("b", 100, 1),
          ], at: .end(section: "1997"))
      ),
      (
        #"{"op":"insert","items":[],"before":"x"}"#,
        .insert([], at: .before("x"))
      ),
      (
        #"{"after":"x","items":[{"key":"a","width":1,"height":2}],"op":"insert"}"#,
        .insert([item("a", 1, 2)], at: .after("x"))
      ),
      (#"{"op":"delete","keys":["a","b"]}"#, .delete(keys: ["a", "b"])),
      (#"{"op":"delete","keys":[]}"#, .delete(keys: [])),
      (#"{"op":"move","key":"a","section":"s"}"#, .move(key: "a", to: .end(section: "s"))),
      (
        #"{"op":"move","key":"a","section":"s","index":5}"#,
        .move(key: "a", to: .index(5, section: "s"))
      ),
      (#"{"op":"move","key":"a","before":"b"}"#, .move(key: "a", to: .before("b"))),
      (#"{"op":"move","key":"a","after":"b"}"#, .move(key: "a", to: .after("b"))),
      (
        #"{"op":"resize","key":"a","width":4,"height":5}"#,
        .resize(key: "a", size: size(4, 5), columnSpan: nil)
      ),
      (
        #"{"op":"resize","key":"a","width":4,"height":5.01,"span":-2}"#,
        .resize(key: "a", size: size(4, 5), columnSpan: -2)
      ),
      (
        #"{"op":"prefer","layout":"phone","key":"a","length":211.5}"#,
        .prefer(layout: "phone", key: "a", length: Length(units: 13_536))
      ),
      (
        #"{"op":"prefer","layout":"phone","key":"a","length":null}"#,
        .prefer(layout: "phone", key: "a", length: nil)
      ),
      (
        #"{"op":"prefer","layout":"phone","layoutHeader":50}"#,
        .preferSupplementary(layout: "phone", kind: .layoutHeader, section: "", length: 50)
      ),
      (
        #"{"op":"prefer","layout":"phone","layoutFooter":null}"#,
        .preferSupplementary(layout: "phone", kind: .layoutFooter, section: "", length: nil)
      ),
      (
        #"{"op":"data","key":"a","data": {"title" : "Ophelia", "n":1.50}}"#,
        .data(key: "a", try! ItemData(json: #"{"title":"Ophelia","n":1.50}"#))
      ),
      (#"{"op":"data","key":"a","data":null}"#, .data(key: "a", nil)),
      (
        #"{"op":"insert","items":[{"key":"a","width":1,"height":1,"data":{}}],"after":"b"}"#,
        .insert(
          [try! Item(key: "a", width: 1, height: 1, data: ItemData(json: "{}"))], at: .after("b"))
      ),
      (
        #"{"op":"insertSection","key":"1998","index":3}"#, .insertSection(key: "1998", index: 3)
      ),
      (#"{"op":"insertSection","key":"1998"}"#, .insertSection(key: "1998", index: nil)),
      (#"{"op":"deleteSection","key":"1998"}"#, .deleteSection(key: "1998")),
      (#"{"op":"moveSection","key":"1998","index":0}"#, .moveSection(key: "1998", index: 0)),
      (
        #"{"op":"invalidate","layout":"phone","items":["a"],"sections":["1997"],"everything":false}"#,
        .invalidate(layout: "phone", items: ["a"], sections: ["1997"], everything: false)
      ),
      (
        #"{"op":"invalidate","layout":"phone","everything":true}"#,
        .invalidate(layout: "phone", items: [], sections: [], everything: true)
      ),
      (
        #"{"op":"invalidate","layout":"phone","sections":["1997"],"kinds":["header","card"]}"#,
        .invalidateElements(layout: "phone", kinds: ["header", "card"], sections: ["1997"])
      ),
      (
        #"{"op":"invalidate","layout":"phone","kinds":["layoutFooter"]}"#,
        .invalidateElements(layout: "phone", kinds: ["layoutFooter"])
      ),
      (
        #"{"op":"invalidate","layout":"phone","items":[]}"#,
        .invalidate(layout: "phone", items: [], sections: [], everything: false)
      ),
    ] as [(String, BatchOperation)])
  func lineStatesItsOperation(line: String, operation: BatchOperation) throws {
    let reading = try BatchReading(line)
    #expect(reading.problem == nil)
    #expect(reading.records == [BatchRecord(operation: operation, line: 1)])
  }

  @Test func operationsKeepTheirOrderAndLines() throws {
    let reading = try BatchReading(
      "\u{FEFF}\r\n{\"op\":\"deleteSection\",\"key\":\"a\"}\r\n \t\n\n"
        + " { \"\\u006fp\" : \"delete\" , \"keys\" : [ \"\\ud83d\\ude00\" , \"\\u0061\" ] } ")
    #expect(
      reading.records == [
        BatchRecord(operation: .deleteSection(key: "a"), line: 2),
        BatchRecord(operation: .delete(keys: ["😀", "a"]), line: 5),
      ])
  }

  @Test(arguments: ["2", "2.0", "2e0", "20E-1", "0.2e+1", "2.00000000000000000000000"])
  func wholeNumbersAreReadInAnyNotation(number: String) throws {
    let reading = try BatchReading(
      """
      {"op":"moveSection","key":"s","index":\(number)}
      {"op":"resize","key":"a","width":1,"height":1,"span":\(number)}
      """)
    #expect(
      reading.operations == [
        .moveSection(key: "s", index: 2), .resize(key: "a", size: size(1, 1), columnSpan: 2),
      ])
  }

  @Test(arguments: [
    ("2.5", RecordProblem.Code.notAnInteger), ("\"2\"", .notAnInteger), ("null", .notAnInteger),
    ("true", .notAnInteger), ("[2]", .notAnInteger), ("1e99", .numberTooLarge),
    ("02", .malformedJSON), ("NaN", .malformedJSON),
  ])
  func otherIndicesAreRejected(index: String, code: RecordProblem.Code) throws {
    let problem = try BatchReading(#"{"op":"insertSection","key":"s","index":\#(index)}"#).problem
    #expect(problem?.code == code)
    #expect(problem?.field == (code == .malformedJSON ? nil : "index"))
  }

  @Test(arguments: ["", "\u{FEFF}", "\n", " \r\n\t\n"])
  func textWithoutOperationsIsEmpty(text: String) throws {
    #expect(
      try BatchReading(text).error
        == ImportError(line: 1, code: .emptyInput, message: "the input is empty"))
  }

  @Test func readingEndsAtTheFirstRefusedLine() throws {
    let good = "{\"op\":\"deleteSection\",\"key\":\"a\"}\n"
    let bad = "{\"op\":\"deleteSection\"}\n"
    let padding = String(repeating: good, count: 100)
    let reading = try BatchReading(Array((padding + bad + good).utf8) + [0xFF, 0])
    #expect(reading.records == [])
    #expect(reading.problem?.line == 101)
    let other = try BatchReading(Array((padding + good).utf8) + [0xFF] + Array(bad.utf8))
    #expect(other.error?.code == .invalidUTF8)
    #expect(other.error?.line == 102)
  }

  @Test func arrayIsReadAlikeInAnyChunks() throws {
    let text = Array(
      "\n [{\"op\":\"delete\",\n\"keys\":[\"a\"]},\n{\"op\":\"delete\",\"keys\":[\"b\"]}]\n".utf8)
    let whole = try BatchReading(text)
    #expect(whole.operations == [.delete(keys: ["a"]), .delete(keys: ["b"])])
    #expect(whole.records.map(\.line) == [2, 4])
    for cut in 0...text.count { #expect(try BatchReading(text, cuts: [cut]) == whole) }
    #expect(try BatchReading(text, cuts: Array(0..<text.count)) == whole)
  }

  @Test func canonicallyEquivalentKeysAreKeptApart() throws {
    // U+0340 is canonically equivalent to U+0300, and both keys are stored unchanged.
    let reading = try BatchReading("{\"op\":\"delete\",\"keys\":[\"e\u{340}\",\"e\u{300}\"]}")
    guard case .delete(let keys, _) = try #require(reading.operations.first) else { return }
    #expect(keys.map { Array($0.utf8) } == [[0x65, 0xCD, 0x80], [0x65, 0xCC, 0x80]])
  }
}

/// A size in points.
private func size(_ width: Double, _ height: Double) -> Size {
  Size(width: Length(points: width)!, height: Length(points: height)!)
}

/// An item of one column.
private func item(_ key: String, _ width: Double, _ height: Double) -> Item {
  try! Item(key: key, width: width, height: height)
}
