import CollectionLayout
import LayoutGeometry
import Testing

@Suite struct ColumnTracksTests {
  private func tracks(
    _ cross: Int64, _ count: Int, spacing: Int64 = 0, leading: Int64 = 0, trailing: Int64 = 0
  ) throws -> ColumnTracks {
    try ColumnTracks(
      count: count, spacing: points(spacing), leading: points(leading),
      trailing: points(trailing), crossLength: points(cross))
  }

  private func points(_ points: Int64) -> Length { Length(units: points * 64) }

  @Test func theLastColumnEndsAtTheTrailingInsetExactly() throws {
    #expect(try tracks(1200, 7, spacing: 10).ends.last == points(1200))
    #expect(try tracks(1001, 3).ends.last == points(1001))
    for cross in Int64(20)...60 {
      for count in 1...5 {
        let tracks = try tracks(cross, count, spacing: 2, leading: 3, trailing: 4)
        #expect(tracks.starts.first == points(3))
        #expect(tracks.ends.last == points(cross - 4), "\(cross) points, \(count) columns")
      }
    }
  }

  @Test func columnsDifferByAtMostOneUnitAndLieASpacingApart() throws {
    let tracks = try tracks(1001, 7, spacing: 9, leading: 5)
    let widths = zip(tracks.starts, tracks.ends).map { $1 - $0 }
    #expect((widths.max() ?? .zero) - (widths.min() ?? .zero) <= Length(units: 1))
    for column in 1..<7 { #expect(tracks.starts[column] - tracks.ends[column - 1] == points(9)) }
  }

  struct AspectCase: Sendable {
    var cross: Int64
    var columns: Int
    var span: Int
    /// The natural width and height, in units.
    var size: (width: Int64, height: Int64)
    var units: Int64
  }

  static let aspectCases: [AspectCase] = [
    // 100/3 · 2/1 points = 4266.67 units.
    AspectCase(cross: 100, columns: 3, span: 1, size: (64, 128), units: 4266),
    // Just a unit, and just less.
    AspectCase(cross: 1, columns: 1, span: 1, size: (64, 1), units: 1),
    AspectCase(cross: 1, columns: 1, span: 1, size: (65, 1), units: 0),
    // The ratios 1/4000 and 600 of real data.
    AspectCase(cross: 390, columns: 2, span: 1, size: (4000, 1), units: 3),
    AspectCase(cross: 390, columns: 2, span: 1, size: (1, 600), units: 7_488_000),
    AspectCase(cross: 100, columns: 4, span: 2, size: (10, 10), units: 3200),
  ]

  @Test(arguments: aspectCases)
  func aspectLengthsAreRoundedDown(aspect: AspectCase) throws {
    let size = Size(
      width: Length(units: aspect.size.width), height: Length(units: aspect.size.height))
    let tracks = try tracks(aspect.cross, aspect.columns)
    #expect(tracks.aspectLength(of: size, columnSpan: aspect.span).units == aspect.units)
  }

  @Test func theGreatestAspectLengthIsExact() throws {
    let tracks = try ColumnTracks(
      count: 256, spacing: .zero, leading: .zero, trailing: .zero, crossLength: Limits.sideMax)
    let size = Size(width: Length(units: 1), height: Limits.sideMax)
    let side = Limits.sideMax.units
    #expect(tracks.aspectLength(of: size, columnSpan: 256).units == side * side)
  }

  @Test func aRangeReachesTheColumnsItTouchesAndTheOneBeforeAGap() throws {
    // Columns at 0 to 30, 35 to 65, 70 to 100.
    let tracks = try tracks(100, 3, spacing: 5)
    #expect(tracks.columns(reaching: points(0)..<points(100)) == 0..<3)
    #expect(tracks.columns(reaching: points(30)..<points(35)) == 0..<1)
    #expect(tracks.columns(reaching: points(35)..<points(70)) == 1..<2)
    #expect(tracks.columns(reaching: points(100)..<points(120)).isEmpty)
    #expect(tracks.columns(reaching: points(-9)..<points(0)).isEmpty)
  }
}
