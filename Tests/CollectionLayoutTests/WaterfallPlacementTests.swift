import CollectionLayout
import Foundation
import LayoutGeometry
import Testing

@Suite struct WaterfallPlacementTests {
  private func plan(_ section: String) throws -> WaterfallPlan {
    let text = #"{"container":{"width":400},"section":\#(section)}"#
    let configuration = try JSONDecoder().decode(
      LayoutConfiguration.self, from: Data(text.utf8))
    guard
      case .waterfall(let plan) = try LayoutPlan(configuration)
        .section("any", style: nil).kind
    else {
      preconditionFailure("a waterfall is the default")
    }
    return plan
  }

  /// The columns that items of the given lengths and spans take.
  private func columns(_ section: String, _ items: [(Int64, Int)]) throws -> [Int] {
    var placement = WaterfallPlacement(plan: try plan(section))
    return try items.map {
      try placement.place(length: Length(units: $0.0 * 64), columnSpan: $0.1)
    }
  }

  @Test func anItemGoesToTheFirstOfTheShortestColumns() throws {
    let taken = try columns(
      #"{"columns":3}"#, [(10, 1), (20, 1), (10, 1), (5, 1), (5, 1), (5, 1)])
    #expect(taken == [0, 1, 2, 0, 2, 0])
  }

  @Test func withinTheToleranceTheFirstColumnIsTaken() throws {
    #expect(try columns(#"{"columns":2,"tolerance":10}"#, [(10, 1), (1, 1), (9, 1)]) == [0, 0, 1])
  }

  @Test func trailingTakesTheLastColumnThatMayBeTaken() throws {
    let plain = #""columns":3,"ties":"trailing""#
    #expect(try columns("{\(plain)}", [(10, 1), (20, 1), (10, 1), (5, 1)]) == [2, 1, 0, 2])
    // Over two columns an item may start in the first two.
    #expect(try columns("{\(plain)}", [(10, 2), (10, 1), (10, 2), (10, 3)]) == [1, 0, 1, 0])
    #expect(
      try columns(
        #"{"columns":2,"ties":"trailing","tolerance":10}"#, [(10, 1), (1, 1), (9, 1)]) == [1, 1, 0])
  }

  @Test func theCursorContinuesAfterThePreviousItemAndWraps() throws {
    let taken = try columns(
      #"{"columns":3,"tolerance":100,"ties":"cursor"}"#,
      [(10, 1), (10, 1), (10, 1), (10, 1), (10, 2), (10, 2), (10, 1)])
    // The last but one finds no room after column 2 and wraps.
    #expect(taken == [0, 1, 2, 0, 1, 0, 2])
  }

  @Test func anItemOverColumnsStartsBelowTheLongestOfThem() throws {
    var placement = WaterfallPlacement(plan: try plan(#"{"columns":3,"lineSpacing":1}"#))
    _ = try placement.place(length: Length(units: 640), columnSpan: 1)
    let column = try placement.place(length: Length(units: 320), columnSpan: 2)
    // Columns 1 and 2 are free; columns 0 and 1 start at 704.
    #expect(column == 1)
    #expect(placement.positions.map(\.units) == [704, 384, 384])
    #expect(try placement.place(length: Length(units: 64), columnSpan: 3) == 0)
    #expect(placement.positions.map(\.units) == [832, 832, 832])
    #expect(placement.contentLength.units == 768)
  }

  @Test func noItemsHaveNoLengthAndNoTrailingSpacing() throws {
    var placement = WaterfallPlacement(plan: try plan(#"{"columns":2,"lineSpacing":8}"#))
    #expect(placement.contentLength == .zero)
    _ = try placement.place(length: Length(units: 64), columnSpan: 1)
    #expect(placement.contentLength.units == 64)
  }

  @Test func contentBeyondTheLimitIsRejectedAndTheStateStays() throws {
    var placement = WaterfallPlacement(plan: try plan(#"{"columns":1}"#))
    _ = try placement.place(length: Limits.contentLengthMax, columnSpan: 1)
    let before = placement
    #expect {
      try placement.place(length: Length(units: 1), columnSpan: 1)
    } throws: { ($0 as? LimitError)?.code == .tooLarge }
    #expect(placement == before)
  }
}
