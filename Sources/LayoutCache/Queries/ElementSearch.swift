import CollectionLayout
import LayoutGeometry
import SumTree

/// A running query for a rectangle.
struct ElementSearch {
  let snapshot: LayoutSnapshot
  let session: TreeSession
  let state: QueryState
  /// The rectangle in canonical space.
  let rect: Rect
  /// The rectangle in content coordinates.
  let contentRect: Rect
  /// The effects of the visible bounds on cells.
  private let effects: [VisibleEffect]
  /// The effect on the cells of the present section.
  private var effect: VisibleEffect?
  /// The rectangle in which stored frames of the present section are searched, in canonical
  /// space: ``rect`` if no effect moves cells.
  private var cellRect: Rect
  /// Whether cells of the present section that are found may be outside the rectangle: for an
  /// effect, and among transformed cells.
  private var mustFilter = false
  /// Whether cells are found by their frames before any transform.
  private let ignoresTransforms: Bool
  /// The bounds to which elements are pinned; `nil` if nothing is pinned. Those of the layout
  /// come first.
  private var bounds: PinBounds?
  let limit: Int
  let start: ElementAddress
  var elements: [LayoutAttributes] = []
  /// Whether elements may be elsewhere, or not exist, for another rectangle or other visible
  /// bounds, or may have been found by their transformed frames.
  private(set) var dependsOnBounds: Bool
  /// The position of the first element beyond the limit.
  var next: ElementAddress?
  /// The position of the last custom element or element of a list, and the number of elements up
  /// to it. Its attributes do not contain the position.
  var lastOwn: (count: Int, place: ElementAddress)?

  /// - Parameters:
  ///   - pins: Whether headers and footers are pinned to the visible bounds. Effects act in either
  ///     case.
  ///   - ignoresTransforms: Whether cells are found by their frames before any transform.
  init(
    _ snapshot: LayoutSnapshot, rect: Rect, visible: Rect?, pins: Bool = true,
    ignoresTransforms: Bool = false, limit: Int, start: ElementAddress, in state: QueryState
  ) {
    self.ignoresTransforms = ignoresTransforms
    let space = snapshot.plan.space
    self.snapshot = snapshot
    session = state.session
    self.state = state
    let canonicalRect = space.canonical(rect, mainLength: snapshot.mainLength)
    self.rect = canonicalRect
    contentRect = rect
    effects = visible.map { snapshot.effects(in: $0) } ?? []
    // Visible bounds without a length have no effect, others have.
    dependsOnBounds = visible != nil && !snapshot.plan.effects.isEmpty
    cellRect = canonicalRect
    bounds = pins ? visible.map { PinBounds(snapshot.mainRange(of: $0)) } : nil
    self.limit = limit
    self.start = start
  }

  /// Returns the search after it has run.
  static func run(
    _ query: RectQuery, of snapshot: LayoutSnapshot, in state: QueryState
  ) throws -> ElementSearch {
    var search = ElementSearch(
      snapshot, rect: query.rect, visible: query.visible, limit: query.limit, start: query.start,
      in: state)
    try search.run()
    return search
  }

  /// The typical number of elements of a visible rectangle.
  private static let usualCount = 48

  mutating func run() throws {
    if rect.isEmpty { return }
    elements.reserveCapacity(min(limit, Self.usualCount))
    var range = rect.minY..<rect.maxY
    let reach = snapshot.results.summary.reach
    for effect in effects {
      let candidates = effect.candidates(for: rect.extended(by: reach))
      if !candidates.isEmpty { range = range.hull(with: candidates.minY..<candidates.maxY) }
    }
    let overhang = max(snapshot.plan.overhang, reach)
    range = (range.lowerBound - overhang)..<(range.upperBound + overhang)
    let footer = takeLayoutElements()
    var walk = SectionWalk(snapshot, in: session)
    var current = next == nil ? try firstSection(endingAfter: range.lowerBound, &walk) : nil
    state.section = current ?? state.section
    while let searched = current, searched.section.start < range.upperBound {
      try visit(searched)
      if next != nil || searched.section.end >= range.upperBound { break }
      walk.seek(section: searched.section.index + 1)
      current = try walk.advance().map { try SearchedSection($0, in: snapshot) }
    }
    if let footer { take(footer, at: .end) }
  }

  /// Appends the elements of the layout that come before the sections.
  ///
  /// - Returns: The footer, which comes after them.
  private mutating func takeLayoutElements() -> LayoutAttributes? {
    let frame = snapshot.plan.frame
    if frame.isEmpty { return nil }
    if bounds != nil && (frame.pins.header || frame.pins.footer) { dependsOnBounds = true }
    if let kind = frame.background?.kind,
      let background = snapshot.layoutElement(.decoration(kind: kind), in: &bounds)
    {
      take(background, at: .start)
    }
    let header = snapshot.layoutElement(.supplementary(kind: .layoutHeader), in: &bounds)
    if let header { take(header, at: ElementAddress(section: 0, part: .layoutHeader)) }
    return snapshot.layoutElement(.supplementary(kind: .layoutFooter), in: &bounds)
  }

  /// Appends an element with a separate address, if it intersects the rectangle.
  private mutating func take(_ element: LayoutAttributes, at place: ElementAddress) {
    guard next == nil, element.untransformedFrame.intersects(contentRect),
      (place.section, place.part, place.item) >= (start.section, start.part, start.item)
    else { return }
    guard elements.count < limit else {
      next = place
      return
    }
    elements.append(element)
  }

  /// The position of the last element; `nil` without elements.
  var last: ElementAddress? {
    if let lastOwn, lastOwn.count == elements.count { return lastOwn.place }
    return elements.last?.place
  }

  private func firstSection(
    endingAfter position: Length, _ walk: inout SectionWalk
  ) throws -> SearchedSection? {
    if let last = state.section, last.isFirst(endingAfter: position),
      last.section.index >= start.section
    {
      return last
    }
    try walk.seek(endingAfter: position, atLeast: start.section)
    return try walk.advance().map { try SearchedSection($0, in: snapshot) }
  }

  private mutating func visit(_ searched: SearchedSection) throws {
    guard searched.hasMoreThanCells else { return try takeCells(of: searched) }
    let section = searched.section
    let plan = section.plan
    if bounds != nil && plan.boundary.pins || plan.own?.rules.isEmpty == false {
      dependsOnBounds = true
    }
    let crossLength = snapshot.plan.space.crossLength
    if let background = plan.background,
      let place = section.background(crossLength: crossLength)
    {
      take(
        .decoration(kind: background.kind), of: section, at: place, zIndex: background.zIndex,
        ElementAddress(section: section.index, part: .background))
    }
    try takeElements(of: searched)
    takeBoundary(of: section, at: .top)
    try takeCells(of: searched)
    try takeCellElements(of: searched)
    takeBoundary(of: section, at: .bottom)
  }

  private mutating func takeBoundary(of section: PlacedSection, at edge: SectionBoundary.Edge) {
    for (index, element) in section.plan.boundary.elements.enumerated()
    where element.edge == edge {
      let place = section.frame.place(of: element, from: section.start, in: bounds)
      let address = ElementAddress(
        section: section.index, part: SectionPart(of: element), item: element.isListed ? index : 0)
      let count = elements.count
      take(
        .supplementary(kind: element.kind), of: section, at: place,
        zIndex: element.zIndex(in: snapshot.plan.frame), address)
      if element.isListed && elements.count > count { lastOwn = (elements.count, address) }
    }
  }

  /// Appends an element of a section itself, if it intersects the rectangle.
  ///
  /// - Parameter place: The element's frame.
  private mutating func take(
    _ category: LayoutAttributes.Category, of section: PlacedSection, at place: Rect,
    zIndex: Int, _ address: ElementAddress
  ) {
    guard next == nil, place.intersects(rect) else { return }
    take(snapshot.sectionElement(category, at: place, zIndex: zIndex, of: section), at: address)
  }

  private mutating func takeCells(of searched: SearchedSection) throws {
    if !effects.isEmpty {
      let plan = snapshot.plan.effect(of: searched.section.plan)
      effect = effects.first { $0.effect == plan?.effect }
      let reached = rect.extended(by: searched.reach)
      cellRect = effect?.candidates(for: reached) ?? reached
      // The sections visited are those that any effect may bring in.
      let section = searched.section
      if cellRect.maxY <= section.start || cellRect.minY >= section.end { return }
    }
    mustFilter = effect != nil || searched.reach > .zero
    if mustFilter { dependsOnBounds = true }
    var firstItem = 0
    if searched.section.index == start.section {
      if start.part > .cells { return }
      if start.part == .cells { firstItem = start.item }
    }
    guard next == nil, !cellRect.isEmpty else { return }
    var local = cellRect
    local.origin.y -= searched.contentStart
    let sectionItems = try snapshot.items(of: searched.section, session)
    try searched.placed.findItems(
      in: local, from: firstItem, sectionItems, into: &state.cells
    ) { cells in
      if searched.hidesCells { cells.removeAll(where: \.look.isHidden) }
      let missing = mustFilter ? .max : limit - elements.count
      return try cells.count < min(Self.runCount, missing) || take(&cells, of: searched)
    }
    if next == nil { _ = try take(&state.cells, of: searched) }
  }

  /// The number of cells appended together, to limit both look-ups in the items' tree and memory.
  private static let runCount = 64

  /// Appends the cells of a section that the effect shows, up to the limit.
  ///
  /// - Parameter cells: The cells by index; empty afterwards.
  /// - Returns: Whether to continue: the limit was not reached.
  private mutating func take(
    _ cells: inout [PlacedCell], of searched: SearchedSection
  ) throws -> Bool {
    defer { cells.removeAll(keepingCapacity: true) }
    let taken = elements.count
    if !mustFilter && cells.count > limit - taken {
      cut(beforeItem: cells[limit - taken].index, of: searched)
      cells.removeLast(cells.count - (limit - taken))
    }
    if cells.isEmpty { return next == nil }
    try snapshot.append(cells, of: searched, to: &elements, session)
    if mustFilter { keepWhatIsShown(from: taken, of: searched) }
    return next == nil
  }

  /// Applies the effect, if any, to the cells of a section from an index on, and drops those
  /// outside the rectangle or beyond the limit.
  private mutating func keepWhatIsShown(from start: Int, of searched: SearchedSection) {
    var kept = start
    for index in start..<elements.count {
      var element = elements[index]
      guard let item = element.indexPath.item else { continue }
      if let effect {
        guard effect.searches(element.untransformedFrame, for: rect) else { continue }
        effect.apply(to: &element, number: searched.section.firstItem + item)
      }
      let frame = ignoresTransforms ? element.untransformedFrame : element.frame
      guard frame.intersects(contentRect) else { continue }
      if kept == limit {
        cut(beforeItem: item, of: searched)
        break
      }
      elements[kept] = element
      kept += 1
    }
    elements.removeLast(elements.count - kept)
  }

  /// Truncates the answer before a cell.
  private mutating func cut(beforeItem item: Int, of searched: SearchedSection) {
    next = ElementAddress(section: searched.section.index, part: .cells, item: item)
  }
}

// Additional elements. They are not stored, and are neither pinned nor affected by effects.

extension ElementSearch {
  /// Appends a section's additional elements.
  mutating func takeElements(of searched: SearchedSection) throws {
    guard let own = searched.section.plan.own, !own.sectionKinds.isEmpty,
      let first = first(of: .elements, in: searched)
    else { return }
    var local = rect
    local.origin.y -= searched.contentStart
    try SectionElements(own, of: searched, in: snapshot, session).find(in: local, from: first) {
      take($0, searched, .elements, at: $1)
    }
  }

  /// Appends the additional elements of a section's cells. The cells may be outside the rectangle.
  mutating func takeCellElements(of searched: SearchedSection) throws {
    guard let own = searched.section.plan.own, !own.cellKinds.isEmpty,
      let first = first(of: .cellElements, in: searched)
    else { return }
    var local = rect
    local.origin.y -= searched.contentStart
    let around = local.inset(
      by: EdgeInsets(
        top: -own.overhang, left: -own.overhang, bottom: -own.overhang, right: -own.overhang))
    let (firstItem, firstNumber) = first.quotientAndRemainder(
      dividingBy: ElementAddress.elementsPerItem)
    let elements = try SectionElements(own, of: searched, in: snapshot, session)
    var cells: [PlacedCell] = []
    try searched.placed.findItems(
      in: around, from: firstItem, snapshot.items(of: searched.section, session), into: &cells
    ) { cells in
      defer { cells.removeAll(keepingCapacity: true) }
      for cell in cells {
        let found = try elements.elements(of: cell)
        for number in found.indices
        where !found[number].isHidden && found[number].frame.intersects(local) {
          if cell.index == firstItem && number < firstNumber { continue }
          let place = cell.index * ElementAddress.elementsPerItem + number
          guard take(found[number], searched, .cellElements, at: place) else { return false }
        }
      }
      return true
    }
  }

  /// Returns the first wanted index of a section's part; `nil` if none is wanted.
  private func first(of part: SectionPart, in searched: SearchedSection) -> Int? {
    if next != nil { return nil }
    guard searched.section.index == start.section else { return 0 }
    return start.part > part ? nil : start.part == part ? start.item : 0
  }

  /// Appends an element.
  ///
  /// - Returns: `false` if the limit was reached before it.
  private mutating func take(
    _ element: CustomElement, _ searched: SearchedSection, _ part: SectionPart, at place: Int
  ) -> Bool {
    let place = ElementAddress(section: searched.section.index, part: part, item: place)
    guard elements.count < limit else {
      next = place
      return false
    }
    elements.append(snapshot.attributes(of: element, searched.section))
    lastOwn = (elements.count, place)
    return true
  }
}
