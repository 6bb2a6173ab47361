import CollectionLayout
import LayoutGeometry
import Testing

@testable import LayoutCache

/// The members of an item's data as filters read them.
@Suite struct FilterValueTests {
  @Test func membersAreExactAndTheLastOfADuplicateCounts() throws {
    let json = #"""
      {"a":9007199254740993,"b":[1.0,"\u00e9",[null,{}]],"c":1,"A":true,"d":-1E400,"c":{"e":2}}
      """#
    let names: [ExactKey] = ["a", "b", "c", "d", "gone"]
    let values = try ItemData(json: json).withBytes { names.filterValues(in: $0) }
    #expect(
      values == [
        .number(.integer(9_007_199_254_740_993)),
        .array([.number(.integer(1)), .text("é"), .array([.null, .object(isEmpty: true)])]),
        .object(isEmpty: false), .number(.double(-.infinity)), nil,
      ])
  }
}
