import LayoutGeometry

/// A length that was measured for an item, and is in one layout in place of the
/// one that follows from the natural size; perhaps with one across.
///
/// It is kept with the item, not with the layout's result: a result can be computed
/// again at any time, and a measurement cannot.
struct PreferredLength: Sendable, Equatable {
  /// The item's index in its leaf.
  var item: Int
  /// The layout's id.
  var layout: Int64
  /// Along the main axis; above zero.
  var length: Length
  /// Across it; above zero. `nil` for that which follows from the natural size.
  var crossLength: Length?

  func isOrdered(before other: PreferredLength) -> Bool {
    (item, layout) < (other.item, other.layout)
  }
}
