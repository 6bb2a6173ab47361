public import LayoutGeometry

/// A reader's position: cells by their keys, with their positions in the visible rectangle. It
/// remains valid after changes, and in every layout of the dataset, whatever its width and
/// direction.
///
/// An anchor can be stored: on a client while a device rotates, or in a file for weeks.
public struct LayoutAnchor: Hashable, Sendable, Codable {
  /// A cell by which the position is restored.
  public struct Cell: Hashable, Sendable, Codable {
    /// The item's key.
    public var key: String
    /// The cell's start along the main axis, relative to the start of the visible rectangle;
    /// negative if the visible start cuts the cell.
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

  /// The cells in order of preference: a later one is used if the earlier ones no longer exist.
  /// First the visible ones, beginning with those that start within the visible rectangle; then
  /// their neighbours at increasing distance, with the position of the first cell.
  public var cells: [Cell]
  /// The length of the visible rectangle along the main axis.
  public var visibleLength: Length

  /// Creates an anchor.
  public init(cells: [Cell], visibleLength: Length) {
    self.cells = cells
    self.visibleLength = visibleLength
  }
}

/// The part of the content that keeps its place on the screen through a change.
@nonexhaustive
public enum OffsetAnchor: String, Hashable, Sendable, CaseIterable {
  /// A visible cell: the first one that the changes left alone.
  case cell
  /// The content's end, as in a chat, if the visible rectangle ends less than a point before it,
  /// or beyond it; else as ``cell``.
  case end
}

/// A content offset that restores the position of an anchor's cell.
public struct AnchoredOffset: Hashable, Sendable {
  /// The top left corner of the new visible rectangle.
  public var contentOffset: Point
  /// The key of the cell whose position is preserved; that of the last one for the content's end.
  public var key: String
  /// Whether the cell has exactly its previous distance from the start of the visible rectangle.
  /// It has not if the content begins or ends too early, or if the cell or the visible rectangle
  /// has become so much shorter that the cell would be invisible: the distance is then scaled
  /// with the cell's or the visible length.
  public var isExact: Bool

  /// Creates an offset that preserves a cell's position.
  public init(contentOffset: Point, key: String, isExact: Bool) {
    self.contentOffset = contentOffset
    self.key = key
    self.isExact = isExact
  }
}
