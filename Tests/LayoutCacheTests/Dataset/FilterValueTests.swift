import CollectionLayout
import Testing

@testable import LayoutCache

/// The members of an item's data as filters read them.
@Suite struct FilterValueTests {
  @Test func membersAreExactAndTheLastOfADuplicateCounts() throws {
    let json = #"""
      {"a":9007199254740993,"b":[1.0,"\u00e9",[null,{}]],"c":1,"A":true,"d":-1E400,"c":{"e":2}}
      """#
    let values = try ItemData(json: json).filterValues(of: ["a", "b", "c", "d", "gone"])
    #expect(
      values == [
        "a": .number(.integer(9_007_199_254_740_993)),
        "b": .array([.number(.integer(1)), .text("é"), .array([.null, .object(isEmpty: true)])]),
        "c": .object(isEmpty: false), "d": .number(.double(-.infinity)),
      ])
  }
}
