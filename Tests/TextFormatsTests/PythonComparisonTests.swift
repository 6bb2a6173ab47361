import TestSupport
import Testing

@testable import TextFormats

// Strategy: short random texts over an alphabet of everything that means something to the grammar,
// so that nearly every pair and triple of special bytes occurs. Python decides what they mean.

@Suite(.enabled(if: PythonOracle.isAvailable, "python3 is not installed"))
struct PythonComparisonTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func rowsEqualThoseOfPythonsStrictReader(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let alphabet = ["\"", "\"", "\"", ",", ",", "\n", "\r", "\r\n", "a", " ", "é", "\t"]
    let texts = (0..<PropertyRun.steps(4000)).map { _ in
      (0..<Int.random(in: 0...14, using: &random))
        .map { _ in alphabet.randomElement(using: &random)! }.joined()
    }
    for (text, expected) in zip(texts, try PythonOracle.rows(of: texts)) {
      let actual = try CapturedRows.read(text)
      let comment: Comment = "\(text.debugDescription)"
      switch actual.error?.code {
      case nil, .emptyInput:
        #expect(expected.isAccepted, comment)
        #expect(actual.rows == expected.rows, comment)
      case .strayQuote:
        // The one deviation: Python accepts such a quote as text, so the row after the equal
        // ones either has a quote in a field or is an error to Python too.
        #expect(expected.rows.starts(with: actual.rows), comment)
        let row = expected.rows.dropFirst(actual.rows.count).first
        #expect(row.map { $0.contains { $0.contains("\"") } } ?? !expected.isAccepted, comment)
      default:
        #expect(!expected.isAccepted, comment)
        #expect(actual.rows == expected.rows, comment)
      }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func linesAreAcceptedAsByPythonsDecoder(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let lines = (0..<PropertyRun.steps(4000)).map { _ in JSONLineGenerator.line(using: &random) }
    for (line, expected) in zip(lines, try PythonOracle.lines(lines)) {
      let comment: Comment = "\(line.debugDescription)"
      let fields = FieldNames(height: "width", section: .ignored, span: .ignored)
      let reading = try Reading(line, .ndjson, fields: fields)
      if reading.error?.code == .emptyInput || reading.problems.first?.code == .malformedJSON {
        #expect(!expected.isAccepted, comment)
      } else {
        #expect(expected.isAccepted, comment)
      }
      if let record = reading.records.first {
        #expect(record.key == expected.key, comment)
        #expect(record.width.bitPattern == expected.width.flatMap(Double.init)?.bitPattern, comment)
      }
    }
  }
}

/// CSV rows with all their fields, read in chunks of one byte.
private enum CapturedRows {
  static func read(_ text: String) throws -> (rows: [[String]], error: ImportError?) {
    var stream = RecordStream(.csv, recordBytesMax: 1000)
    var rows: [[String]] = []
    func capture(_ record: TextRecord) throws {
      if let fault = record.fault { throw fault.error }
      rows.append(record.fields.map { $0.text(in: record) })
    }
    do {
      for byte in text.utf8 { try withUnsafeBytes(of: byte) { try stream.consume($0, capture) } }
      try stream.finish(capture)
    } catch let error as ImportError {
      return (rows, error)
    }
    return (rows, nil)
  }
}
