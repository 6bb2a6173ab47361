import TestSupport
import Testing

@testable import TextFormats

// Strategy: tables of random rows, some with faults, are read by the stream in random chunks and
// by a reader that has the whole text and follows the rule for faulty rows word by word.

@Suite struct FaultPropertyTests {
  private static let columns = 3
  private static let bytesMax = 120

  @Test(.property, arguments: PropertyRun.seeds)
  func faultyRowsAreSkippedAsTheRuleSays(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<PropertyRun.steps(400) {
      let end = ["\n", "\r\n", "\r"].randomElement(using: &random)!
      var text = Array("key,b,c\(end)".utf8)
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        text += Self.row(using: &random) + Array(end.utf8)
      }
      if Bool.random(using: &random) { text.removeLast(end.utf8.count) }
      let cuts = (0..<Int.random(in: 0...6, using: &random))
        .map { _ in Int.random(in: 0...text.count, using: &random) }.sorted()
      let reading = try Reading(
        text, .csv, fields: FieldNames(width: "1", height: "1"), recordBytesMax: Self.bytesMax,
        cuts: cuts)
      var expected = WholeTextReader(text, columns: Self.columns, bytesMax: Self.bytesMax)
      let comment: Comment = "\(String(decoding: text, as: UTF8.self).debugDescription) \(cuts)"
      try #require(reading.error == nil, comment)
      let found = reading.events.map { event in
        switch event {
        case .record(let record): "\(record.line) \(record.key)"
        case .invalid(let invalid): "\(invalid.problems[0].line) fault"
        }
      }
      try #require(found == expected.rows(), comment)
    }
  }

  private static func row(using random: inout SeededGenerator) -> [UInt8] {
    let fields = ["a", "bc", "\"q\"", "\"x\ny\"", "\"d\"\"d\"", "\"e,f\"", "é", "g h"]
    let faults = ["5\"", "\"open", "\"c\"lose", "\0", " \"s\"", "\"\n\"z"]
    let isFaulty = Int.random(in: 0...3, using: &random) == 0
    let count =
      Int.random(in: 0...9, using: &random) == 0 ? Int.random(in: 1...5, using: &random) : 3
    var row: [[UInt8]] = (0..<count).map { _ in Array(fields.randomElement(using: &random)!.utf8) }
    if isFaulty {
      let index = Int.random(in: 0..<count, using: &random)
      switch Int.random(in: 0...8, using: &random) {
      case 0: row[index] = [0x61, 0xFF]
      case 1: row[index] = Array(repeating: UInt8(ascii: "l"), count: bytesMax * 2)
      case 2: row[index] = Array("\"\(String(repeating: "m", count: bytesMax))".utf8)
      default: row[index] = Array(faults.randomElement(using: &random)!.utf8)
      }
    }
    return Array(row.joined(separator: Array(",".utf8)))
  }
}

/// A reader of a whole text, as simple as possible.
private struct WholeTextReader {
  private enum Scan {
    case row(fields: [[UInt8]], end: Int)
    case fault
    case cut(isInQuotes: Bool)
  }

  private let text: [UInt8]
  private let columns: Int
  private let bytesMax: Int

  init(_ text: [UInt8], columns: Int, bytesMax: Int) {
    (self.text, self.columns, self.bytesMax) = (text, columns, bytesMax)
  }

  mutating func rows() -> [String] {
    var rows: [String] = []
    var position = afterLine(0)
    while position < text.count {
      let line = 1 + lineCount(position)
      let limit = min(text.count, position + bytesMax + 1)
      switch scan(position, upTo: limit) {
      case .row(let fields, let end):
        let bytes = text[position..<end]
        let isText = !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
        let isExtra = fields.count == columns + 1 && fields.last?.isEmpty ?? false
        if end == position {
          // A blank line.
        } else if !isText || fields.count > columns && !isExtra || fields[0].isEmpty {
          rows.append("\(line) fault")
        } else {
          rows.append("\(line) \(String(decoding: fields[0], as: UTF8.self))")
        }
        position = afterLine(end)
      case .cut(isInQuotes: false):
        rows.append("\(line) fault")
        position = afterLine(limit)
      case .fault, .cut:
        rows.append("\(line) fault")
        position = afterFault(position, limit)
      }
    }
    return rows
  }

  /// The first line end after which a row has as many fields as the header; else the first.
  private func afterFault(_ start: Int, _ limit: Int) -> Int {
    let ends = (start..<limit).filter { isLineEnd($0) && !isSecond($0) }
    for end in ends {
      let next = afterLine(end)
      if next < limit, case .row(let fields, _) = scan(next, upTo: limit), fields.count == columns {
        return next
      }
    }
    return afterLine(ends.first ?? limit)
  }

  private func isLineEnd(_ offset: Int) -> Bool { text[offset] == 0x0A || text[offset] == 0x0D }

  /// Whether a line feed belongs to the carriage return before it.
  private func isSecond(_ offset: Int) -> Bool {
    offset > 0 && text[offset] == 0x0A && text[offset - 1] == 0x0D
  }

  private func lineCount(_ end: Int) -> Int {
    (0..<end).count { isLineEnd($0) && !isSecond($0) }
  }

  /// The start of the line after the one that ends at or after an offset.
  private func afterLine(_ start: Int) -> Int {
    guard let end = (start..<text.count).first(where: { isLineEnd($0) }) else { return text.count }
    return end + 1 < text.count && isSecond(end + 1) ? end + 2 : end + 1
  }

  private func scan(_ start: Int, upTo limit: Int) -> Scan {
    // A row that reaches the limit is cut, unless the text ends before it.
    let isWhole = limit == text.count && limit - start <= bytesMax
    var fields: [[UInt8]] = []
    var position = start
    while true {
      var field: [UInt8] = []
      if position < limit, text[position] == 0x22 {
        position += 1
        while true {
          guard position < limit else { return isWhole ? .fault : .cut(isInQuotes: true) }
          if text[position] != 0x22 {
            field.append(text[position])
            position += 1
          } else if position + 1 < limit, text[position + 1] == 0x22 {
            field.append(0x22)
            position += 2
          } else {
            position += 1
            break
          }
        }
        let isEnd = position == limit || text[position] == 0x2C || isLineEnd(position)
        guard isEnd else { return .fault }
      } else {
        while position < limit, text[position] != 0x2C, !isLineEnd(position) {
          if text[position] == 0x22 { return .fault }
          field.append(text[position])
          position += 1
        }
      }
      fields.append(field)
      if position == limit {
        return isWhole ? .row(fields: fields, end: limit) : .cut(isInQuotes: false)
      }
      if isLineEnd(position) { return .row(fields: fields, end: position) }
      position += 1
    }
  }
}

@Suite struct ProportionsTests {
  @Test func theLeastScaleThatKeepsAllShapesIsFound() {
    var proportions = Proportions()
    proportions.add(width: 400, height: 300, scale: 1)
    #expect(proportions.offCount == 0 && proportions.mendingScale == nil)
    proportions.add(width: 0.2182, height: 1, scale: 1)
    proportions.add(width: 0.001, height: 0.003, scale: 1)
    #expect(proportions.offCount == 2)
    let scale = proportions.mendingScale ?? 0
    func isOff(_ scale: Int) -> Bool {
      [(0.2182, 1.0), (0.001, 0.003)].contains { width, height in
        let (w, h) = (
          (width * Double(scale) * 64).rounded(.down), (height * Double(scale) * 64).rounded(.down)
        )
        return h == 0 || w == 0 || abs(w / h / (width / height) - 1) > 0.005
      }
    }
    #expect(!isOff(scale) && (1..<scale).allSatisfy(isOff))
    // A side would be too long.
    proportions.add(width: 900_000, height: 1000, scale: 1)
    #expect(proportions.mendingScale == nil)
  }

  @Test(arguments: [
    ("5", 200.0, 100.0), ("8", 200, 100), ("Rotate 270 CW", 200, 100), ("6", 200, 100),
    ("1", 100, 200), ("", 100, 200), ("0", 100, 200), ("Rotate 180", 100, 200),
  ])
  func orientationsSwapWidthAndHeight(text: String, width: Double, height: Double) throws {
    var fields = FieldNames()
    fields.orientation = .required("o")
    let csv = try Reading("key,width,height,o\na,100,200,\(text)\n", .csv, fields: fields)
    let line = "{\"key\":\"a\",\"width\":100,\"height\":200,\"o\":\"\(text)\"}"
    for record in [csv.records.first, try Reading(line, .ndjson, fields: fields).records.first] {
      #expect(record?.width == width && record?.height == height)
    }
    let wrong = try Reading("key,width,height,o\na,100,200,9\n", .csv, fields: fields)
    #expect(wrong.problems.map(\.code) == [.notAnOrientation])
  }

  @Test func encodingsAreRecognizedByTheWholeSample() {
    #expect(TextEncoding(Array("é é é é".utf8) + [0xE9]).name == nil)
    #expect(TextEncoding([0x61, 0xE9, 0x62, 0xE8, 0x63]).name == "latin1")
    #expect(TextEncoding([0x61, 0xE9, 0x62, 0x80, 0x63]).name == "windows-1252")
  }
}
