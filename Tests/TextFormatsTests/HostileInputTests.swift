import Testing

@testable import TextFormats

@Suite struct HostileInputTests {
  @Test(arguments: TextFormat.allCases, ["", "\u{FEFF}", "\n", "\r\n\r\n", "\u{FEFF}\n\n"])
  func inputOfNothingButBlankLinesIsEmpty(format: TextFormat, text: String) throws {
    let reading = try Reading(text, format)
    #expect(reading.error == ImportError(line: 1, code: .emptyInput, message: "the input is empty"))
  }

  @Test(arguments: TextFormat.allCases)
  func binaryFilesAreNotText(format: TextFormat) throws {
    let sqlite = Array("SQLite format 3\0".utf8) + [0x10, 0x00, 0x01, 0x01]
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D]
    let utf16: [UInt8] = [0xFF, 0xFE, 0x6B, 0x00]
    let gzip: [UInt8] = [0x1F, 0x8B, 0x08, 0x01]
    for (bytes, code) in [
      (sqlite, .otherFormat), (png, .otherFormat), (utf16, .utf16), (gzip, .otherFormat),
      (Array("SQLite\0\n".utf8), .notText), ([0x6B, 0, 0x65, 0], .utf16),
      (Array("version https://git-lfs.github.com/spec/v1\n".utf8), .otherFormat),
    ] as [([UInt8], ImportError.Code)] {
      #expect(try Reading(bytes, format).error?.code == code)
      #expect(try Reading(bytes, format, cuts: Array(0..<bytes.count)).error?.code == code)
    }
  }

  @Test(arguments: [1, 200]) func aRowWithNULIsAProblem(count: Int) throws {
    let rows = String(repeating: "a,1,2\n", count: count)
    let reading = try Reading("key,width,height\n" + rows + "\"b\n\0\",1,2\nc,1,2\n", .csv)
    #expect(reading.records.count == count + 1)
    let problem = try #require(reading.problems.first)
    #expect(problem.code == .notText && problem.field == "key" && problem.line == count + 2)
    #expect(problem.message == "key has a NUL byte, byte 4 of the row")
  }

  @Test(
    arguments: [
      [0x80], [0xC3], [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82],
      [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
      [0xF0, 0x9F, 0x98],
    ] as [[UInt8]])
  func aRowWithMalformedUTF8IsAProblem(bytes: [UInt8]) throws {
    let csv =
      Array("key,width,height,note\na,1,2,\nb,1,2,\"x\n".utf8) + bytes
      + Array("\"\nc,1,2,\n".utf8)
    let reading = try Reading(csv, .csv)
    #expect(reading.records.map(\.key) == ["a", "c"])
    #expect(reading.problems.map(\.code) == [.invalidUTF8])
    #expect(reading.problems.map(\.line) == [3] && reading.problems.map(\.field) == ["note"])

    let json = Array("{}\n{\"note\":\"".utf8) + bytes + Array("\"}\n7\n".utf8)
    let codes = try Reading(json, .ndjson).problems.map(\.code)
    #expect(codes == [.missingField, .invalidUTF8, .notAnObject])
    let header = Array("key,width,height\n".utf8).dropLast() + bytes + Array("\n".utf8)
    #expect(try Reading(Array(header), .csv).error?.code == .invalidUTF8)
  }

  @Test func everyScalarIsText() throws {
    // All scalars in one key each would be slow; one in 61 covers every length and
    // the edges are added.
    let edges: [UInt32] = [
      0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF,
    ]
    let values = Array(stride(from: 1, through: 0x10FFFF, by: 61)) + edges
    let scalars = values.compactMap(Unicode.Scalar.init).filter { $0 != "\"" }
    var text = "key,width,height\n"
    for scalar in scalars { text += "\"\(Character(scalar))\",1,2\n" }
    let reading = try Reading(text, .csv)
    #expect(reading.error == nil)
    #expect(reading.records.map(\.key) == scalars.map { String(Character($0)) })
  }

  @Test(arguments: TextFormat.allCases)
  func recordAtTheLimitIsReadAndOneByteMoreIsNot(format: TextFormat) throws {
    let header = format == .ndjson ? "" : "key,width,height\n".replacing(format)
    let record =
      format == .ndjson
      ? "{\"key\":\"abcdefgh\",\"width\":1,\"height\":2}" : "abcdefghijklmnop,1,2".replacing(format)
    for ending in ["", "\n", "\r\n", "\nx"] {
      let text = header + record + ending
      let limit = record.utf8.count + (format == .ndjson && ending == "\r\n" ? 1 : 0)
      #expect(try Reading(text, format, recordBytesMax: limit).records.count == 1)
      let tooLong = try Reading(text, format, recordBytesMax: limit - 1)
      #expect(tooLong.problems.first?.code == .tooLong)
      #expect(tooLong.problems.first?.line == (format == .ndjson ? 1 : 2))
      #expect(tooLong.problems.count == (ending == "\nx" ? 2 : 1))
    }
  }

  @Test func endlessRecordIsRejectedBeforeItIsBuffered() throws {
    var reader = ItemReader(format: .csv)
    let megabyte = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    var consumedCount = 0
    let error = #expect(throws: ImportError.self) {
      for _ in 0..<100 {
        try reader.consume(megabyte) { _ in }
        consumedCount += 1
      }
    }
    #expect(error?.code == .recordTooLong)
    #expect(consumedCount == 1)
  }

  @Test func errorOfTheClosureIsPassedOn() throws {
    struct Stop: Error {}
    var reader = ItemReader(format: .csv)
    #expect(throws: Stop.self) {
      try reader.consume(Array("key,width,height\na,1,2\n".utf8)) { _ in throw Stop() }
      try reader.finish { _ in throw Stop() }
    }
  }
}

extension String {
  /// The text with the format's delimiter in place of commas.
  fileprivate func replacing(_ format: TextFormat) -> String {
    format == .tsv ? String(map { $0 == "," ? "\t" : $0 }) : self
  }
}
