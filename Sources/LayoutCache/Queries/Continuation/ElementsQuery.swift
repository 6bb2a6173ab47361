public import CollectionLayout
public import LayoutGeometry

/// A query for elements: of a rectangle, of a run of items, or after an earlier answer.
///
///     let page = try snapshot.elements(.items(from: .key("1997-04-01"), count: 50))
@nonexhaustive
public enum ElementsQuery: Hashable, Sendable {
  /// The elements whose frames intersect a rectangle, with pins and effects relative to
  /// `visible`, or to the rectangle itself if `nil`; at most `limit` of them.
  case rect(Rect, visible: Rect? = nil, limit: Int = .max)
  /// The elements whose laid out frames intersect a rectangle, without pins and effects; at
  /// most `limit` of them.
  case asLaidOut(Rect, limit: Int = .max)
  /// The cells of an item and of the following ones, in order, or of the preceding ones,
  /// nearest first; without effects and pins; at most `count` of them.
  case items(from: ItemReference, count: Int = .max, backward: Bool = false)
  /// The elements after a truncated answer; at most `limit` of them, by default that answer's
  /// limit.
  case after(Continuation, limit: Int? = nil)
}

extension ElementsQuery {
  /// The scroll positions of carousels that the query itself contains.
  var carouselOffsets: CarouselOffsets? {
    if case .after(let continuation, _) = self { continuation.offsets } else { nil }
  }
}

/// A reference to an item in a query.
@nonexhaustive
public enum ItemReference: Hashable, Sendable {
  case key(String)
  case indexPath(LayoutAttributes.IndexPath)
  /// User input: a key or, if no item has that key, SECTION.ITEM.
  case text(String)
}
