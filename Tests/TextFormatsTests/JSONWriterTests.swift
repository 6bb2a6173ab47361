import Foundation
import TestSupport
import Testing
import TextFormats

@Suite struct JSONWriterTests {
  private func text(_ build: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    build(&json)
    #expect(json.isComplete)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test func commasAndColonsArePutAutomatically() {
    let text = text { json in
      json.beginObject()
      json.member("x", 12.5)
      json.member("columns")
      json.beginArray()
      json.value(1)
      json.beginObject()
      json.endObject()
      json.beginArray()
      json.endArray()
      json.null()
      json.endArray()
      json.member("hidden", false)
      json.member("kind", "card")
      json.member("count", -7)
      json.endObject()
    }
    #expect(text == #"{"x":12.5,"columns":[1,{},[],null],"hidden":false,"kind":"card","count":-7}"#)
  }

  @Test(arguments: [
    (0.0, "0"), (-0.0, "-0"), (400, "400"), (-400.5, "-400.5"), (0.015625, "0.015625"),
    (0.1, "0.1"), (999_999_999.984375, "999999999.984375"), (1e9, "1000000000"), (1e16, "1e+16"),
    (9_007_199_254_740_992, "9007199254740992"), (1e-7, "1e-07"),
    (.leastNonzeroMagnitude, "5e-324"),
    (0.1 + 0.2, "0.30000000000000004"), (1e300, "1e+300"),
  ])
  func numbersRoundTripWithTheFewestDigits(number: Double, expected: String) {
    #expect(text { $0.value(number) } == expected)
    #expect(Double(expected)?.bitPattern == number.bitPattern)
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func lengthsAreWrittenExactly(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 2000) {
      let bits = Int.random(in: 0...50, using: &random)
      let units = Int.random(in: -(1 << bits)...(1 << bits), using: &random)
      let written = text { $0.value(Double(units) / 64) }
      // Exact in decimal arithmetic too, for readers that do not parse doubles.
      #expect(Decimal(string: written).map { $0 * 64 } == Decimal(units))
      #expect(Double(written) == Double(units) / 64)
    }
  }

  @Test func integersOfAnySizeAreWritten() {
    #expect(text { $0.value(Int.min) } == "-9223372036854775808")
    #expect(text { $0.value(Int.max) } == "9223372036854775807")
  }

  @Test func foundationReadsBackEveryString() throws {
    let scalars = (0...0x3000).compactMap(Unicode.Scalar.init)
    var string = ""
    string.unicodeScalars.append(contentsOf: scalars)
    string += "😀"
    let json = text { $0.value(string) }
    let decoded = try JSONDecoder().decode(String.self, from: Data(json.utf8))
    #expect(Array(decoded.utf8) == Array(string.utf8))
  }

  @Test func onlyRequiredCharactersAreEscaped() {
    #expect(
      text { $0.value("/\"\\\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é\u{2028}") }
        == "\"/\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f\u{7F}é\u{2028}\"")
  }

  @Test func misuseTraps() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.value(Double.infinity)
    }
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.beginObject()
      json.value(1)
    }
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.beginArray()
      json.endObject()
    }
    await #expect(processExitsWith: .failure) {
      var json = JSONWriter()
      json.value(1)
      json.value(2)
    }
  }
}
