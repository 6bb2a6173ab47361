import LayoutCache
import TestSupport
import Testing

@testable import TextFormats

@Suite struct ItemWriterTests {
  private func text(_ format: TextFormat, _ items: [ItemRecord]) -> String {
    var writer = ItemWriter(format: format, withHidden: items.contains { $0.visibility != nil })
    for item in items {
      writer.write(
        key: item.key, width: item.width, height: item.height, section: item.section,
        span: item.span, visibility: item.visibility ?? .shown)
    }
    return String(decoding: writer.takeBytes(), as: UTF8.self)
  }

  private static let items = [
    ItemRecord(key: "a", width: 400, height: 300.015625, line: 2),
    ItemRecord(key: "b,\"c\"\n", width: 0.1, height: 1e21, section: "19\t97", span: -2, line: 3),
  ]

  @Test(arguments: [
    (
      TextFormat.csv,
      "key,width,height,section,span\na,400,300.015625,,\n\"b,\"\"c\"\"\n\",0.1,1e+21,19\t97,-2\n"
    ),
    (
      .tsv,
      "key\twidth\theight\tsection\tspan\na\t400\t300.015625\t\t\n"
        + "\"b,\"\"c\"\"\n\"\t0.1\t1e+21\t\"19\t97\"\t-2\n"
    ),
    (
      .ndjson,
      #"{"key":"a","width":400,"height":300.015625}"# + "\n"
        + #"{"key":"b,\"c\"\n","width":0.1,"height":1e+21,"section":"19\t97","span":-2}"# + "\n"
    ),
  ])
  func eachFormatQuotesWhatItsReaderWouldSplit(format: TextFormat, expected: String) {
    #expect(text(format, Self.items) == expected)
  }

  @Test func bytesAreReturnedOnlyOnce() {
    var writer = ItemWriter(format: .csv)
    let header = writer.takeBytes()
    writer.write(key: "a", width: 1, height: 2, section: nil, span: nil)
    #expect(header == Array("key,width,height,section,span\n".utf8))
    #expect(writer.takeBytes() == Array("a,1,2,,\n".utf8))
    #expect(writer.bytes.isEmpty)
  }

  @Test(.property, arguments: TextFormat.allCases, PropertyRun.seeds)
  func writtenItemsAreReadBackUnchanged(format: TextFormat, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // A field of TSV ends with its line.
    let alphabet = Array("ab ,\"\"\t\n\r\\/{}:é€😀\u{1}\u{1F}\u{7F}\u{2028}\u{FEFF}0")
      .filter { format != .tsv || !$0.isNewline || $0 == "\u{2028}" }
    func randomText(_ random: inout SeededGenerator) -> String {
      String(
        (0..<Int.random(in: 1...12, using: &random)).map { _ in
          alphabet.randomElement(using: &random)!
        })
    }
    func randomSize(_ random: inout SeededGenerator) -> Double {
      switch Int.random(in: 0...3, using: &random) {
      case 0: return Double(Int.random(in: -10...1_000_000, using: &random))
      case 1: return Double(Int.random(in: 0...(1 << 40), using: &random)) / 64
      case 2: return Double.random(in: -1e6...1e6, using: &random)
      default:
        let value = Double(bitPattern: random.next())
        return value.isFinite ? value : -0.0
      }
    }
    let items = (0..<PropertyRun.steps(300)).map { _ in
      ItemRecord(
        key: randomText(&random), width: randomSize(&random), height: randomSize(&random),
        section: Bool.random(using: &random) ? randomText(&random) : nil,
        span: Bool.random(using: &random) ? Int(truncatingIfNeeded: random.next()) : nil,
        visibility: [nil, .hidden, .collapsed].randomElement(using: &random)!, line: 0)
    }
    var records = try Reading(text(format, items), format).records
    for index in records.indices { records[index].line = 0 }
    #expect(records == items)
    #expect(records.map(\.width.bitPattern) == items.map(\.width.bitPattern))
  }
}
