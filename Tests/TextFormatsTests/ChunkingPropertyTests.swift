import TestSupport
import Testing
import TextFormats

// Strategy: a text is read whole, then cut in every way that matters; all readings must be
// equal, including errors and line numbers. The texts are longer than the part that is parsed
// in one piece at the start, so that cuts fall on both sides of it, and contain every construct
// that takes more than one byte to recognize.

@Suite struct ChunkingPropertyTests {
  private static let rows =
    "\u{FEFF}key,width,height,section\r\n\"a,\"\"é\"\"\r\n😀\",\" 1.5e1 \",2,\r\rb,x,\"\"\n\n\r\n\"\"\"\",3,4,\"s\"\r\nlast,5,6,7"
  private static let lines =
    "{\"key\":\"a\\u00e9\\ud83d\\ude00\",\"width\":1.5e1,\"height\":2}\r\n\n{\"key\":\"é\",}\n \n{\"height\":3,\"x\":[{}],\"key\":\"😀\",\"width\":4}"

  static let texts: [(TextFormat, [UInt8])] = {
    let csvPadding = String(repeating: "p,1,1,q\r\n", count: 60)
    let jsonPadding = String(repeating: "{\"key\":\"p\",\"width\":1,\"height\":1}\n", count: 16)
    let csvEnds = ["", "\n", "\r", "\r\n", "\r\n\"x", "\n\"x\"y", "\nx\"", "\n\"\n\u{0}\",1,2,3\n"]
    let jsonEnds = ["", "\n", "\n{", "\n\u{0}", "\n{\"\u{80}\"}"]
    var texts: [(TextFormat, [UInt8])] = []
    for end in csvEnds {
      texts.append((.csv, Array((rows + end).utf8)))
      texts.append((.csv, Array((rows + "\n" + csvPadding + rows.dropFirst() + end).utf8)))
    }
    for end in jsonEnds {
      texts.append((.ndjson, Array((lines + end).utf8)))
      texts.append((.ndjson, Array((lines + "\n" + jsonPadding + lines + end).utf8)))
    }
    texts.append(
      (.csv, Array((rows + "\n" + csvPadding + "\"\n").utf8) + [0xE2, 0x82, 0x22, 0x0A]))
    texts.append((.ndjson, Array((lines + jsonPadding + "{\"").utf8) + [0xF0, 0x9F, 0x98, 0x0A]))
    return texts
  }()

  @Test(arguments: texts.indices)
  func textsReadTheSameWhereverTheyAreCutInTwo(index: Int) throws {
    let (format, text) = Self.texts[index]
    let whole = try Reading(text, format)
    for cut in 0...text.count {
      let cutInTwo = try Reading(text, format, cuts: [cut])
      try #require(cutInTwo == whole, "cut at \(cut)")
    }
  }

  @Test(arguments: texts.indices, [1, 2, 3, 7, 512, 513])
  func textsReadTheSameInChunksOfAnySize(index: Int, size: Int) throws {
    let (format, text) = Self.texts[index]
    let cuts = Array(stride(from: 0, to: text.count, by: size))
    #expect(try Reading(text, format, cuts: cuts) == Reading(text, format))
  }

  @Test(arguments: texts.indices, [8, 20, 40, 60])
  func theLimitIsReachedAtTheSameRecordInAnyChunks(index: Int, limit: Int) throws {
    let (format, text) = Self.texts[index]
    let whole = try Reading(text, format, recordBytesMax: limit)
    for size in [1, 5, 30, 61] {
      let cuts = Array(stride(from: 0, to: text.count, by: size))
      #expect(try Reading(text, format, recordBytesMax: limit, cuts: cuts) == whole)
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func longRecordsReadTheSameInRandomChunks(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var text = "key,width,height,note\n"
    for _ in 0..<20 {
      let note = String(repeating: "n\n", count: Int.random(in: 0...20_000, using: &random))
      text += "k,1,2,\"\(note)\"\r\n"
    }
    let bytes = Array(text.utf8)
    let cuts = (0..<50).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
    let reading = try Reading(bytes, .csv, cuts: cuts)
    #expect(reading.records.count == 20)
    #expect(try reading == Reading(bytes, .csv))
  }
}
