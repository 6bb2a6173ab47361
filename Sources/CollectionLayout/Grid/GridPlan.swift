package import LayoutGeometry

/// A grid's metrics in canonical axes: equal rows, each with one item per column.
package struct GridPlan: Hashable, Sendable {
  package var tracks: ColumnTracks
  /// The gap between two rows.
  package var lineSpacing: Length
  /// The length of every row along the main axis.
  package var rowLength: Length

  /// The distance from one row's start to the next one's.
  @usableFromInline var pitch: Length { rowLength + lineSpacing }

  /// Returns the content's length.
  ///
  /// - Throws: `LimitError` beyond ``Limits/contentLengthMax``.
  @usableFromInline
  func contentLength(ofCount count: Int) throws(LimitError) -> Length {
    if count == 0 { return .zero }
    let rows = Int64((count - 1) / tracks.count)
    let (start, overflow) = pitch.units.multipliedReportingOverflow(by: rows)
    // The last row's start is clamped to the limit first, so that its end does not overflow.
    let limit = Limits.contentLengthMax
    let length = Length(units: overflow ? limit.units : min(start, limit.units)) + rowLength
    try Limits.checkContent(length)
    return length
  }

  @inlinable
  func frame(at index: Int) -> Rect {
    let column = index % tracks.count
    return Rect(
      x: tracks.starts[column], y: pitch * (index / tracks.count),
      width: tracks.ends[column] - tracks.starts[column], height: rowLength)
  }

  /// Returns the items of the rows that intersect a range of the main axis.
  @inlinable
  func items(in range: Range<Length>, ofCount count: Int) -> Range<Int> {
    guard range.upperBound > .zero, count > 0 else { return 0..<0 }
    // Rows end at row · pitch + rowLength.
    let behind = max(Length.zero, range.lowerBound - rowLength + pitch)
    let first = Int(min(behind.units / pitch.units, Int64(count)))
    let last = Int(min((range.upperBound.units - 1) / pitch.units, Int64(count)))
    let start = min(first * tracks.count, count)
    return start..<max(start, min((last + 1) * tracks.count, count))
  }
}

extension GridPlan {
  /// Checks and completes the options of a grid.
  init(
    _ options: SectionOptions, inset: EdgeInsets, _ checks: OptionChecks
  ) throws(ConfigurationError) {
    let tracks = try checks.tracks(options, inset: inset, isWeighted: true)
    let rowLength: Length
    switch options.rowLength ?? .square {
    case .square:
      rowLength = Length(units: tracks.sharedLength.units / Int64(tracks.count))
    case .fixed(let length):
      rowLength =
        try checks.length(length, "rowLength", from: OptionChecks.unit) ?? OptionChecks.unit
    }
    self.init(
      tracks: tracks,
      lineSpacing: try checks.length(options.lineSpacing, "lineSpacing") ?? .zero,
      rowLength: rowLength)
  }
}
