import LayoutGeometry

/// The measured length of an item in one layout, which replaces the length that follows from the
/// natural size; optionally with a cross length.
///
/// It is stored with the item, not with the layout's result: a result can be computed again at
/// any time, but a measurement cannot.
struct PreferredLength: Sendable, Equatable {
  /// The item's index in its leaf.
  var item: Int
  /// The layout's ID.
  var layout: Int64
  /// Along the main axis; above zero.
  var length: Length
  /// Along the cross axis; above zero. `nil` for the length that follows from the natural size.
  var crossLength: Length?

  func isOrdered(before other: PreferredLength) -> Bool {
    (item, layout) < (other.item, other.layout)
  }
}
