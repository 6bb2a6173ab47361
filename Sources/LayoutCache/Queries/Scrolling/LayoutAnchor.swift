public import LayoutGeometry

/// Where a reader is: cells by their keys, and where they are in what is visible. It outlives
/// changes, and holds in every layout of the dataset, whatever its width and its direction.
///
/// It is a value to keep: on a client while a phone is turned, or in a file for weeks.
public struct LayoutAnchor: Hashable, Sendable, Codable {
  /// A cell by which the place is found again.
  public struct Cell: Hashable, Sendable, Codable {
    /// The item's key.
    public var key: String
    /// Where the cell starts along the main axis, from the start of what is visible: below
    /// zero where that cuts it.
    public var start: Length
    /// The cell's length along the main axis.
    public var length: Length

    /// Creates a cell of an anchor.
    public init(key: String, start: Length, length: Length) {
      self.key = key
      self.start = start
      self.length = length
    }
  }

  /// The cells, the best first: a later one counts where the dataset has none of those
  /// before. First those that are visible, beginning with those that start in sight; then
  /// their neighbours, ever farther away, which would take the first one's place.
  public var cells: [Cell]
  /// The length of what is visible along the main axis.
  public var visibleLength: Length

  /// Creates an anchor.
  public init(cells: [Cell], visibleLength: Length) {
    self.cells = cells
    self.visibleLength = visibleLength
  }
}

/// A content offset at which an anchor's cell is where it was.
public struct AnchoredOffset: Hashable, Sendable {
  /// The top left corner of what is to be visible.
  public var contentOffset: Point
  /// The key of the cell that is kept in its place.
  public var key: String
  /// Whether the cell stands from the start of what is visible exactly where it stood. Not so
  /// where the content begins or ends before, or where the cell, or what is visible, has
  /// become so much shorter that it would be out of sight: it is then at the same part of its
  /// own length, or of the visible one.
  public var isExact: Bool

  /// Creates an offset that keeps a cell in its place.
  public init(contentOffset: Point, key: String, isExact: Bool) {
    self.contentOffset = contentOffset
    self.key = key
    self.isExact = isExact
  }
}
