public import LayoutGeometry

/// A rule for additional elements of sections of any kind: lines for the hours below its cells, a
/// line for the present time, or badges on cells.
///
///     struct NowLine: SectionDecorator {
///       static let kind = "now"
///       let sectionKinds: Set<CustomElement.Kind> = [.decoration("now")]
///       private let y: Length
///       init(options: [String: ConfigurationValue], in space: SectionSpace) {
///         y = .points(options["y"]?.number ?? 0)
///       }
///       func elements(in rect: Rect, of section: DecoratedSection) -> [CustomElement] {
///         let line = Rect(x: 0, y: y, width: Limits.sideMax, height: 1)
///         return [CustomElement(kind: .decoration("now"), frame: line)]
///       }
///     }
///
/// Register it with `LayoutCache` in `decorators`. A section then names it in its options:
/// `"decorators": [{"kind": "now", "options": {"y": 120}}]`. A ``SectionLayout`` or
/// ``WaterfallSectionLayout`` that conforms decorates the sections of its kind without that.
///
/// Elements are not stored but computed for each query that concerns them, so a rule may have
/// any number of them. In an answer, elements of a section follow its background, and those of
/// its cells precede its footer. Pinning, effects and the scrolling of a carousel do not move
/// elements of sections; those of cells move with the cells of a carousel. Cells that are
/// hidden or have no extent have none.
///
/// Law: all results are functions of the arguments and of `self`, and `self` of the arguments of
/// `init`. No two elements of a section have the same kind and number, and no two elements of a
/// cell have the same kind.
public protocol SectionDecorator: Sendable {
  /// The rule's name in configurations.
  static var kind: String { get }

  /// The kinds of elements of a section; none by default. Different from those of all other
  /// elements of the section and its cells, and at most 64 together with ``cellKinds``.
  var sectionKinds: Set<CustomElement.Kind> { get }

  /// The kinds of elements of cells, none by default; a cell has at most one of each.
  var cellKinds: Set<CustomElement.Kind> { get }

  /// The maximum extent of elements beyond the section's content along the main axis, and of a
  /// cell's elements beyond its rectangle on any side; at most `Limits.sideMax`, 0 by default.
  /// Queries search that much further, in all sections of the layout.
  var overhang: Length { get }

  /// Whether the rule reads ``LayoutItem/data``; `false` by default. A change of an item's data is
  /// then a change of the item in contexts, although no item is placed again.
  var readsData: Bool { get }

  /// Creates the rule of a section.
  ///
  /// - Parameters:
  ///   - options: The rule's `options`, those of a kind's section for the kind itself; empty by
  ///     default.
  ///   - space: The space that the section is laid out in.
  /// - Throws: Any error; the configuration is then rejected with its description.
  init(options: [String: ConfigurationValue], in space: SectionSpace) throws

  /// Returns the section's elements that may intersect a rectangle.
  ///
  /// - Parameters:
  ///   - rect: The rectangle in canonical axes, y from the start of the section's content. For an
  ///     element that is queried by its index path, parts of the content one after another.
  ///   - section: The section's placed items.
  /// - Returns: At least the elements whose rectangles intersect `rect`, always in the same order.
  /// - Throws: Errors of `section`, which must not be caught; any other error is the query's.
  func elements(in rect: Rect, of section: DecoratedSection) throws -> [CustomElement]

  /// Returns the elements of a cell.
  ///
  /// - Parameter cell: The placed item. Its index is valid even if the kind of the section does
  ///   not read indices.
  func elements(of cell: PlacedItem) -> [CustomElement]
}

extension SectionDecorator {
  /// The default: none.
  public var sectionKinds: Set<CustomElement.Kind> { [] }
  /// The default: none.
  public var cellKinds: Set<CustomElement.Kind> { [] }
  /// The default: 0.
  public var overhang: Length { .zero }
  /// The default: `false`.
  public var readsData: Bool { false }
  /// The default: none.
  public func elements(in rect: Rect, of section: DecoratedSection) throws -> [CustomElement] { [] }
  /// The default: none.
  public func elements(of cell: PlacedItem) -> [CustomElement] { [] }
}

extension WaterfallSectionLayout where Self: SectionDecorator {
  /// Creates the rule from its options alone.
  public init(options: [String: ConfigurationValue], in space: SectionSpace) throws {
    try self.init(options: options)
  }
}

/// A section as a decorator sees it, during a query. All rectangles are in canonical axes, with y
/// from the start of the section's content. Those of a carousel are at offset 0.
public struct DecoratedSection {
  /// The content's length along the main axis.
  public let contentLength: Length
  /// The number of items, with collapsed ones.
  public let itemCount: Int
  private let found: (Rect) throws -> [PlacedItem]
  private let placed: (Int) throws -> PlacedItem?

  package init(
    contentLength: Length, itemCount: Int, found: @escaping (Rect) throws -> [PlacedItem],
    placed: @escaping (Int) throws -> PlacedItem?
  ) {
    (self.contentLength, self.itemCount) = (contentLength, itemCount)
    (self.found, self.placed) = (found, placed)
  }

  /// Returns the items whose rectangles intersect one, hidden ones included.
  ///
  /// - Returns: The items by index, without collapsed ones.
  /// - Throws: The query's error if the layout or its items can't be read.
  /// - Complexity: O(log items) nodes, and O(1) for each item.
  public func items(in rect: Rect) throws -> [PlacedItem] { try found(rect) }

  /// Returns an item by its index in the section.
  ///
  /// - Returns: `nil` if there is no such item, or if it is collapsed.
  /// - Throws: As ``items(in:)``.
  /// - Complexity: O(log items) nodes.
  public func item(at index: Int) throws -> PlacedItem? { try placed(index) }
}
