public import CollectionLayout
public import LayoutGeometry

/// The answer to a query for elements.
public struct ElementsPage: Sendable {
  /// The elements. Those of a rectangle are ordered by section, after the layout's background and
  /// header and before its footer; within a section: background, header, further elements before
  /// the cells, cells by item, further elements after them, footer. Those of a run of items are
  /// cells in order, backward from the last.
  public var elements: [LayoutAttributes]
  /// The continuation of the answer; `nil` if and only if nothing follows.
  public var next: Continuation?
  public var work: QueryWork
}

extension LayoutSnapshot {
  /// Returns the elements whose frames intersect a rectangle. Frames include the layout's
  /// effect, which may bring in cells that are stored elsewhere.
  ///
  /// - Parameters:
  ///   - rect: The rectangle in the content, half-open; an empty one intersects nothing. Edges
  ///     beyond ±2^53 units are clamped, as are all rectangles, points, sizes and lengths in
  ///     calls.
  ///   - visible: The visible bounds, to which headers and footers are pinned and effects apply;
  ///     `rect` by default.
  ///   - limit: The maximum number of elements.
  /// - Throws: ``LayoutCacheError`` with `limit` if `limit` is less than 1; otherwise only for
  ///   damaged or missing nodes, which ``LayoutCache/read(_:freshness:_:)`` handles.
  /// - Complexity: O(sections in the rectangle · columns · log items) nodes, and O(1) for each
  ///   element returned. With an effect, also O(1) for each cell that it may bring in: a
  ///   `coverStack` those of a visible length before the visible bounds; a `pageTurn` returns all
  ///   following pages, so pass a limit.
  public func elements(
    in rect: Rect, visible: Rect? = nil, limit: Int = .max
  ) throws -> ElementsPage {
    try elements(.rect(rect, visible: visible, limit: limit))
  }

  /// Returns the elements whose laid out frames intersect a rectangle, without pinned headers and
  /// footers and without effects, but with the transforms of custom kinds. Use it for results that do not depend on a client's scroll
  /// position, such as an image of a whole section, or a tile cache.
  ///
  /// - Parameters:
  ///   - rect: As for ``elements(in:visible:limit:)``.
  ///   - limit: As for ``elements(in:visible:limit:)``.
  /// - Throws: As ``elements(in:visible:limit:)``.
  /// - Complexity: O(sections in the rectangle · columns · log items) nodes, and O(1) for each
  ///   element returned.
  public func elements(asLaidOutIn rect: Rect, limit: Int = .max) throws -> ElementsPage {
    try elements(.asLaidOut(rect, limit: limit))
  }

  /// Returns the cells of a run of items, in order: paging by item.
  ///
  ///     let page = try snapshot.elements(fromKey: "1997-04-01", count: 50)
  ///
  /// - Parameters:
  ///   - key: The key of the first item, which is included.
  ///   - count: The maximum number of cells.
  ///   - backward: Whether to return the preceding items, nearest first.
  /// - Returns: The cells at their laid out positions, without effects.
  /// - Throws: ``LayoutCacheError``: `noSuchKey`, `limit` if `count` is less than 1; otherwise
  ///   as ``elements(in:visible:limit:)``.
  /// - Complexity: O(log items) nodes, and the leaves with the items; O(1) for each item.
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
  ///   - continuation: The answer's ``ElementsPage/next``, of this revision or an earlier one. Its
  ///     scroll positions of carousels and its direction apply instead of the snapshot's.
  ///   - limit: The maximum number of elements; by default that answer's limit.
  /// - Throws: ``LayoutCacheError``: `continuationMismatch`, `continuationExpired`; otherwise
  ///   as ``elements(in:visible:limit:)``.
  /// - Complexity: As the continued query; at a later revision also O(1) for each operation in
  ///   the log since then.
  public func elements(
    after continuation: Continuation, limit: Int? = nil
  ) throws -> ElementsPage {
    try elements(.after(continuation, limit: limit))
  }

  /// Returns the answer to a query for elements.
  ///
  /// - Throws: As the methods for the specific queries.
  public func elements(_ query: ElementsQuery) throws -> ElementsPage {
    if let scrolled = scrolled(for: query) { return try scrolled.elements(query) }
    let (page, work) = try self.query { state in
      let paging = try paging(query, in: state)
      let run = try paging.run(from: paging.start, limit: paging.limit, in: state)
      return (run.elements, try paging.continuation(after: run, in: state))
    }
    return ElementsPage(elements: page.0, next: page.1, work: work)
  }

  /// Returns a part of the answer to a query, from its beginning or continuing an earlier part.
  /// The concatenated parts are the answer.
  ///
  /// - Parameters:
  ///   - begun: The previous part, of the same query and of a snapshot with the same
  ///     incarnation and revision; `nil` to begin.
  ///   - elementsMax: The maximum number of elements to add; at least 1.
  /// - Returns: The previous part with the added elements and work, and whether the answer is
  ///   truncated. If not, it equals the result of ``elements(_:)``.
  /// - Throws: As ``elements(_:)``.
  /// - Complexity: As a query for the elements that are added.
  package func elements(
    _ query: ElementsQuery, continuing begun: ElementsPage?, elementsMax: Int
  ) throws -> (page: ElementsPage, isCut: Bool) {
    if let scrolled = scrolled(for: query) {
      return try scrolled.elements(query, continuing: begun, elementsMax: elementsMax)
    }
    var page = begun ?? ElementsPage(elements: [], next: nil, work: .none)
    let (isCut, work) = try self.query { state in
      let paging = try paging(query, in: state)
      let left = paging.limit - page.elements.count
      // The revision is the same, so the position needs no search.
      let run = try paging.run(
        from: begun?.next?.place ?? paging.start, limit: min(left, elementsMax), in: state)
      page.elements += run.elements
      page.next = try paging.continuation(after: run, in: state)
      return run.isCut && run.elements.count < left
    }
    page.work = page.work + work
    return (page, isCut)
  }

  /// Returns the snapshot at the scroll positions and in the direction that a continuation
  /// contains; `nil` for other queries, and if this one is there.
  private func scrolled(for query: ElementsQuery) -> LayoutSnapshot? {
    guard let continuation = query.continuation else { return nil }
    let own = scrolled(to: continuation.offsets).reading(continuation.layoutDirection)
    return own === self ? nil : own
  }

  /// Returns the elements of a rectangle, and the position of the first one beyond the limit.
  ///
  /// - Parameters:
  ///   - visible: As for ``elements(in:visible:limit:)``; without it nothing is pinned, and no
  ///     effect acts.
  ///   - pins: As for ``ElementSearch``.
  ///   - ignoresTransforms: As for ``ElementSearch``.
  func run(
    in rect: Rect, visible: Rect?, pins: Bool = true, ignoresTransforms: Bool = false, limit: Int,
    from start: ElementAddress = .start
  ) throws -> (result: (elements: [LayoutAttributes], next: ElementAddress?), work: QueryWork) {
    try query { state in
      var search = ElementSearch(
        self, rect: rect, visible: visible, pins: pins, ignoresTransforms: ignoresTransforms,
        limit: limit, start: start, in: state)
      try search.run()
      return (search.elements, search.next)
    }
  }

  /// Returns the topmost element at a point: the one with the highest z-index, of several the
  /// last in the order of answers.
  ///
  /// - Parameters:
  ///   - point: The point in the content.
  ///   - visible: The visible bounds, to which headers and footers are pinned and effects apply.
  ///     Without them nothing is pinned, and no effect acts.
  /// - Returns: `nil` if no element contains the point.
  /// - Complexity: As ``elements(in:visible:limit:)`` for one point, without a limit; memory does
  ///   not depend on the number of elements there.
  public func element(at point: Point, visible: Rect? = nil) throws -> LayoutAttributes? {
    var work = QueryWork.none
    return try element(at: point, visible: visible, work: &work)
  }

  /// As the public method.
  ///
  /// - Parameter pins: As for ``ElementSearch``.
  func element(
    at point: Point, visible: Rect?, pins: Bool = true, work: inout QueryWork
  ) throws -> LayoutAttributes? {
    let unit = Length(units: 1)
    let rect = Rect(origin: point.bounded, size: Size(width: unit, height: unit))
    let visible = visible?.bounded
    var topmost: LayoutAttributes?
    var next: ElementAddress? = .start
    while let start = next {
      // In runs, because an effect may bring any number of cells to a point.
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

  /// The number of elements per run at a point.
  private static let runCount = 1024
}

extension LayoutSnapshot {
  /// Returns the layout's effects in visible bounds: those that act there.
  func effects(in visible: Rect) -> [VisibleEffect] {
    plan.effects.compactMap {
      VisibleEffect(
        $0, in: plan.space, mainLength: mainLength, itemCount: itemCount, visible: visible)
    }
  }

  /// Returns a content rectangle's range along the main axis.
  func mainRange(of rect: Rect) -> Range<Length> {
    let canonical = plan.space.canonical(rect, mainLength: mainLength)
    return canonical.minY..<max(canonical.minY, canonical.maxY)
  }

  /// Returns the header or footer of the layout, or its background; `nil` if there is none.
  ///
  /// - Parameter bounds: The bounds to which the element is pinned, which become those of the next
  ///   level; `nil` for the unpinned position.
  func layoutElement(
    _ category: LayoutAttributes.Category, in bounds: inout PinBounds?
  ) -> LayoutAttributes? {
    let (frame, crossLength) = (plan.frame, plan.space.crossLength)
    var place: Rect
    var zIndex = 0
    switch category {
    case .supplementary(.layoutHeader) where frame.header > .zero:
      place = Rect(x: .zero, y: .zero, width: crossLength, height: frame.header)
      if frame.pins.header {
        let last = mainLength - frame.footer - frame.header
        place.origin.y =
          bounds?.pinToStart(.zero, length: frame.header, upTo: last) ?? place.origin.y
        zIndex = LayoutAttributes.pinnedZIndex
      }
    case .supplementary(.layoutFooter) where frame.footer > .zero:
      let own = mainLength - frame.footer
      place = Rect(x: .zero, y: own, width: crossLength, height: frame.footer)
      if frame.pins.footer {
        place.origin.y = bounds?.pinToEnd(own, length: frame.footer, from: frame.header) ?? own
        zIndex = LayoutAttributes.pinnedZIndex
      }
    case .decoration(let kind):
      guard let background = frame.background, background.kind == kind,
        let whole = frame.background(mainLength: mainLength, crossLength: crossLength)
      else { return nil }
      (place, zIndex) = (whole, background.zIndex)
    default: return nil
    }
    return LayoutAttributes(
      category: category, indexPath: .layout, sectionKey: "",
      frame: plan.space.content(place, mainLength: mainLength), zIndex: zIndex)
  }

  /// Returns the bounds to which the elements of sections are pinned: the visible ones less the
  /// pinned elements of the layout.
  func sectionBounds(in visible: Range<Length>?) -> PinBounds? {
    var bounds = visible.map { PinBounds($0) }
    _ = layoutElement(.supplementary(kind: .layoutHeader), in: &bounds)
    _ = layoutElement(.supplementary(kind: .layoutFooter), in: &bounds)
    return bounds
  }

  /// Returns an element of a section's boundary; `nil` if there is none of the kind.
  ///
  /// - Parameter bounds: The bounds to which the element is pinned.
  func supplementaryElement(
    _ kind: LayoutAttributes.SupplementaryKind, of section: PlacedSection, in bounds: PinBounds?
  ) -> LayoutAttributes? {
    guard let element = section.plan.boundary[kind] else { return nil }
    return sectionElement(
      .supplementary(kind: kind),
      at: section.frame.place(of: element, from: section.start, in: bounds),
      zIndex: element.zIndex(in: plan.frame), of: section)
  }

  /// Returns a section's background or decoration of a whole section; `nil` if there is none of
  /// the kind.
  func decorationElement(_ kind: String, of section: PlacedSection) -> LayoutAttributes? {
    let crossLength = plan.space.crossLength
    if let background = section.plan.background, background.kind == kind,
      let place = section.background(crossLength: crossLength)
    {
      return sectionElement(
        .decoration(kind: kind), at: place, zIndex: background.zIndex, of: section)
    }
    return section.plan.own?.decorations
      .first { $0.kind == .decoration(kind) && $0.runCount == nil }
      .map { attributes(of: $0.element(of: section.frame, crossLength: crossLength), section) }
  }

  /// Returns the attributes of an element of a section itself.
  ///
  /// - Parameter place: The element's frame in canonical space.
  func sectionElement(
    _ category: LayoutAttributes.Category, at place: Rect, zIndex: Int, of section: PlacedSection
  ) -> LayoutAttributes {
    LayoutAttributes(
      category: category, indexPath: IndexPath(section: section.index),
      sectionKey: section.key, frame: plan.space.content(place, mainLength: mainLength),
      zIndex: zIndex)
  }
}

extension LayoutAttributes {
  /// Creates the attributes of a cell.
  ///
  /// - Parameters:
  ///   - placed: The item, with its frame in canonical space from the start of the section's
  ///     content.
  ///   - contentStart: The start of that content along the main axis.
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

  /// Sets a cell's transform, of its frame in canonical space, and its values.
  mutating func set(_ extras: CellExtras, in space: LayoutSpace) {
    if !extras.transform.isIdentity { transform3D = space.content(extras.transform) }
    if !extras.values.isEmpty { values = extras.values }
  }
}

extension LayoutSnapshot {
  /// Returns the attributes of an additional element. An index below 0 is that of the section
  /// itself.
  func attributes(of element: CustomElement, _ section: PlacedSection) -> LayoutAttributes {
    var place = element.frame
    place.origin.y += section.start + section.frame.contentStart
    var attributes = LayoutAttributes(
      category: element.kind.category,
      indexPath: IndexPath(section: section.index, item: element.index < 0 ? nil : element.index),
      sectionKey: section.key, frame: plan.space.content(place, mainLength: mainLength),
      zIndex: element.zIndex)
    attributes.alpha = element.alpha
    attributes.isHidden = element.isHidden
    return attributes
  }
}
