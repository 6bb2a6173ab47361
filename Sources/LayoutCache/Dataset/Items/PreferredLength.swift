import LayoutGeometry

/// A length that was measured for an item, and stands in one layout in place of the
/// one that follows from the natural size.
///
/// It is kept with the item, not with the layout's result: a result can be computed
/// again at any time, and a measurement cannot.
struct PreferredLength: Sendable, Equatable {
  /// The item's index in its leaf.
  var item: Int
  /// The layout's id.
  var layout: Int64
  /// Above zero.
  var length: Length

  func isOrdered(before other: PreferredLength) -> Bool {
    (item, layout) < (other.item, other.layout)
  }
}
