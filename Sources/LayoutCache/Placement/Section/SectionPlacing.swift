import CollectionLayout
import LayoutGeometry
import SumTree

/// A section's plan as what places its items: all that is done with what is kept of
/// a section.
///
/// Each way of keeping sections conforms in its own folder, and is named in
/// `SectionKinds.swift`. It sees the items by way of ``SectionItems`` and never the
/// section's place in the content: positions count from the content's start, in
/// canonical axes.
protocol SectionPlacing: Sendable {
  /// The stored result of such a section.
  associatedtype Kept: KeptSection

  /// How the section follows changes of its items.
  var following: Following { get }

  /// The stored result of no items.
  func keptOfNoItems(_ shapes: TreeShapes) -> Kept

  /// Whether the columns and such that are kept are those of the plan.
  func fits(_ kept: Kept) -> Bool

  /// Places all items, writing each node once, in constant memory.
  ///
  /// - Parameters:
  ///   - sink: Where nodes go; `nil` to keep them in memory.
  ///   - work: Receives the items and columns that were placed.
  /// - Throws: `LimitError` where the content would become too long.
  /// - Complexity: O(items · columns).
  func layOut(
    _ items: SectionItems, into sink: (any NodeSink)?, work: inout LayoutWork
  ) throws -> Kept

  /// The content's length; 0 with no items.
  ///
  /// - Throws: `LimitError` where it is too long.
  func contentLength(of kept: Kept) throws -> Length

  /// Finds the items that intersect a rectangle, by index.
  ///
  /// - Parameters:
  ///   - firstItem: The least index that is wanted.
  ///   - cells: Receives the items.
  ///   - handOn: Called each time that some have been appended, at least once for the items
  ///     of a leaf; may take them out. Returns whether to continue.
  func findItems(
    in rect: Rect, from firstItem: Int, of kept: Kept, _ items: SectionItems,
    into cells: inout [PlacedCell], _ handOn: (inout [PlacedCell]) throws -> Bool
  ) throws

  /// The item with an index, which the section has.
  ///
  /// - Complexity: O(log items) nodes.
  func item(at index: Int, of kept: Kept, _ items: SectionItems) throws -> PlacedCell

  /// Appends the items of a range, which the section has, by index.
  ///
  /// - Complexity: O(log items) nodes, and the leaves that hold the range.
  func append(
    _ range: Range<Int>, of kept: Kept, _ items: SectionItems, to cells: inout [PlacedCell]
  ) throws

  /// The first item, by index, whose frame ends after a position; `nil` where none does.
  ///
  /// - Complexity: As a search for what intersects a line across the content there.
  func firstItem(
    endingBehind position: Length, of kept: Kept, _ items: SectionItems
  ) throws -> PlacedCell?

  /// Whether what is kept is to be evened out by later commits.
  func isOverdue(_ kept: Kept) -> Bool

  /// How what is kept differs from what placing the items from scratch comes to, given
  /// what is data in it: its first difference, or `nil`.
  ///
  /// - Complexity: O(items · columns), in constant memory.
  func difference(of kept: Kept, _ items: SectionItems) throws -> String?

  /// Each column's end: its last item's, 0 without one. Empty without columns.
  func columnEnds(of kept: Kept) -> [Length]
}

/// How sections follow changes of their items.
enum Following {
  /// Each edit as it comes: where an item stands depends on what was there when it
  /// came.
  case atOnce(any ImmediatePlacing)
  /// Once, after all of them: places follow from the items as they are then.
  case afterwards(any ReplacingPlacing)
}

/// Places that follow from the items alone, so that a section moves on by any number of
/// changes at once.
protocol ReplacingPlacing: SectionPlacing {
  /// Moves on by changes of the items.
  ///
  /// - Parameter items: The items after the changes.
  /// - Returns: What that did; ``PlacementChange/isKept`` says whether `kept` is another.
  /// - Throws: `LimitError`; what reading nodes throws.
  /// - Complexity: O(log items) nodes for each hunk, and O(1) for each item that is
  ///   placed again.
  func follow(
    _ changes: ItemHunks, _ kept: inout Kept, _ items: SectionItems
  ) throws -> PlacementChange
}

/// Places that are history: items choose theirs one by one.
protocol ImmediatePlacing: SectionPlacing {
  /// Carries an edit out, whose range the section has.
  ///
  /// - Parameter view: How the section's layout sees items.
  /// - Throws: `LimitError`; what reading nodes throws.
  func apply(
    _ edit: ItemEdit, _ kept: inout Kept, _ view: ItemView, in session: TreeSession
  ) throws -> PlacementChange

  /// Continues with evening out what edits have left too uneven.
  ///
  /// - Parameter itemCountMax: The items that may be placed again, at least 1.
  /// - Throws: As ``apply(_:_:_:in:)``.
  func carryOn(
    _ kept: inout Kept, placing itemCountMax: Int, in session: TreeSession
  ) throws -> PlacementChange

  /// Puts items back to where they were.
  ///
  /// - Parameters:
  ///   - changes: Leads from `kept` to the items of `past`. What lies in no hunk has not been
  ///     placed otherwise since.
  ///   - past: The section as it was.
  /// - Throws: As ``apply(_:_:_:in:)``.
  /// - Complexity: O(log items) nodes for each hunk, and those that hold its items.
  func restore(
    _ changes: ItemHunks, _ kept: inout Kept, from past: Kept, in session: TreeSession
  ) throws -> PlacementChange

  /// Appends the bytes of what does not follow from the items, but for their columns.
  func encodeHistory(of kept: Kept, into writer: inout ByteWriter)

  /// Calls `body` with the first column of each item in order, run by run.
  func forEachRunOfColumns(
    of kept: Kept, in session: TreeSession, _ body: ([UInt8]) throws -> Void
  ) throws

  /// Places all items in the columns that they have, writing each node once, in constant
  /// memory.
  ///
  /// - Parameters:
  ///   - history: At what ``encodeHistory(of:into:)`` has written.
  ///   - nextColumn: The first column of one item after the other.
  /// - Throws: As ``layOut(_:into:work:)``; ``DamagedLayout`` for columns that there are not,
  ///   what reading the history throws, and `nextColumn`.
  func layOut(
    _ items: SectionItems, from history: inout ByteReader,
    columns nextColumn: @escaping () throws -> Int, into sink: (any NodeSink)?
  ) throws -> Kept
}

extension SectionPlacing {
  /// For kinds without empty frames: one that ends after a position then intersects all
  /// that lies after that.
  func firstItem(
    endingBehind position: Length, of kept: Kept, _ items: SectionItems
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

  func fits(_ kept: Kept) -> Bool { true }

  func isOverdue(_ kept: Kept) -> Bool { false }

  func columnEnds(of kept: Kept) -> [Length] { [] }
}

extension ReplacingPlacing {
  var following: Following { .afterwards(self) }
}

extension ImmediatePlacing {
  var following: Following { .atOnce(self) }
}
