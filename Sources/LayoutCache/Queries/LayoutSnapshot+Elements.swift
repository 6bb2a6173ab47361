public import CollectionLayout
public import LayoutGeometry
import SumTree

/// The answer to a query for elements.
public struct ElementsPage: Sendable {
  /// Of a rectangle by section; in a section the background, the header, the cells by item,
  /// the footer. Of a run of items its cells in order, backward the last first.
  public var elements: [LayoutAttributes]
  /// Where the answer continues; `nil` exactly where nothing follows.
  public var next: Continuation?
  public var work: QueryWork
}

extension LayoutSnapshot {
  /// The elements whose frames intersect a rectangle: the frames that they have after
  /// the layout's effect, which may bring cells in that are stored elsewhere.
  ///
  /// - Parameters:
  ///   - rect: The rectangle in the content, half-open; an empty one intersects
  ///     nothing. Edges beyond ±2^53 units count as those bounds, here and wherever a call
  ///     takes a rectangle, a point, a size or a length.
  ///   - visible: The visible bounds, to which headers and footers are pinned, and by
  ///     which an effect acts; `rect` where left out.
  ///   - limit: How many elements to return at most.
  /// - Throws: ``LayoutCacheError`` with `limit` where `limit` is not at least 1; else
  ///   only for damaged or missing nodes, with which
  ///   ``LayoutCache/read(_:freshness:_:)`` deals.
  /// - Complexity: O(sections in the rectangle · columns · log items) nodes, and
  ///   O(1) for each element returned. With an effect, and O(1) for each cell that it
  ///   may bring in: a `coverStack` goes through all cells before the visible bounds, whatever
  ///   the limit, and returns those that later ones do not cover; a `pageTurn` has all pages
  ///   after them, so give a limit.
  public func elements(
    in rect: Rect, visible: Rect? = nil, limit: Int = .max
  ) throws -> ElementsPage {
    try elements(.rect(rect, visible: visible, limit: limit))
  }

  /// The elements whose own frames intersect a rectangle, as laid out: no header or footer is
  /// pinned, and no effect acts. For what does not depend on how far a client has scrolled, such
  /// as a picture of a whole section, or a cache of tiles.
  ///
  /// - Parameters:
  ///   - rect: As for ``elements(in:visible:limit:)``.
  ///   - limit: As there.
  /// - Throws: As there.
  /// - Complexity: O(sections in the rectangle · columns · log items) nodes, and O(1) for each
  ///   element returned.
  public func elements(asLaidOutIn rect: Rect, limit: Int = .max) throws -> ElementsPage {
    try elements(.asLaidOut(rect, limit: limit))
  }

  /// The cells of a run of items, in order: paging by item.
  ///
  ///     let page = try snapshot.elements(fromKey: "1997-04-01", count: 50)
  ///
  /// - Parameters:
  ///   - key: The key of the first item, which is among them.
  ///   - count: How many to return at most.
  ///   - backward: Whether the items before it are wanted, the nearest first.
  /// - Returns: Each cell in its own place, without effects.
  /// - Throws: ``LayoutCacheError``: `noSuchKey`, `limit` where `count` is not at least 1;
  ///   else as ``elements(in:visible:limit:)``.
  /// - Complexity: O(log items) nodes, and the leaves that hold the items; O(1) for each item.
  public func elements(
    fromKey key: String, count: Int, backward: Bool = false
  ) throws -> ElementsPage {
    try elements(.items(from: .key(key), count: count, backward: backward))
  }

  /// As ``elements(fromKey:count:backward:)``, from the item at an index path.
  public func elements(
    from path: LayoutAttributes.IndexPath, count: Int, backward: Bool = false
  ) throws -> ElementsPage {
    try elements(.items(from: .indexPath(path), count: count, backward: backward))
  }

  /// Returns the elements after a truncated answer.
  ///
  /// - Parameters:
  ///   - continuation: The answer's ``ElementsPage/next``, of this revision or an earlier one.
  ///   - limit: How many elements to return at most; by default as many as that answer.
  /// - Throws: ``LayoutCacheError``: `otherLayoutsContinuation`, `continuationIsGone`; else as
  ///   ``elements(in:visible:limit:)``.
  /// - Complexity: As the query that it continues with; at a later revision, and O(1) for each
  ///   operation that the log has had since, which are read.
  public func elements(
    after continuation: Continuation, limit: Int? = nil
  ) throws -> ElementsPage {
    try elements(.after(continuation, limit: limit))
  }

  /// The answer to a query for elements.
  ///
  /// - Throws: As the calls that ask for one kind of them.
  public func elements(_ query: ElementsQuery) throws -> ElementsPage {
    let (page, work) = try self.query { state in
      let paging = try paging(query, in: state)
      let run = try paging.run(from: paging.start, limit: paging.limit, in: state)
      return (run.elements, paging.continuation(behind: run))
    }
    return ElementsPage(elements: page.0, next: page.1, work: work)
  }

  /// A part of the answer to a query, from its beginning or continuing an earlier part: the parts
  /// one after the other are the answer.
  ///
  /// - Parameters:
  ///   - begun: The part so far, of the same query and of a snapshot with this one's incarnation
  ///     and revision; `nil` begins.
  ///   - elementsMax: The number of elements to add at most; at least 1.
  /// - Returns: The part so far with the elements and the work that were added, and whether it is
  ///   cut short of the answer. Where it is not, it is what ``elements(_:)`` returns.
  /// - Throws: As ``elements(_:)``.
  /// - Complexity: As a query for the elements that are added.
  package func elements(
    _ query: ElementsQuery, continuing begun: ElementsPage?, elementsMax: Int
  ) throws -> (page: ElementsPage, isCut: Bool) {
    var page = begun ?? ElementsPage(elements: [], next: nil, work: .none)
    let (isCut, work) = try self.query { state in
      let paging = try paging(query, in: state)
      let left = paging.limit - page.elements.count
      // Of the same revision, so the place needs no search.
      let run = try paging.run(
        from: begun?.next?.place ?? paging.start, limit: min(left, elementsMax), in: state)
      page.elements += run.elements
      page.next = paging.continuation(behind: run)
      return run.isCut && run.elements.count < left
    }
    page.work = page.work + work
    return (page, isCut)
  }

  /// The elements of a rectangle, and the place of the first that the limit has left out.
  ///
  /// - Parameters:
  ///   - visible: As for ``elements(in:visible:limit:)``; where left out nothing is pinned, and
  ///     no effect acts.
  ///   - pins: As for ``ElementSearch``.
  func run(
    in rect: Rect, visible: Rect?, pins: Bool = true, limit: Int,
    from start: ElementPlace = .start
  ) throws -> (result: (elements: [LayoutAttributes], next: ElementPlace?), work: QueryWork) {
    try query { state in
      var search = ElementSearch(
        self, rect: rect, visible: visible, pins: pins, limit: limit, start: start, in: state)
      try search.run()
      return (search.elements, search.next)
    }
  }

  /// The topmost element at a point: the one with the highest z-index, of several
  /// the last in the order of answers.
  ///
  /// - Parameters:
  ///   - point: The point in the content.
  ///   - visible: The visible bounds, to which headers and footers are pinned, and by
  ///     which an effect acts. Where left out nothing is pinned, and no effect acts.
  /// - Returns: `nil` where no element holds the point.
  /// - Complexity: As ``elements(in:visible:limit:)`` for one point, without a limit;
  ///   the memory does not depend on the number of elements there.
  public func element(at point: Point, visible: Rect? = nil) throws -> LayoutAttributes? {
    var work = QueryWork.none
    return try element(at: point, visible: visible, work: &work)
  }

  /// As the public one.
  ///
  /// - Parameter pins: As for ``ElementSearch``.
  func element(
    at point: Point, visible: Rect?, pins: Bool = true, work: inout QueryWork
  ) throws -> LayoutAttributes? {
    let unit = Length(units: 1)
    let rect = Rect(origin: point.bounded, size: Size(width: unit, height: unit))
    let visible = visible?.bounded
    var topmost: LayoutAttributes?
    var next: ElementPlace? = .start
    while let start = next {
      // In runs, because an effect may bring any number of cells to one point.
      let (run, runWork) = try run(
        in: rect, visible: visible, pins: pins, limit: Self.runCount, from: start)
      work = work + runWork
      for element in run.elements where element.zIndex >= topmost?.zIndex ?? .min {
        topmost = element
      }
      next = run.next
    }
    return topmost
  }

  /// How many of the elements at a point are looked at together.
  private static let runCount = 1024
}

extension LayoutSnapshot {
  /// The layout's effect in visible bounds; `nil` for none.
  func effect(in visible: Rect) -> VisibleEffect? {
    plan.effect.flatMap {
      VisibleEffect(
        $0, in: plan.space, mainLength: mainLength, itemCount: itemCount, visible: visible)
    }
  }

  /// The range of the main axis that a rectangle of the content takes.
  func mainRange(of rect: Rect) -> Range<Length> {
    let canonical = plan.space.canonical(rect, mainLength: mainLength)
    return canonical.minY..<max(canonical.minY, canonical.maxY)
  }

  /// A section's header or footer; `nil` where there is none.
  ///
  /// - Parameter visible: The visible bounds along the main axis, to which it is pinned.
  func supplementaryElement(
    _ kind: LayoutAttributes.SupplementaryKind, of section: PlacedSection,
    visible: Range<Length>?
  ) -> LayoutAttributes? {
    guard kind == .header || kind == .footer else { return nil }
    let place = section.place(of: kind, visible: visible, crossLength: plan.space.crossLength)
    if place.size.height == .zero { return nil }
    return sectionElement(.supplementary(kind: kind), at: place, of: section)
  }

  /// A section's background; `nil` where there is none of the kind.
  func decorationElement(_ kind: String, of section: PlacedSection) -> LayoutAttributes? {
    guard let background = section.plan.background, background.kind == kind,
      let place = section.frame.background(crossLength: plan.space.crossLength)
    else { return nil }
    return sectionElement(.decoration(kind: kind), at: place, of: section)
  }

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
