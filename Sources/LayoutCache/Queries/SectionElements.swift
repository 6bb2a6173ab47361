import CollectionLayout
import LayoutGeometry
import SumTree

/// The additional elements of a section of a snapshot, computed from its placed items during a
/// query. All rectangles are in canonical space, with y from the start of the section's content.
final class SectionElements {
  private let own: OwnElements
  private let snapshot: LayoutSnapshot
  private let searched: SearchedSection
  private let session: TreeSession
  /// The items with the data that rules read.
  private var items: SectionItems
  /// Created for the first filter that reads data.
  private var data: ItemDataFinger?

  init(
    _ own: OwnElements, of searched: SearchedSection, in snapshot: LayoutSnapshot,
    _ session: TreeSession
  ) throws {
    (self.own, self.snapshot, self.searched, self.session) = (own, snapshot, searched, session)
    items = try snapshot.items(of: searched.section, session, readsData: own.rulesReadData)
  }

  private var section: PlacedSection { searched.section }
  private var crossLength: Length { snapshot.plan.space.crossLength }

  /// The section as rules see it. A carousel's is not scrolled, because elements of the section
  /// do not scroll.
  private var decorated: DecoratedSection {
    DecoratedSection(
      contentLength: section.frame.contentLength, itemCount: section.itemCount,
      found: { [self] in try placedItems(in: $0) },
      placed: { [self] index in
        guard index >= 0, index < section.itemCount, try !items.isCollapsed(index) else {
          return nil
        }
        return try placed(searched.storedByIndex.item(at: index, items))
      })
  }

  private func placed(_ cell: PlacedCell) throws -> PlacedItem {
    let extras = try searched.storedByIndex.extras(of: cell, items)
    return PlacedItem(
      index: cell.index, item: try items.item(withIndex: cell.index), frame: cell.frame,
      zIndex: Int(cell.look.zIndex), alpha: cell.look.alpha, isHidden: cell.look.isHidden,
      transform: extras?.transform ?? .identity, values: extras?.values ?? [:])
  }

  private func placedItems(in rect: Rect) throws -> [PlacedItem] {
    var cells: [PlacedCell] = []
    var found: [PlacedItem] = []
    try searched.storedByIndex.findItems(in: rect, from: 0, items, into: &cells) { cells in
      for cell in cells { found.append(try placed(cell)) }
      cells.removeAll(keepingCapacity: true)
      return true
    }
    return found
  }
}

// MARK: - Elements of the section

extension SectionElements {
  /// Calls `body` with the section's elements that intersect a rectangle and are not hidden, in
  /// order, until it returns `false`.
  ///
  /// - Parameters:
  ///   - first: The first position; see ``ElementAddress/item``.
  ///   - body: Receives an element and its position.
  /// - Complexity: That of the rules; for runs, O(log items) nodes and the items of the runs at
  ///   the rectangle's extent along the main axis, in constant memory.
  func find(
    in rect: Rect, from first: Int, _ body: (CustomElement, _ place: Int) throws -> Bool
  ) throws {
    let (firstSource, rest) = first.quotientAndRemainder(
      dividingBy: ElementAddress.elementsPerSource)
    let ruleCount = own.rules.count
    for source in (0..<(ruleCount + own.decorations.count)).dropFirst(firstSource) {
      let firstNumber = source == firstSource ? rest : 0
      let start = source * ElementAddress.elementsPerSource
      if source < ruleCount {
        let found = try own.rules[source].elements(in: rect, of: decorated)
        for number in found.indices.dropFirst(firstNumber) where !found[number].isHidden {
          guard try body(found[number], start + number) else { return }
        }
        continue
      }
      let decoration = own.decorations[source - ruleCount]
      if let count = decoration.runCount {
        let goesOn = try findRuns(of: count, by: decoration, in: rect, from: firstNumber) {
          try body($0, start + $0.index)
        }
        guard goesOn else { return }
      } else if firstNumber == 0 {
        let element = decoration.element(of: section.frame, crossLength: crossLength)
        guard try !element.frame.intersects(rect) || body(element, start) else { return }
      }
    }
  }

  /// The number of items read together.
  private static let readCount = 512

  /// - Returns: Whether `body` has always returned `true`.
  private func findRuns(
    of count: Int, by decoration: DecorationPlan, in rect: Rect, from first: Int,
    _ body: (CustomElement) throws -> Bool
  ) throws -> Bool {
    guard let start = try searched.stored.firstItem(endingAfter: rect.minY, items) else {
      return true
    }
    var number = max(first, start.index / count)
    let readCount = count * max(1, Self.readCount / count)
    var end = Length.zero
    var isPast = false
    var cells: [PlacedCell] = []
    while number <= items.count / count, number * count < items.count {
      let next = number * count
      cells.removeAll(keepingCapacity: true)
      try searched.stored.append(next..<min(next + readCount, items.count), items, to: &cells)
      if cells.isEmpty { throw Damage.misplaced }
      for start in stride(from: 0, to: cells.count, by: count) {
        let run = cells[start..<min(start + count, cells.count)]
        let bounds = Self.bounds(of: run)
        // An item after the rectangle, and one after that item's line: all others are, too.
        if isPast && bounds.minY >= end { return true }
        end = max(end, bounds.maxY)
        isPast = isPast || run.contains { $0.frame.minY >= rect.maxY }
        let element = decoration.element(
          of: section.frame, crossLength: crossLength, run: (number, bounds))
        if element.frame.intersects(rect), try !body(element) { return false }
        number += 1
      }
    }
    return true
  }

  private static func bounds(of cells: ArraySlice<PlacedCell>) -> Rect {
    let frames = cells.map(\.frame)
    let x = frames.reduce(frames[0].minX) { min($0, $1.minX) }
    let y = frames.reduce(frames[0].minY) { min($0, $1.minY) }
    return Rect(
      x: x, y: y, width: frames.reduce(x) { max($0, $1.maxX) } - x,
      height: frames.reduce(y) { max($0, $1.maxY) } - y)
  }

  /// Returns an element of the section by its number.
  ///
  /// - Returns: `nil` if there is none.
  /// - Complexity: O(log items) nodes for a run; for an element of a rule, that of all elements.
  func element(_ kind: CustomElement.Kind, number: Int) throws -> CustomElement? {
    if let decoration = own.decorations.first(where: { $0.kind == kind }) {
      guard let count = decoration.runCount, number >= 0, number <= items.count / count,
        number * count < items.count
      else { return nil }
      let first = number * count
      var cells: [PlacedCell] = []
      try searched.stored.append(first..<min(first + count, items.count), items, to: &cells)
      if cells.isEmpty { throw Damage.misplaced }
      return decoration.element(
        of: section.frame, crossLength: crossLength, run: (number, Self.bounds(of: cells[...])))
    }
    var found: CustomElement?
    try forEachRuled { element in
      if element.kind == kind && element.index == number { found = element }
      return found == nil
    }
    return found
  }

  /// Calls `body` with all elements of rules until it returns `false`.
  func forEachRuled(_ body: (CustomElement) -> Bool) throws {
    for rule in own.rules where !rule.sectionKinds.isEmpty {
      try rule.forEachElement(of: decorated, body)
    }
  }

  /// Calls `body` with the numbers of all elements of a kind of rules or of runs.
  ///
  /// - Complexity: O(elements of the section).
  func forEachNumber(of kind: CustomElement.Kind, _ body: (Int) -> Void) throws {
    guard own.sectionKinds.contains(kind) else { return }
    if let decoration = own.decorations.first(where: { $0.kind == kind }) {
      guard let count = decoration.runCount else { return }
      for number in stride(from: 0, to: items.count, by: count) { body(number / count) }
      return
    }
    try forEachRuled { element in
      if element.kind == kind { body(element.index) }
      return true
    }
  }
}

// MARK: - Elements of cells

extension SectionElements {
  /// Returns the elements of a cell, with its index as their index; none for a cell that is
  /// hidden or has no extent, which no query for a rectangle finds.
  ///
  /// - Parameter kind: The kind of the element; `nil` for all.
  func elements(of cell: PlacedCell, _ kind: CustomElement.Kind? = nil) throws -> [CustomElement] {
    if cell.look.isHidden || cell.frame.isEmpty { return [] }
    let item = try placed(cell)
    // Parsed at most once, whatever the number of filters.
    var values: [FilterValue?]?
    var found = try own.elements(of: item, kind) { try matches($0, item, &values) }
    for index in found.indices { found[index].index = cell.index }
    return found
  }

  /// Returns an element of a cell by its item's index.
  ///
  /// - Returns: `nil` if there is none of the kind, no such item, or if its cell has none.
  /// - Complexity: O(log items) nodes.
  func cellElement(_ kind: CustomElement.Kind, ofItem index: Int) throws -> CustomElement? {
    guard own.cellKinds.contains(kind), (0..<section.itemCount).contains(index) else { return nil }
    return try elements(of: searched.placed.item(at: index, items), kind).first
  }

  /// - Parameter values: The members of the item's data that filters read, once they are known.
  private func matches(
    _ filter: ItemFilter, _ placed: PlacedItem, _ values: inout [FilterValue?]?
  ) throws -> Bool {
    let size = snapshot.plan.space.oriented(placed.item.size)
    let number = section.firstItem + placed.index
    return try filter.matches { field in
      switch field {
      case .key:
        let found = try snapshot.trees.items.place(at: number, in: session)
        return .text(ExactKey(found.leaf.key(at: found.index)))
      case .section: return .text(ExactKey(section.key))
      case .width: return .number(FilterNumber(size.width.points))
      case .height: return .number(FilterNumber(size.height.points))
      case .member(let name):
        let data = try data(ofItem: number)
        return data?.withBytes { own.filterMembers.value(of: name, in: $0, &values) }
      }
    }
  }

  private func data(ofItem number: Int) throws -> ItemData? {
    var finger = data.take() ?? ItemDataFinger(snapshot.trees.data, in: session)
    defer { data = finger }
    return try finger.data(ofItem: number)
  }
}
