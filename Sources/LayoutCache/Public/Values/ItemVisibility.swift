/// Whether layouts show an item.
///
/// Queries for rectangles, points and pages do not answer an item that is hidden or collapsed, nor
/// the elements of its cell. Queries for its key or index path answer a cell with `isHidden`.
@nonexhaustive
public enum ItemVisibility: UInt8, Hashable, Sendable {
  /// The item has a cell.
  case shown
  /// The item has no cell, but keeps its place: all others are where they would be with it.
  case hidden
  /// The item has no cell and no place: all others are where they would be without it. Its frame
  /// has no size and the origin of the next item that has a place; after the last of those it is
  /// at the end of the section's content.
  case collapsed
}
