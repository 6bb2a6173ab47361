import TestSupport
import Testing
import TextFormats

// Strategy: random batches are written as JSON in random ways: order of members, spaces,
// escapes and notation of numbers. They must be read back unchanged, wherever the text is cut.
// Then one line is invalidated with a known error.

@Suite struct BatchPropertyTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func batchesReadTheSameInRandomChunks(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 60) {
      let batch = GeneratedBatch(using: &random)
      let bytes = Array(batch.text.utf8)
      let cuts = (0..<Int.random(in: 0...9, using: &random))
        .map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
      let reading = try BatchReading(bytes, cuts: cuts)
      let comment: Comment = "\(batch.text)"
      try #require(reading.problem == nil && reading.error == nil, comment)
      try #require(reading.records == batch.records, comment)
    }
  }

  @Test(.property, arguments: PropertyRun.seeds.prefix(3))
  func batchesReadTheSameCutAtEveryByte(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var batch = GeneratedBatch(using: &random)
    // Longer than the part that is judged together at the start.
    while batch.text.utf8.count < 800 { batch = GeneratedBatch(using: &random) }
    let texts = [
      batch.text, batch.text + "{\"op\":\"delete\"}\n", batch.text + "{\"op\":\"\u{0}\"}",
    ]
    for bytes in texts.map({ Array($0.utf8) }) {
      let whole = try BatchReading(bytes)
      for cut in 0...bytes.count {
        try #require(try BatchReading(bytes, cuts: [cut]) == whole, "cut at \(cut)")
      }
      let every = try BatchReading(bytes, cuts: Array(0..<bytes.count))
      #expect(every == whole)
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func invalidatedLineIsRejectedAndNamed(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 60) {
      var batch = GeneratedBatch(using: &random)
      let index = batch.lines.indices.randomElement(using: &random)!
      let spoilt = batch.lines[index].spoil(using: &random)
      let comment: Comment = "\(batch.text)"
      let problem = try #require(try BatchReading(batch.text).problem, comment)
      #expect(problem.line == batch.records[index].line, comment)
      #expect(problem.field == spoilt.field, comment)
      #expect(problem.code == spoilt.code, comment)
    }
  }
}
