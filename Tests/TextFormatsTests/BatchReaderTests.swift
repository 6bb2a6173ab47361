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

  /// BatchPropertyTests has all forms; these are rounded or stored in another notation.
  @Test(
    arguments: [
      (
        #"{"op":"resize","key":"a","width":4,"height":5.01,"span":-2}"#,
        .resize(key: "a", size: size(4, 5), columnSpan: -2)
      ),
      (
        #"{"op":"prefer","layout":"phone","key":"a","length":211.5}"#,
        .prefer(layout: "phone", key: "a", length: Length(units: 13_536))
      ),
      (
        #"{"op":"data","key":"a","data": {"title" : "Ophelia", "n":1.50}}"#,
        .data(key: "a", try! ItemData(json: #"{"title":"Ophelia","n":1.50}"#))
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
