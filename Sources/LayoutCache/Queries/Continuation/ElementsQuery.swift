public import CollectionLayout
public import LayoutGeometry

/// A query for elements: those of a rectangle, a run of items, or what comes behind
/// an earlier answer.
///
///     let page = try snapshot.elements(.items(from: .key("1997-04-01"), count: 50))
@nonexhaustive
public enum ElementsQuery: Hashable, Sendable {
  /// The elements whose frames intersect a rectangle, with pins and effects as in `visible`,
  /// or else in the rectangle itself; at most `limit` of them.
  case rect(Rect, visible: Rect? = nil, limit: Int = .max)
  /// The elements whose own frames intersect a rectangle, as laid out: nothing is pinned, and no
  /// effect acts; at most `limit` of them.
  case asLaidOut(Rect, limit: Int = .max)
  /// The cells of an item and of those after it, in order, or of those before it, the
  /// nearest first: without effects and pins, at most `count` of them.
  case items(from: ItemReference, count: Int = .max, backward: Bool = false)
  /// The elements after a truncated answer; at most `limit` elements, by default as many
  /// as that answer had.
  case after(Continuation, limit: Int? = nil)
}

/// How a query names an item.
@nonexhaustive
public enum ItemReference: Hashable, Sendable {
  case key(String)
  case indexPath(LayoutAttributes.IndexPath)
  /// As people write it: a key, or, where no item has that, SECTION.ITEM.
  case text(String)
}
