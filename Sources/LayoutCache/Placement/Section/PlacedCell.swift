import LayoutGeometry

/// A placed item of a section.
struct PlacedCell {
  /// The item's number in its section.
  var index: Int
  /// Its rectangle in canonical axes, from the content's start.
  var frame: Rect
  /// Its first column, in kinds that have columns.
  var column: Int?
  /// How it is shown.
  var look = CellLook.plain
}

/// How a cell is shown, as its kind says; only custom kinds say anything.
struct CellLook: Hashable, Sendable {
  /// How opaque it is, from 0 to 1.
  var alpha = 1.0
  // Narrow, because cells are copied by the thousand.
  var zIndex: Int32 = 0
  var isHidden = false

  /// That of most.
  static let plain = CellLook()

  var isPlain: Bool { zIndex == 0 && alpha == 1 && !isHidden }
}
