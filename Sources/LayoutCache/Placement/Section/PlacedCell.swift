import LayoutGeometry

/// A placed item of a section.
struct PlacedCell {
  /// The item's number in its section.
  var index: Int
  /// Its rectangle in canonical axes, from the content's start.
  var frame: Rect
  /// Its first column, in kinds that have columns.
  var column: Int?
}
