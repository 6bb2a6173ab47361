package import LayoutGeometry

/// The columns of a waterfall or grid: their starts and ends across the container.
///
/// With T the length that insets and gaps leave, column c spans from
/// `leading + ⌊c·T/n⌋ + c·spacing` to `leading + ⌊(c+1)·T/n⌋ + c·spacing`, in units, so the last
/// column ends exactly at the trailing inset. With weights, the fractions are sums of weights: of
/// those of the columns before an edge, and of all.
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
  /// - Parameters:
  ///   - weights: The proportions of the columns' widths, at most 1,000; `nil`
  ///     for equal columns.
  ///   - path: The path of the options, for errors.
  /// - Throws: ``ConfigurationError`` if a column would be narrower than one point; it has
  ///   the container length that would be needed.
  package init(
    count: Int, weights: [Int]? = nil, spacing: Length, leading: Length, trailing: Length,
    crossLength: Length, at path: [String] = []
  ) throws(ConfigurationError) {
    let taken = leading + trailing + spacing * (count - 1)
    let shared = crossLength - taken
    let weights = weights ?? Array(repeating: 1, count: count)
    var sums = [0]
    for weight in weights { sums.append(sums[sums.count - 1] + weight) }
    let (whole, narrowest) = (sums[count], weights.min() ?? 1)
    // Rounded up, so that the narrowest column has the minimum.
    let needed = Length(
      units: ((Limits.trackMin * whole).units + Int64(narrowest) - 1) / Int64(narrowest))
    guard shared >= needed else {
      throw ConfigurationError(
        .containerTooNarrow(
          crossLength: crossLength, neededLength: taken + needed, columns: count), at: path)
    }
    func edge(_ column: Int) -> Length {
      Length(units: shared.units * Int64(sums[column]) / Int64(whole)) + leading
    }
    starts = (0..<count).map { edge($0) + spacing * $0 }
    ends = (0..<count).map { edge($0 + 1) + spacing * $0 }
    sharedLength = shared
    self.spacing = spacing
  }

  /// Returns the number of columns of a minimum width that fit: at least 1, at most
  /// ``Limits/columnsMax``.
  static func fittingCount(minimumWidth: Length, spacing: Length, available: Length) -> Int {
    let fitting = (available + spacing).units / (minimumWidth + spacing).units
    return Int(min(max(fitting, 1), Int64(Limits.columnsMax)))
  }

  /// Returns the length along the main axis that keeps an item's proportions:
  /// `(s·T/n + (s-1)·spacing) · height / width`, rounded down. T/n is the nominal width, so the
  /// length does not depend on the column.
  ///
  /// Exact in 64 bits: with at most 2^26 units per side and 2^8 columns, the numerator is below
  /// 2^62.
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

  /// Returns the nominal width of columns and the gaps between them: `s·T/n + (s-1)·spacing`,
  /// rounded down.
  package func nominalWidth(columnSpan: Int) -> Length {
    let (columns, span) = (Int64(count), Int64(columnSpan))
    return Length(
      units: (span * sharedLength.units + (span - 1) * columns * spacing.units) / columns)
  }

  /// Returns the columns of which an item may intersect a range across the container: those
  /// that intersect it themselves, and the one before an intersecting gap, because an item over
  /// several columns covers their gaps.
  @inlinable
  package func columns(reaching range: Range<Length>) -> Range<Int> {
    let end = starts.firstIndex { $0 >= range.upperBound } ?? count
    let first =
      starts.indices.first { column in
        range.lowerBound < (column + 1 < count ? starts[column + 1] : ends[column])
      } ?? count
    return first..<max(first, end)
  }

  /// Returns the range across the container of some columns, including the gaps between them.
  @inlinable
  @inline(__always)
  package func extent(column: Int, columnSpan: Int) -> Range<Length> {
    starts[column]..<ends[column + columnSpan - 1]
  }
}
