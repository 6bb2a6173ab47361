package import LayoutGeometry

/// The state of placing a waterfall's items one after another: each column's next position, and
/// the cursor.
///
/// An item may start at any column where the position, the maximum over the columns it covers,
/// is within the tolerance of the least such position. `leading` chooses the first of these,
/// `trailing` the last, and `cursor` the first at or after the column that follows the previous
/// item, wrapping to the first.
///
/// Source: CSS Grid Layout Module Level 3, "grid lanes" placement with `flow-tolerance`, for
/// `cursor`.
package struct WaterfallPlacement: Hashable, Sendable {
  /// The columns' next positions along the main axis, from the content's start.
  package private(set) var positions: [Length]
  /// The column that follows the previous item.
  package private(set) var cursor: Int

  private let lineSpacing: Length
  private let tolerance: Length
  private let ties: SectionOptions.Ties

  /// Creates the state at a section's start, or after a run of items.
  ///
  /// - Parameters:
  ///   - positions: The columns' next positions; as many as the plan's columns.
  ///   - cursor: The column that follows the previous item.
  package init(plan: WaterfallPlan, positions: [Length]? = nil, cursor: Int = 0) {
    precondition(positions == nil || positions?.count == plan.tracks.count)
    self.positions = positions ?? Array(repeating: .zero, count: plan.tracks.count)
    self.cursor = cursor
    lineSpacing = plan.lineSpacing
    tolerance = plan.tolerance
    ties = plan.ties
  }

  /// The content's length: the largest next position less one line spacing, or 0 if nothing has
  /// been placed.
  package var contentLength: Length {
    let end = positions.max() ?? .zero
    return end == .zero ? .zero : end - lineSpacing
  }

  /// Chooses an item's columns and moves their next positions past it.
  ///
  /// - Parameters:
  ///   - length: The item's length; at least one unit.
  ///   - columnSpan: The number of columns that it covers, from 1 to all.
  /// - Returns: The first of its columns.
  /// - Throws: ``LimitError`` if the content would become longer than
  ///   ``Limits/contentLengthMax``; the state is then unchanged.
  /// - Complexity: O(columns · columnSpan).
  package mutating func place(length: Length, columnSpan: Int) throws(LimitError) -> Int {
    let column = columnToTake(of: columnSpan == 1 ? positions : starts(ofSpan: columnSpan))
    try advance(column: column, columnSpan: columnSpan, length: length)
    return column
  }

  /// Moves the next positions of an item's columns past it.
  ///
  /// - Returns: The item's start.
  /// - Throws: As ``place(length:columnSpan:)``.
  @discardableResult
  package mutating func advance(
    column: Int, columnSpan: Int, length: Length
  ) throws(LimitError) -> Length {
    let columns = column..<(column + columnSpan)
    var start = positions[column]
    for c in columns { start = max(start, positions[c]) }
    let end = start + length
    try Limits.checkContent(end)
    for c in columns { positions[c] = end + lineSpacing }
    cursor = columns.upperBound == positions.count ? 0 : columns.upperBound
    return start
  }

  /// Returns whether this state results in the same columns as another, for any following
  /// items: the states are equal except for a shift of all positions.
  ///
  /// The choice of a column depends on the differences between the positions, and with `cursor`
  /// on the cursor.
  ///
  /// - Complexity: O(columns).
  package func isShifted(from other: WaterfallPlacement) -> Bool {
    let shift = positions[0] - other.positions[0]
    if ties == .cursor && cursor != other.cursor { return false }
    for column in positions.indices
    where positions[column] - other.positions[column] != shift {
      return false
    }
    return true
  }

  /// Returns the starts of an item over several columns, by the first of them.
  private func starts(ofSpan columnSpan: Int) -> [Length] {
    (0...(positions.count - columnSpan)).map { column in
      var start = positions[column]
      for c in column..<(column + columnSpan) { start = max(start, positions[c]) }
      return start
    }
  }

  /// Returns the column to choose, by the item's start in each.
  private func columnToTake(of starts: [Length]) -> Int {
    var least = starts[0]
    for start in starts { least = min(least, start) }
    let highest = least + tolerance
    if ties == .trailing {
      var column = starts.count - 1
      while starts[column] > highest { column -= 1 }
      return column
    }
    if ties == .cursor, cursor < starts.count {
      for column in cursor..<starts.count where starts[column] <= highest { return column }
    }
    var column = 0
    while starts[column] > highest { column += 1 }
    return column
  }
}
