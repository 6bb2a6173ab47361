import JSONText
import TestSupport
import Testing

// Strategy: random decimal texts with up to 40 digits, a fraction and an exponent, read by this
// library and by the standard library, whose `Double` rounds correctly.
//
// Invariants: a double is bit for bit the standard library's; an integer is found exactly where
// the number is whole and an `Int` can hold it.

@Suite struct DecimalNumberPropertyTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func numbersEqualThoseOfTheStandardLibrary(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 2000) {
      let text = number(&random)
      let origin: Comment = "\(text)"
      let expected = try #require(Double(text), origin)
      do {
        #expect(try read(text, parseDouble).bitPattern == expected.bitPattern, origin)
      } catch NumberError.tooLarge {
        #expect(expected.isInfinite, origin)
      }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func wholeNumbersAreReadInEveryNotation(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 2000) {
      let whole = Int(truncatingIfNeeded: random.next()) >> Int.random(in: 0..<64, using: &random)
      let shift = Int.random(in: 0...20, using: &random)
      let zeros = String(repeating: "0", count: shift)
      // A number does not start with two zeros.
      let scaled = whole == 0 ? "0e\(shift)" : "\(whole)\(zeros)e-\(shift)"
      for text in ["\(whole)", "\(whole).\(zeros)0", scaled] {
        #expect(try read(text, parseInteger) == whole, "\(text)")
      }
    }
  }

  private func number(_ random: inout SeededGenerator) -> String {
    func digits(_ most: Int) -> String {
      (0..<Int.random(in: 1...most, using: &random))
        .map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
    }
    var text = random.oneIn(2) ? "-" : ""
    text += random.oneIn(4) ? "0" : "\(Int.random(in: 1...9, using: &random))\(digits(20))"
    if random.oneIn(2) { text += ".\(digits(20))" }
    if random.oneIn(2) { text += "e\(Int.random(in: -340...320, using: &random))" }
    return text
  }

  private func read<Number>(
    _ text: String, _ parse: (UnsafeRawBufferPointer) throws(NumberError) -> Number
  ) throws -> Number {
    try Array(text.utf8).withUnsafeBytes { try parse($0) }
  }
}
