public import CollectionLayout
public import LayoutGeometry
import SumTree

/// The answer to a query for a rectangle.
public struct ElementsPage: Sendable {
  /// By section; in a section the background, the header, the cells by item, the
  /// footer.
  public var elements: [LayoutAttributes]
  /// Where the answer goes on; `nil` where nothing was left out.
  public var next: Continuation?
  public var work: QueryWork
}

extension LayoutSnapshot {
  /// The elements whose frames intersect a rectangle: the frames that they have after
  /// the layout's effect, which may bring cells in that are stored elsewhere.
  ///
  /// - Parameters:
  ///   - rect: The rectangle in the content, half-open; an empty one intersects
  ///     nothing.
  ///   - visible: The visible bounds, to which headers and footers are pinned, and by
  ///     which an effect acts; `rect` where left out.
  ///   - limit: How many elements to return at most.
  ///   - start: Where an earlier answer was cut.
  /// - Throws: ``LayoutCacheError`` with `limit` where `limit` is not at least 1; else
  ///   only for damaged or missing nodes, with which
  ///   ``LayoutCache/read(_:freshness:_:)`` deals.
  /// - Complexity: O(sections in the rectangle · columns · log items) nodes, and
  ///   O(1) for each element returned. With an effect, and O(1) for each cell that it
  ///   may bring in: a `coverStack` stacks all cells before the visible bounds, and a
  ///   `pageTurn` all pages behind them, so give a limit.
  public func elements(
    in rect: Rect, visible: Rect? = nil, limit: Int = .max,
    from start: Continuation? = nil
  ) throws -> ElementsPage {
    try Limits.check(limit, in: 1...Int.max, as: "limit")
    return try page(in: rect, visible: visible ?? rect, limit: limit, from: start)
  }

  /// The elements whose own places intersect a rectangle: nothing is pinned, and no
  /// effect acts.
  func storedElements(in rect: Rect, limit: Int, from start: Continuation?) throws -> ElementsPage {
    try page(in: rect, visible: nil, limit: limit, from: start)
  }

  private func page(
    in rect: Rect, visible: Rect?, limit: Int, from start: Continuation?
  ) throws -> ElementsPage {
    let (page, work) = try query { state in
      var search = ElementSearch(
        self, rect: rect, visible: visible, limit: limit, start: start ?? .start, in: state)
      try search.run()
      return (search.elements, search.next)
    }
    return ElementsPage(elements: page.0, next: page.1, work: work)
  }

  /// The topmost element at a point: the one with the highest z-index, of several
  /// the last in the order of answers.
  ///
  /// - Parameters:
  ///   - point: The point in the content.
  ///   - visible: The visible bounds, to which headers and footers are pinned, and by
  ///     which an effect acts. Where left out nothing is pinned, and no effect acts.
  /// - Returns: `nil` where no element holds the point.
  /// - Complexity: As ``elements(in:visible:limit:from:)`` for one point, without a limit;
  ///   the memory does not depend on the number of elements there.
  public func element(at point: Point, visible: Rect? = nil) throws -> LayoutAttributes? {
    let unit = Length(units: 1)
    let rect = Rect(origin: point, size: Size(width: unit, height: unit))
    var topmost: LayoutAttributes?
    var next: Continuation?
    repeat {
      // In runs, because an effect may bring any number of cells to one point.
      let page = try page(in: rect, visible: visible, limit: Self.runCount, from: next)
      for element in page.elements where element.zIndex >= topmost?.zIndex ?? .min {
        topmost = element
      }
      next = page.next
    } while next != nil
    return topmost
  }

  /// How many of the elements at a point are looked at together.
  private static let runCount = 1024
}

extension LayoutSnapshot {
  /// The attributes of an element of a section itself.
  ///
  /// - Parameter place: Its rectangle in canonical space, from the section's start.
  func sectionElement(
    _ category: LayoutAttributes.Category, at place: Rect, of section: PlacedSection
  ) -> LayoutAttributes {
    var place = place
    place.origin.y += section.start
    return LayoutAttributes(
      category: category, indexPath: IndexPath(section: section.index),
      sectionKey: section.key, frame: plan.space.content(place, mainLength: mainLength),
      zIndex: section.plan.zIndex(of: category))
  }
}

extension LayoutAttributes {
  /// Creates the attributes of a cell.
  ///
  /// - Parameters:
  ///   - placed: The item, its frame in canonical space from the start of the section's
  ///     content.
  ///   - contentStart: Where that begins along the main axis.
  ///   - mainLength: The length of the whole content.
  @inline(__always)
  init(
    cell placed: PlacedCell, key: String, section: Int, sectionKey: String,
    contentStart: Length, in space: LayoutSpace, mainLength: Length
  ) {
    var frame = placed.frame
    frame.origin.y += contentStart
    self.init(
      category: .cell(key: key), indexPath: IndexPath(section: section, item: placed.index),
      sectionKey: sectionKey, frame: space.content(frame, mainLength: mainLength),
      zIndex: Int(placed.look.zIndex), column: placed.column)
    if placed.look.alpha != 1 { alpha = placed.look.alpha }
    if placed.look.isHidden { isHidden = true }
  }
}
