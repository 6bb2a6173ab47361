public import LayoutGeometry

/// A waterfall section's metrics in canonical axes.
public struct WaterfallPlan: Hashable, Sendable {
  public var tracks: ColumnTracks
  /// The gap between two items of a column.
  public var lineSpacing: Length
  public var itemLength: SectionOptions.ItemLength
  /// The least length of an item; at least one unit.
  public var minimumLength: Length
  public var maximumLength: Length
  /// How far above the least position a column may be and still be chosen.
  public var tolerance: Length
  public var ties: SectionOptions.Ties
  public var assignment: SectionOptions.Assignment
  /// How far the columns may differ beyond the longest item before the section
  /// is rebalanced.
  public var maximumSkew: Length

  /// The columns that an item covers: its span clamped to the columns, all of
  /// them for span 0.
  @inlinable
  public func columnSpan(_ span: Int) -> Int {
    span == 0 ? tracks.count : min(span, tracks.count)
  }

  /// The length of an item along the main axis.
  ///
  /// - Parameters:
  ///   - size: The natural size in canonical axes.
  ///   - columnSpan: The columns that the item covers, 1 to the section's.
  @inlinable
  public func length(of size: Size, columnSpan: Int) -> Length {
    let length =
      switch itemLength {
      case .aspect: tracks.aspectLength(of: size, columnSpan: columnSpan)
      case .natural: size.height
      case .fixed(let length): length
      }
    return min(max(length, minimumLength), maximumLength)
  }
}
