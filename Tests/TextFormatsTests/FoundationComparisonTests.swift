import Foundation
import TestSupport
import Testing
import TextFormats

// Strategy: the same random lines go through `JSONDecoder`. A line that the reader accepts, the
// decoder must accept with the same values; a line that the reader rejects, one of Foundation's
// parsers must reject as well.
//
// Known deviations, where RFC 8259 is on the reader's side or silent: Foundation accepts commas
// before closing brackets, uses the first of duplicate members, and rejects numbers that round
// to zero.

@Suite struct FoundationComparisonTests {
  private struct Item: Decodable {
    var key: String
    var width: Double
    var height: Double
    var section: String?
    var span: Int?
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func linesReadAsByJSONDecoder(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var acceptedCount = 0
    for _ in PropertyRun.each(seed, steps: 4000) {
      var line = JSONLineGenerator.line(using: &random)
      if Bool.random(using: &random), line.hasPrefix("{") {
        // Includes the required members; otherwise nearly no line would be an item.
        let comma = line.dropFirst().contains(":") ? "," : ""
        line = "{\"key\":\"q\",\"width\":7,\"height\":8" + comma + line.dropFirst()
      }
      let comment: Comment = "\(line.debugDescription)"
      let data = Data(line.utf8)
      let reading = try Reading(line, .ndjson)
      guard let record = reading.records.first else {
        let isJSON = (try? JSONSerialization.jsonObject(with: data)) != nil
        let item = isJSON ? try? JSONDecoder().decode(Item.self, from: data) : nil
        let isDeviation =
          item?.key.isEmpty == true || hasDuplicates(line) || hasCommaBeforeBracket(line)
        #expect(item == nil || isDeviation, comment)
        continue
      }
      acceptedCount += 1
      guard !hasDuplicates(line) else { continue }
      guard let item = try? JSONDecoder().decode(Item.self, from: data) else {
        // The only other accepted difference: a key that is a whole number.
        #expect(
          [record.key, record.section ?? ""].contains { key in
            !key.isEmpty && key.allSatisfy { "-0123456789".contains($0) }
          }, comment)
        continue
      }
      #expect(record.key == item.key, comment)
      #expect(record.width.bitPattern == item.width.bitPattern, comment)
      #expect(record.height.bitPattern == item.height.bitPattern, comment)
      #expect(record.section ?? "" == item.section ?? "", comment)
      #expect(record.span == item.span, comment)
    }
    #expect(acceptedCount > 0, "the generator must make lines that are accepted")
  }

  /// Whether a wanted member's name may occur twice; names in nested objects count
  /// too, which only makes the test skip more lines than it must.
  private func hasDuplicates(_ line: String) -> Bool {
    ["key", "width", "height", "section", "span"].contains { name in
      let plain = line.components(separatedBy: "\"\(name)\"").count - 1
      let escaped = name == "key" ? line.components(separatedBy: "\"k\\u0065y\"").count - 1 : 0
      return plain + escaped > 1
    }
  }

  private func hasCommaBeforeBracket(_ line: String) -> Bool {
    line.contains(/,\s*[\]}]/)
  }
}
