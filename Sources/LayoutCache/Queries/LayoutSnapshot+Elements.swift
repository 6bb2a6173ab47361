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
  /// - Throws: Only for damaged or missing nodes; ``LayoutCache/read(dataset:layout:freshness:_:)``
  ///   deals with those.
  /// - Complexity: O(sections in the rectangle · columns · log items) nodes, and
  ///   O(1) for each element returned. With an effect, and O(1) for each cell that it
  ///   may bring in: a `coverStack` stacks all cells before the visible bounds, and a
  ///   `pageTurn` all pages behind them, so give a limit.
  public func elements(
    in rect: Rect, visible: Rect? = nil, limit: Int = .max,
    from start: Continuation? = nil
  ) throws -> ElementsPage {
    precondition(limit > 0, "a limit is at least 1")
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
    let (page, work) = try query { reader in
      var search = ElementSearch(
        self, rect: rect, visible: visible, limit: limit, start: start ?? .start, reader: reader)
      try search.run()
      return (search.elements, search.next)
    }
    return ElementsPage(elements: page.0, next: page.1, work: work)
  }

  /// The topmost element at a point: the one with the highest z-index, of several
  /// the last in the order of answers. Nothing is pinned, and no effect acts.
  ///
  /// - Complexity: As ``elements(in:visible:limit:from:)`` for one point.
  public func element(at point: Point) throws -> LayoutAttributes? {
    let unit = Length(units: 1)
    let rect = Rect(origin: point, size: Size(width: unit, height: unit))
    return try page(in: rect, visible: nil, limit: .max, from: nil).elements.reduce(nil) {
      topmost, element in
      guard let topmost, topmost.zIndex > element.zIndex else { return element }
      return topmost
    }
  }
}

/// One query for a rectangle while it runs.
private struct ElementSearch {
  private let snapshot: LayoutSnapshot
  private let reader: TreeReader
  /// The rectangle in canonical space.
  private let rect: Rect
  /// As ``rect``, in the content.
  private let contentRect: Rect
  private let effect: VisibleEffect?
  /// Where stored frames are wanted, in canonical space: ``rect``, if no effect moves
  /// them.
  private let cellRect: Rect
  /// The visible bounds along the main axis; `nil` where nothing is pinned, and no
  /// effect acts.
  private let visible: Range<Length>?
  private let limit: Int
  private let start: Continuation
  private var items: ItemReader
  private(set) var elements: [LayoutAttributes] = []
  private(set) var next: Continuation?

  init(
    _ snapshot: LayoutSnapshot, rect: Rect, visible: Rect?, limit: Int, start: Continuation,
    reader: TreeReader
  ) {
    let space = snapshot.plan.space
    self.snapshot = snapshot
    self.reader = reader
    let canonicalRect = space.canonical(rect, mainLength: snapshot.mainLength)
    self.rect = canonicalRect
    contentRect = rect
    effect =
      if let visible, let effect = snapshot.plan.effect {
        VisibleEffect(effect, in: space, mainLength: snapshot.mainLength, visible: visible)
      } else { nil }
    cellRect = effect?.candidates(for: canonicalRect) ?? canonicalRect
    self.visible = visible.map {
      let canonical = space.canonical($0, mainLength: snapshot.mainLength)
      return canonical.minY..<max(canonical.minY, canonical.maxY)
    }
    self.limit = limit
    self.start = start
    items = ItemReader(snapshot.trees.items, reader: reader)
  }

  /// As many elements as a visible rectangle mostly has.
  private static let usualCount = 48

  mutating func run() throws {
    if rect.isEmpty { return }
    elements.reserveCapacity(min(limit, Self.usualCount))
    var walk = SectionWalk(snapshot, reader: reader)
    var range = rect.minY..<rect.maxY
    if !cellRect.isEmpty { range = range.hull(with: cellRect.minY..<cellRect.maxY) }
    try walk.seek(endingAfter: range.lowerBound, atLeast: start.section)
    while next == nil, let section = try walk.advance(), section.start < range.upperBound {
      try visit(section)
    }
  }

  private mutating func visit(_ section: PlacedSection) throws {
    let frame = section.frame
    let plan = section.plan
    let crossLength = snapshot.plan.space.crossLength
    if let background = plan.background,
      let place = frame.background(crossLength: crossLength)
    {
      take(
        .background, of: section, at: place, category: .decoration(kind: background.kind),
        zIndex: background.zIndex)
    }
    let headerStart = visible.map { frame.headerStart(visibleStart: $0.lowerBound - section.start) }
    take(
      .header, of: section,
      at: Rect(x: .zero, y: headerStart ?? .zero, width: crossLength, height: plan.header),
      category: .supplementary(kind: .header))
    try takeCells(of: section, contentStart: section.start + frame.contentStart)
    let footerStart = visible.map { frame.footerStart(visibleEnd: $0.upperBound - section.start) }
    take(
      .footer, of: section,
      at: Rect(
        x: .zero, y: footerStart ?? frame.footerStart, width: crossLength, height: plan.footer),
      category: .supplementary(kind: .footer))
  }

  /// Takes an element of a section itself, if it lies in the rectangle.
  ///
  /// - Parameter place: Its rectangle from the section's start.
  private mutating func take(
    _ part: SectionPart, of section: PlacedSection, at place: Rect,
    category: LayoutAttributes.Category, zIndex: Int = 0
  ) {
    var local = rect
    local.origin.y -= section.start
    guard next == nil, place.intersects(local) else { return }
    if section.index == start.section && part < start.part { return }
    guard elements.count < limit else {
      next = Continuation(section: section.index, part: part)
      return
    }
    elements.append(snapshot.sectionElement(category, at: place, of: section, zIndex: zIndex))
  }

  private mutating func takeCells(of section: PlacedSection, contentStart: Length) throws {
    var firstItem = 0
    if section.index == start.section {
      if start.part > .cells { return }
      if start.part == .cells { firstItem = start.item }
    }
    guard next == nil, !cellRect.isEmpty else { return }
    let search = try snapshot.search(section, reader: reader)
    var local = cellRect
    local.origin.y -= contentStart
    try search.forEachItem(in: local, from: firstItem) { item in
      if effect == nil && elements.count == limit { return cut(at: item, of: section) }
      var placed = item
      placed.frame.origin.y += contentStart
      let number = section.firstItem + item.index
      elements.append(snapshot.cell(placed, key: try items.key(at: number), of: section))
      guard let effect else { return true }
      let last = elements.count - 1
      effect.apply(to: &elements[last], isFirstCell: number == 0)
      if !elements[last].frame.intersects(contentRect) {
        elements.removeLast()
      } else if elements.count > limit {
        elements.removeLast()
        return cut(at: item, of: section)
      }
      return true
    }
  }
}

extension ElementSearch {
  /// Ends the answer before a cell.
  ///
  /// - Returns: `false`.
  private mutating func cut(at item: PlacedCell, of section: PlacedSection) -> Bool {
    next = Continuation(section: section.index, part: .cells, item: item.index)
    return false
  }
}

extension LayoutSnapshot {
  /// The attributes of an element of a section itself.
  ///
  /// - Parameter place: Its rectangle in canonical space, from the section's start.
  func sectionElement(
    _ category: LayoutAttributes.Category, at place: Rect, of section: PlacedSection,
    zIndex: Int = 0
  ) -> LayoutAttributes {
    var place = place
    place.origin.y += section.start
    return LayoutAttributes(
      category: category, indexPath: IndexPath(section: section.index),
      sectionKey: section.key, frame: plan.space.content(place, mainLength: mainLength),
      zIndex: zIndex)
  }

  /// A cell's attributes from its rectangle in canonical space.
  ///
  /// - Parameter placed: The item, its frame from the content's leading edge.
  func cell(_ placed: PlacedCell, key: String, of section: PlacedSection) -> LayoutAttributes {
    LayoutAttributes(
      category: .cell(key: key),
      indexPath: IndexPath(section: section.index, item: placed.index),
      sectionKey: section.key,
      frame: plan.space.content(placed.frame, mainLength: mainLength), column: placed.column)
  }
}
