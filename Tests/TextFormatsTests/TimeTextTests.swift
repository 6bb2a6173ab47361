import TestSupport
import Testing

@testable import TextFormats

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Moments as text.
@Suite struct TimeTextTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
    (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
    (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
  ])
  func knownTimesAreFormatted(milliseconds: Int64, text: String) {
    #expect(timeText(millisecondsSince1970: milliseconds) == text)
  }

  @Test(arguments: [1, 2, 3]) func timesAreFormattedLikeFoundations(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1_000 {
      let seconds = Int64.random(in: 0...8_000_000_000, using: &generator)
      let date = Date(timeIntervalSince1970: Double(seconds))
      let expected = date.formatted(.iso8601).dropLast() + ".000Z"
      #expect(timeText(millisecondsSince1970: seconds * 1_000) == expected, "seed \(seed)")
    }
  }
}
