import CollectionLayout
import LayoutGeometry
import SumTree

/// One query for a rectangle while it runs.
struct ElementSearch {
  private let snapshot: LayoutSnapshot
  private let session: TreeSession
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
  private var items: ElementFinger<ItemLeaf, ElementOffset<ItemLeaf>>
  private(set) var elements: [LayoutAttributes] = []
  private(set) var next: Continuation?

  init(
    _ snapshot: LayoutSnapshot, rect: Rect, visible: Rect?, limit: Int, start: Continuation,
    in session: TreeSession
  ) {
    let space = snapshot.plan.space
    self.snapshot = snapshot
    self.session = session
    let canonicalRect = space.canonical(rect, mainLength: snapshot.mainLength)
    self.rect = canonicalRect
    contentRect = rect
    effect =
      if let visible, let effect = snapshot.plan.effect {
        VisibleEffect(
          effect, in: space, mainLength: snapshot.mainLength, itemCount: snapshot.itemCount,
          visible: visible)
      } else { nil }
    cellRect = effect?.candidates(for: canonicalRect) ?? canonicalRect
    self.visible = visible.map {
      let canonical = space.canonical($0, mainLength: snapshot.mainLength)
      return canonical.minY..<max(canonical.minY, canonical.maxY)
    }
    self.limit = limit
    self.start = start
    items = ElementFinger(snapshot.trees.items, in: session)
  }

  /// As many elements as a visible rectangle mostly has.
  private static let usualCount = 48

  mutating func run() throws {
    if rect.isEmpty { return }
    elements.reserveCapacity(min(limit, Self.usualCount))
    var walk = SectionWalk(snapshot, in: session)
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
        .background, of: section, at: place, category: .decoration(kind: background.kind))
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
    category: LayoutAttributes.Category
  ) {
    var local = rect
    local.origin.y -= section.start
    guard next == nil, place.intersects(local) else { return }
    if section.index == start.section && part < start.part { return }
    guard elements.count < limit else {
      next = Continuation(section: section.index, part: part)
      return
    }
    elements.append(snapshot.sectionElement(category, at: place, of: section))
  }

  private mutating func takeCells(of section: PlacedSection, contentStart: Length) throws {
    var firstItem = 0
    if section.index == start.section {
      if start.part > .cells { return }
      if start.part == .cells { firstItem = start.item }
    }
    guard next == nil, !cellRect.isEmpty else { return }
    var local = cellRect
    local.origin.y -= contentStart
    let content = section.result.content
    let sectionItems = snapshot.items(in: section.items, session)
    try section.plan.kind.placing.forEachItem(
      in: local, from: firstItem, of: content, sectionItems
    ) { item in
      if effect == nil && elements.count == limit { return cut(at: item, of: section) }
      var placed = item
      placed.frame.origin.y += contentStart
      let number = section.firstItem + item.index
      guard try items.seek(toElement: number) else {
        throw DamagedLayout(detail: "it has more items than its dataset")
      }
      let key = items.leaf.key(at: items.index)
      elements.append(snapshot.cell(placed, key: key, of: section))
      guard let effect else { return true }
      let last = elements.count - 1
      effect.apply(to: &elements[last], number: number)
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
