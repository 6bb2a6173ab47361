package import LayoutGeometry

/// The columns of a waterfall or grid: where each begins and ends across the
/// container.
///
/// With T the length that insets and gaps leave, column c runs from
/// `leading + ⌊c·T/n⌋ + c·spacing` to `leading + ⌊(c+1)·T/n⌋ + c·spacing`, in
/// units, so the last column ends at the trailing inset exactly.
package struct ColumnTracks: Hashable, Sendable {
  /// The columns' starts across the container; one for each column.
  package let starts: [Length]
  /// The columns' ends; as many as ``starts``.
  package let ends: [Length]
  /// T, the length that the columns share.
  package let sharedLength: Length
  /// The gap between two columns.
  package let spacing: Length

  /// The number of columns, at least 1.
  @inlinable
  package var count: Int { starts.count }

  /// Lays out columns.
  ///
  /// - Parameter path: Where the options stand that ask for them, for errors.
  /// - Throws: ``ConfigurationError`` where they would get less than one point
  ///   each; it names the length that the container would need.
  package init(
    count: Int, spacing: Length, leading: Length, trailing: Length, crossLength: Length,
    at path: [String] = []
  ) throws(ConfigurationError) {
    let taken = leading + trailing + spacing * (count - 1)
    let shared = crossLength - taken
    let needed = Limits.trackMin * count
    guard shared >= needed else {
      throw ConfigurationError(
        .containerTooNarrow(
          crossLength: crossLength, neededLength: taken + needed, columns: count), at: path)
    }
    func edge(_ column: Int) -> Length {
      Length(units: shared.units * Int64(column) / Int64(count)) + leading
    }
    starts = (0..<count).map { edge($0) + spacing * $0 }
    ends = (0..<count).map { edge($0 + 1) + spacing * $0 }
    sharedLength = shared
    self.spacing = spacing
  }

  /// As many columns of at least a width as fit: at least 1, at most
  /// ``Limits/columnsMax``.
  static func fittingCount(minimumWidth: Length, spacing: Length, available: Length) -> Int {
    let fitting = (available + spacing).units / (minimumWidth + spacing).units
    return Int(min(max(fitting, 1), Int64(Limits.columnsMax)))
  }

  /// The length along the main axis that keeps an item's proportions:
  /// `(s·T/n + (s-1)·spacing) · height / width`, rounded down. T/n is the
  /// nominal width, so the length does not depend on the column.
  ///
  /// Exact in 64 bits: with at most 2^26 units a side and 2^8 columns the
  /// numerator stays below 2^62.
  ///
  /// - Precondition: The size is within ``Limits``.
  @inlinable
  package func aspectLength(of size: Size, columnSpan: Int) -> Length {
    let columns = Int64(count)
    let span = Int64(columnSpan)
    let width = span * sharedLength.units + (span - 1) * columns * spacing.units
    let denominator = columns * size.width.units
    return Length(units: width * size.height.units / denominator)
  }

  /// The width of columns and of the gaps between them, whichever they are:
  /// `s·T/n + (s-1)·spacing`, rounded down.
  package func nominalWidth(columnSpan: Int) -> Length {
    let (columns, span) = (Int64(count), Int64(columnSpan))
    return Length(
      units: (span * sharedLength.units + (span - 1) * columns * spacing.units) / columns)
  }

  /// The columns of which an item may share a point with a range across the
  /// container: those that do themselves, and, as an item over several columns
  /// covers their gaps, the one before a gap that does.
  @inlinable
  package func columns(reaching range: Range<Length>) -> Range<Int> {
    let end = starts.firstIndex { $0 >= range.upperBound } ?? count
    let first =
      starts.indices.first { column in
        range.lowerBound < (column + 1 < count ? starts[column + 1] : ends[column])
      } ?? count
    return first..<max(first, end)
  }

  /// The range across the container that columns cover, their gaps included.
  @inlinable
  @inline(__always)
  package func extent(column: Int, columnSpan: Int) -> Range<Length> {
    starts[column]..<ends[column + columnSpan - 1]
  }
}
