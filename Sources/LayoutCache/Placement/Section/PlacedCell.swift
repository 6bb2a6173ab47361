import LayoutGeometry

/// A placed item of a section.
struct PlacedCell {
  /// The item's index in its section.
  var index: Int
  /// The item's frame in canonical axes, relative to the content's start.
  var frame: Rect
  /// The item's first column, in kinds with columns.
  var column: Int?
  /// The item's appearance.
  var look = CellLook.plain
}

/// A cell's appearance. Only custom kinds set one.
struct CellLook: Hashable, Sendable {
  /// The opacity, from 0 to 1.
  var alpha = 1.0
  // 32 bits, because cells are copied by the thousand.
  var zIndex: Int32 = 0
  var isHidden = false

  /// The default appearance.
  static let plain = CellLook()

  var isPlain: Bool { zIndex == 0 && alpha == 1 && !isHidden }
}
