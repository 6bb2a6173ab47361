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
  /// The elements whose frames intersect a rectangle.
  ///
  /// - Parameters:
  ///   - rect: The rectangle in the content, half-open; an empty one intersects
  ///     nothing.
  ///   - visible: The visible bounds, to which headers and footers are pinned;
  ///     `rect` where left out.
  ///   - limit: How many elements to return at most.
  ///   - start: Where an earlier answer was cut.
  /// - Throws: Only for damaged or missing nodes; ``LayoutCache/read(dataset:layout:_:)``
  ///   deals with those.
  /// - Complexity: O(sections in the rectangle · columns · log items) nodes, and
  ///   O(1) for each element returned.
  public func elements(
    in rect: Rect, visible: Rect? = nil, limit: Int = .max,
    from start: Continuation? = nil
  ) throws -> ElementsPage {
    precondition(limit > 0, "a limit is at least 1")
    let (page, work) = try query { reader in
      var search = ElementSearch(
        self, rect: rect, visible: visible ?? rect, limit: limit, start: start ?? .start,
        reader: reader)
      try search.run()
      return (search.elements, search.next)
    }
    return ElementsPage(elements: page.0, next: page.1, work: work)
  }

  /// The topmost element at a point: the one with the highest z-index, of several
  /// the last in the order of answers. Nothing is pinned.
  ///
  /// - Complexity: As ``elements(in:visible:limit:from:)`` for one point.
  public func element(at point: Point) throws -> LayoutAttributes? {
    let unit = Length(units: 1)
    let rect = Rect(origin: point, size: Size(width: unit, height: unit))
    let (elements, _) = try query { reader in
      var search = ElementSearch(
        self, rect: rect, visible: nil, limit: .max, start: .start, reader: reader)
      try search.run()
      return search.elements
    }
    return elements.reduce(nil) { topmost, element in
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
  /// The visible bounds along the main axis; `nil` where nothing is pinned.
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
    self.rect = space.canonical(rect, mainLength: snapshot.mainLength)
    self.visible = visible.map {
      let canonical = space.canonical($0, mainLength: snapshot.mainLength)
      return canonical.minY..<max(canonical.minY, canonical.maxY)
    }
    self.limit = limit
    self.start = start
    items = ItemReader(snapshot.trees.items, reader: reader)
  }

  mutating func run() throws {
    if rect.isEmpty { return }
    var walk = SectionWalk(snapshot, reader: reader)
    try walk.seek(endingAfter: rect.minY, atLeast: start.section)
    while next == nil, let section = try walk.advance(), section.start < rect.maxY {
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
    guard next == nil, case .waterfall(let plan) = section.plan.kind else { return }
    let search = try WaterfallSearch(section.result.waterfall, plan: plan, reader: reader)
    var local = rect
    local.origin.y -= contentStart
    try search.forEachItem(in: local, from: firstItem) { item in
      guard elements.count < limit else {
        next = Continuation(section: section.index, part: .cells, item: item.index)
        return false
      }
      var frame = search.frame(of: item)
      frame.origin.y += contentStart
      elements.append(
        try snapshot.cell(
          item, frame: frame, key: items.key(at: section.firstItem + item.index),
          of: section))
      return true
    }
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
  func cell(
    _ item: PlacedItem, frame: Rect, key: String, of section: PlacedSection
  ) -> LayoutAttributes {
    LayoutAttributes(
      category: .cell(key: key),
      indexPath: IndexPath(section: section.index, item: item.index), sectionKey: section.key,
      frame: plan.space.content(frame, mainLength: mainLength), column: item.column)
  }
}
