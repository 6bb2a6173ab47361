import CollectionLayout
import Foundation
import JSONText
import TestSupport
import Testing

// Strategy: random JSON values of any depth, whole or with some characters changed, inserted,
// deleted or doubled, read by this library and by Foundation's decoder.
//
// Invariants: nothing traps; an accepted text without repeated members has the value that
// Foundation finds. (Foundation rejects numbers too close to zero for a double, which are 0
// here; these are left out.)

@Suite struct JSONDocumentPropertyTests {
  private var tooCloseToZero: Regex<Substring> { /[eE]-\d{3}/ }

  @Test(.property, arguments: PropertyRun.seeds)
  func valuesEqualThoseThatFoundationReads(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var acceptedCount = 0
    for _ in PropertyRun.each(seed, steps: 300) {
      var text = value(depth: 0, &random)
      if random.oneIn(2) { text = random.mutated(text) }
      let origin: Comment = "\(text)"
      let theirs = try? JSONDecoder().decode(ConfigurationValue.self, from: Data(text.utf8))
      guard !text.contains(tooCloseToZero), let document = try? JSONDocument(text) else { continue }
      let ours = try? ConfigurationValue(from: JSONValueDecoder(document))
      if document.firstRepeatedMember() == nil { #expect(ours == theirs, origin) }
      acceptedCount += 1
    }
    #expect(acceptedCount > 20)
  }

  private func value(depth: Int, _ random: inout SeededGenerator) -> String {
    let count = Int.random(in: 0...4, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0...2 where depth < 6:
      return "["
        + (0..<count).map { _ in value(depth: depth + 1, &random) }
        .joined(separator: " ,") + "]"
    case 3...5 where depth < 6:
      return "{"
        + (0..<count).map { "\"\($0)\\n\" :\(value(depth: depth + 1, &random))" }
        .joined(separator: ",\r\n") + "}"
    default:
      return [
        "1", "-0", "2.50", "1e3", "-1.5E-2", "12345678901234567890", "null", "true",
        "false", "\"\"", "\"é\\n\\u00e9\"", "\"\\ud83d\\ude00\"", "\"\u{2028}\"", "[]", "{}",
      ].randomElement(using: &random)!
    }
  }
}
