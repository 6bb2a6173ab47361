import TestSupport
import Testing

/// Proves that comparing with the oracle can fail: an almost correct program is caught, and its
/// failure shrinks to a minimal case.
@Suite struct OracleCanaryTests {
  /// The mistake under test: widths rounded down once, not at every edge.
  private func carelessRight(width: Int64, columns: Int64, column: Int64) -> Int64 {
    (column + 1) * (width / columns)
  }

  @Test func carelessColumnEdgesAreCaught() throws {
    let oracle = try Oracle(
      width: 1001, section: #""kind":"grid","columns":3,"rowLength":5"#,
      [section(items(heights: [1, 1, 1]))])
    let careless = (0..<3).map {
      carelessRight(width: oracle.contentSize.width, columns: 3, column: $0)
    }
    #expect(oracle.cells.map(\.frame.maxX) != careless)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func wrongTieBreakIsCaughtAndShrinks(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let feed = (0..<60).map {
      OracleItem(
        key: "i\($0)", width: 1,
        height: Double(Int.random(in: 1...3, using: &generator)))
    }
    func differs(_ items: [OracleItem]) throws -> Bool {
      let members = #""kind":"waterfall","columns":3,"itemLength":"natural""#
      let right = try Oracle(width: 300, section: members, [section(items)])
      let wrong = try Oracle(
        width: 300, section: members + #","ties":"cursor""#, [section(items)])
      return right.allElements() != wrong.allElements()
    }
    let shrunk = try Shrinker.shrink(feed, whileFails: differs)
    #expect(try differs(shrunk))
    // Three items fill the columns, and a fourth evens them out at the earliest.
    #expect((4...8).contains(shrunk.count), "\(shrunk)")
  }

  @Test func elementsOneUnitApartAreNotEqual() throws {
    let oracle = try Oracle(
      width: 100, section: #""kind":"grid","columns":1,"rowLength":5"#,
      [section(items(heights: [1]))])
    var moved = oracle.allElements()
    moved[0].y += 1
    #expect(moved != oracle.allElements())
  }
}
