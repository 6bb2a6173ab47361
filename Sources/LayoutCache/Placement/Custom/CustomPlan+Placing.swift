import CollectionLayout
import LayoutGeometry
import SumTree

/// Places items with a user-defined rule.
struct CustomPlacer: ItemPlacer {
  private let plan: CustomPlan
  /// The number of items in the section.
  private let count: Int
  /// The index of the next item to place.
  private var next: Int
  /// The items from `next` on that have been taken, up to the rule's look-ahead.
  private var waiting: [LayoutItem] = []
  /// The rule's state after the last item placed.
  fileprivate private(set) var state: [Int64]
  /// The anchor before the next item; `nil` if unknown.
  private var anchor: Length?

  fileprivate init(
    _ plan: CustomPlan, of items: SectionItems, from item: Int, state: [Int64], anchor: Length?
  ) {
    self.plan = plan
    count = items.count
    next = item
    self.state = state
    self.anchor = anchor
  }

  mutating func take(_ item: LayoutItem, into run: inout CustomLeaf) throws {
    if plan.lookahead == 0 { return try place(item, into: &run) }
    waiting.append(item)
    if waiting.count > plan.lookahead { try place(waiting.removeFirst(), into: &run) }
  }

  mutating func finish(into run: inout CustomLeaf) throws {
    while !waiting.isEmpty { try place(waiting.removeFirst(), into: &run) }
  }

  private mutating func place(_ item: LayoutItem, into run: inout CustomLeaf) throws {
    do {
      let placement = try plan.place(
        item, index: next, of: count, before: waiting[...], state: &state)
      if let anchor {
        try plan.check(start: anchor + placement.frame.minY)
        self.anchor = anchor + placement.advance
      }
      run.append(placement, state: state)
    } catch {
      throw LayoutRefusal(index: next, reason: error)
    }
    next += 1
  }
}

extension CustomPlan: ReflowingPlacing {
  var reachBack: Int { lookahead }

  var readsIndex: Bool { reads.contains(.index) }

  func concerned(by changes: ItemHunks) -> ItemHunks {
    reads.contains(.count) && changes.growth != 0 ? changes.ofAllItems : changes
  }

  func placer(of items: SectionItems) -> CustomPlacer {
    CustomPlacer(self, of: items, from: 0, state: [], anchor: .zero)
  }

  func check(_ summary: CustomSummary) throws(LimitError) { try summary.check(self) }

  func check(_ tree: SumTree<CustomLeaf>, in session: TreeSession) throws {
    do {
      try check(tree.summary)
    } catch {
      // An item placed earlier may have moved before the content's start.
      let place = try tree.firstPlace(
        from: CustomExtent(), where: { $0.summary.extent?.lowerBound ?? 0 < 0 }, in: session)
      guard let place else { throw error }
      throw LayoutRefusal(index: place.offset, reason: error)
    }
  }

  func contentLength(of kept: KeptCustom) throws -> Length {
    let summary = kept.tree.summary
    return try contentLength(itemsEnd: summary.itemsEnd, anchor: summary.anchor)
  }

  func placer(
    of items: SectionItems, from item: Int, at element: Int,
    _ elements: inout ElementFinger<CustomLeaf, CustomPosition>
  ) throws -> CustomPlacer {
    CustomPlacer(
      self, of: items, from: item, state: try state(before: item, of: &elements), anchor: nil)
  }

  func agrees(
    _ placer: CustomPlacer, with place: CustomPosition,
    of elements: inout ElementFinger<CustomLeaf, CustomPosition>
  ) throws -> Bool { try placer.state == state(before: place.item, of: &elements) }

  private func state(
    before item: Int, of elements: inout ElementFinger<CustomLeaf, CustomPosition>
  ) throws -> [Int64] {
    guard try elements.seek(toElement: item - 1) else { return [] }
    return elements.leaf.state(after: elements.index)
  }

  func extent(
    of items: Range<Int>, in tree: SumTree<CustomLeaf>, _ session: TreeSession
  ) throws -> Range<Int64>? {
    let anchor = try tree.place(before: items.lowerBound, CustomPosition.self, in: session).position
    var extent = CustomExtent()
    try tree.fold(items, into: &extent, in: session)
    let reach = extent.summary.reach
    return extent.summary.extent.map {
      ($0.lowerBound + anchor - reach)..<($0.upperBound + anchor + reach)
    }
  }

  func difference(
    ofElement index: Int, of stored: CustomLeaf, from fresh: CustomLeaf, number: Int
  ) -> String { "item \(number) differs from its kind's placement" }
}

// MARK: - Searching

extension CustomPlan {
  /// Also finds transformed cells near the rectangle, which may be in it.
  ///
  /// - Complexity: The nodes whose items intersect the rectangle's range of the main axis:
  ///   O(log items) if items are in order, unbounded for a rule that places items anywhere.
  func findItems(
    in rect: Rect, from firstItem: Int, of kept: KeptCustom, _ items: SectionItems,
    into cells: inout [PlacedCell], _ handOn: (inout [PlacedCell]) throws -> Bool
  ) throws {
    let range = rect.minY.units..<rect.maxY.units
    try kept.tree.forEachLeaf(
      from: CustomPosition(), in: items.session,
      step: { before, summary, end in
        end > firstItem && summary.mayReach(range, from: before.position) ? .enter : .skip
      },
      body: { leaf, before, offset in
        var anchor = before.position
        for index in 0..<leaf.count {
          let cell = leaf.cell(index, number: offset + index, from: anchor)
          anchor += leaf.advances[index]
          guard cell.index >= firstItem else { continue }
          if cell.frame.intersects(rect) || leaf.mayReach(rect, index, cell) { cells.append(cell) }
        }
        return try handOn(&cells)
      })
  }

  func append(
    _ range: Range<Int>, of kept: KeptCustom, _ items: SectionItems,
    to cells: inout [PlacedCell]
  ) throws {
    try kept.tree.forEachLeaf(
      from: CustomPosition(), in: items.session,
      step: { before, _, end in
        before.item >= range.upperBound ? .stop : end > range.lowerBound ? .enter : .skip
      },
      body: { leaf, before, offset in
        var anchor = before.position
        for index in 0..<leaf.count {
          if range.contains(offset + index) {
            cells.append(leaf.cell(index, number: offset + index, from: anchor))
          }
          anchor += leaf.advances[index]
        }
        return true
      })
  }

  /// - Complexity: As a search.
  func firstItem(
    endingAfter position: Length, of kept: KeptCustom, _ items: SectionItems
  ) throws -> PlacedCell? {
    var found: PlacedCell?
    try kept.tree.forEachLeaf(
      from: CustomPosition(), in: items.session,
      step: { before, summary, _ in
        guard let extent = summary.extent else { return .skip }
        return before.position + extent.upperBound > position.units ? .enter : .skip
      },
      body: { leaf, before, offset in
        var anchor = before.position
        for index in 0..<leaf.count {
          let cell = leaf.cell(index, number: offset + index, from: anchor)
          if cell.frame.maxY > position {
            found = cell
            return false
          }
          anchor += leaf.advances[index]
        }
        return true
      })
    return found
  }

  func item(at index: Int, of kept: KeptCustom, _ items: SectionItems) throws -> PlacedCell {
    let found = try kept.tree.place(at: index, from: CustomPosition(), in: items.session)
    return found.leaf.cell(found.index, number: index, from: found.before.position)
  }

  func extras(at index: Int, of kept: KeptCustom, _ items: SectionItems) throws -> CellExtras? {
    let found = try kept.tree.place(at: index, in: items.session)
    return found.leaf.extras(at: found.index)
  }
}

extension CustomLeaf {
  /// Returns whether the transform of an item's cell may move it into a rectangle.
  fileprivate func mayReach(_ rect: Rect, _ index: Int, _ cell: PlacedCell) -> Bool {
    guard cell.look.hasExtras, let transform = extras(at: index)?.transform else { return false }
    return cell.frame.extended(by: transform.reach(beyond: cell.frame)).intersects(rect)
  }

  /// Returns an item's cell, given the anchor before it.
  fileprivate func cell(_ index: Int, number: Int, from anchor: Int64) -> PlacedCell {
    var frame = frames[index]
    frame.origin.y += Length(units: anchor)
    return PlacedCell(index: number, frame: frame, look: look(at: index))
  }
}
