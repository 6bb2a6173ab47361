import CollectionLayout
import LayoutGeometry
import SumTree

/// The operations of a section's plan on a stored section.
///
/// Each section kind conforms in a separate folder, and is registered in `SectionKinds.swift`.
/// It accesses items only through ``SectionItems``, and does not know the section's position in
/// the content: positions are relative to the content's start, in canonical axes.
protocol SectionPlacing: Sendable {
  /// The stored result of such a section.
  associatedtype Kept: StoredSection

  /// The way the section is updated after changes of its items.
  var following: Following { get }

  /// The stored result of a section without items.
  func keptOfNoItems(_ shapes: TreeShapes) -> Kept

  /// Returns whether a stored section matches the plan, for example in its column count.
  func fits(_ kept: Kept) -> Bool

  /// Places all items, writing each node once, in constant memory.
  ///
  /// - Parameters:
  ///   - sink: The destination of nodes; `nil` to keep them in memory.
  ///   - work: Incremented by the placed items and columns.
  /// - Throws: `LimitError` if the content would be too long.
  /// - Complexity: O(items · columns).
  func layOut(
    _ items: SectionItems, into sink: (any NodeSink)?, work: inout LayoutWork
  ) throws -> Kept

  /// Returns the content's length; 0 without items.
  ///
  /// - Throws: `LimitError` if it is too long.
  func contentLength(of kept: Kept) throws -> Length

  /// Finds the items that intersect a rectangle, by index.
  ///
  /// - Parameters:
  ///   - firstItem: The lowest index to return.
  ///   - cells: Receives the items.
  ///   - handOn: Called whenever cells have been appended, at least once per leaf; may remove
  ///     them. Returns whether to continue.
  func findItems(
    in rect: Rect, from firstItem: Int, of kept: Kept, _ items: SectionItems,
    into cells: inout [PlacedCell], _ handOn: (inout [PlacedCell]) throws -> Bool
  ) throws

  /// Returns the item with an existing index.
  ///
  /// - Complexity: O(log items) nodes.
  func item(at index: Int, of kept: Kept, _ items: SectionItems) throws -> PlacedCell

  /// Appends the items of an existing range, by index.
  ///
  /// - Complexity: O(log items) nodes, and the leaves that hold the range.
  func append(
    _ range: Range<Int>, of kept: Kept, _ items: SectionItems, to cells: inout [PlacedCell]
  ) throws

  /// Returns the first item, by index, whose frame ends after a position; `nil` if there is none.
  ///
  /// - Complexity: As a search for the items that intersect a line across the content.
  func firstItem(
    endingAfter position: Length, of kept: Kept, _ items: SectionItems
  ) throws -> PlacedCell?

  /// Returns the transform and the values of the item with an existing index; `nil` for most.
  ///
  /// - Complexity: O(log items) nodes.
  func extras(at index: Int, of kept: Kept, _ items: SectionItems) throws -> CellExtras?

  /// Whether later commits should rebalance the stored section.
  func isOverdue(_ kept: Kept) -> Bool

  /// Returns the next item of an unfinished rebalance to the section's end; `nil` without one.
  func nextRebalanced(_ kept: Kept) -> Int?

  /// Returns the first difference between a stored section and the items placed from scratch,
  /// given the section's history; `nil` if there is none.
  ///
  /// - Complexity: O(items · columns), in constant memory.
  func difference(of kept: Kept, _ items: SectionItems) throws -> String?

  /// Returns each column's end: that of its last item, 0 without items. Empty for kinds without
  /// columns.
  func columnEnds(of kept: Kept) -> [Length]

  /// Returns the length of the content across the main axis, with its insets, if it scrolls
  /// independently; `nil` for other kinds.
  func scrollLength(of kept: Kept) -> Length?
}

/// The way a section is updated after changes of its items.
enum Following {
  /// Edit by edit: an item's position depends on the state when it was inserted.
  case atOnce(WaterfallPlan)
  /// Once, after all edits: positions depend only on the resulting items.
  case afterwards(any ReplacingPlacing)
}

/// A kind whose positions depend only on the items, so that any number of changes can be
/// applied in one step.
protocol ReplacingPlacing: SectionPlacing {
  /// Updates a stored section after changes of the items.
  ///
  /// - Parameter items: The items after the changes.
  /// - Returns: The effect; ``PlacementChange/hasNewContent`` is whether `kept` has changed.
  /// - Throws: `LimitError`; errors of reading nodes.
  /// - Complexity: O(log items) nodes for each hunk, and O(1) for each item that is placed again.
  func follow(
    _ changes: ItemHunks, _ kept: inout Kept, _ items: SectionItems
  ) throws -> PlacementChange
}

extension SectionPlacing {
  /// For kinds without empty frames: an item that ends after a position intersects the area
  /// after it.
  func firstItem(
    endingAfter position: Length, of kept: Kept, _ items: SectionItems
  ) throws -> PlacedCell? {
    let far = Limits.contentLengthMax
    let start = max(position, .zero)
    if start >= far { return nil }
    var cells: [PlacedCell] = []
    try findItems(
      in: Rect(x: .zero, y: start, width: far, height: far - start), from: 0, of: kept, items,
      into: &cells
    ) { $0.isEmpty }
    return cells.first
  }

  func extras(at index: Int, of kept: Kept, _ items: SectionItems) throws -> CellExtras? { nil }

  func fits(_ kept: Kept) -> Bool { true }

  func isOverdue(_ kept: Kept) -> Bool { false }

  func nextRebalanced(_ kept: Kept) -> Int? { nil }

  func columnEnds(of kept: Kept) -> [Length] { [] }

  func scrollLength(of kept: Kept) -> Length? { nil }
}

extension ReplacingPlacing {
  var following: Following { .afterwards(self) }
}
