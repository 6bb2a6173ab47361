import CollectionLayout
import LayoutGeometry
import SumTree

/// Places items by a user's rule.
struct CustomPlacer: ItemPlacer {
  let plan: CustomPlan
  /// What the rule has left behind the last item.
  fileprivate(set) var state: [Int64] = []

  mutating func take(_ item: LayoutItem, into run: inout CustomLeaf) throws {
    let placement = try plan.place(item, state: &state)
    run.append(placement, state: state)
  }
}

extension CustomPlan: ReflowingPlacing {
  var reachBack: Int { 0 }

  func placer() -> CustomPlacer { CustomPlacer(plan: self) }

  func kept(_ tree: SumTree<CustomLeaf>) -> KeptCustom { KeptCustom(tree: tree) }

  func check(_ summary: CustomSummary) throws(LimitError) { try summary.check(self) }

  func contentLength(of kept: KeptCustom) -> Length { kept.tree.summary.contentLength }

  func placer(
    at place: CustomPlace, of elements: inout ElementFinger<CustomLeaf, CustomPlace>
  ) throws -> CustomPlacer {
    CustomPlacer(plan: self, state: try state(at: place, of: &elements))
  }

  func agrees(
    _ placer: CustomPlacer, with place: CustomPlace,
    of elements: inout ElementFinger<CustomLeaf, CustomPlace>
  ) throws -> Bool { try placer.state == state(at: place, of: &elements) }

  private func state(
    at place: CustomPlace, of elements: inout ElementFinger<CustomLeaf, CustomPlace>
  ) throws -> [Int64] {
    guard try elements.seek(toElement: place.item - 1) else { return [] }
    return elements.leaf.state(behind: elements.index)
  }

  func extent(
    of items: Range<Int>, in tree: SumTree<CustomLeaf>, _ session: TreeSession
  ) throws -> Range<Int64>? {
    let anchor = try tree.place(before: items.lowerBound, CustomPlace.self, in: session).position
    var extent = CustomExtent()
    try tree.fold(items, into: &extent, in: session)
    return extent.summary.extent.map { ($0.lowerBound + anchor)..<($0.upperBound + anchor) }
  }

  func difference(
    ofElement index: Int, of stored: CustomLeaf, from fresh: CustomLeaf, number: Int
  ) -> String { "item \(number) is not where its kind places it" }
}

// MARK: - Searching

extension CustomPlan {
  /// - Complexity: The nodes whose items cover a part of the rectangle's range of the
  ///   main axis: O(log items) where items lie in order, and no bound for a rule that
  ///   puts each anywhere.
  func findItems(
    in rect: Rect, from firstItem: Int, of kept: KeptCustom, _ items: SectionItems,
    into cells: inout [PlacedCell], _ handOn: (inout [PlacedCell]) throws -> Bool
  ) throws {
    let range = rect.minY.units..<rect.maxY.units
    try kept.tree.forEachLeaf(
      from: CustomPlace(), in: items.session,
      step: { before, summary, end in
        guard end > firstItem, let extent = summary.extent else { return .skip }
        return before.position + extent.lowerBound < range.upperBound
          && before.position + extent.upperBound > range.lowerBound ? .enter : .skip
      },
      body: { leaf, before, offset in
        var anchor = before.position
        for index in 0..<leaf.count {
          let cell = PlacedCell(index: offset + index, frame: leaf.frames[index].moved(by: anchor))
          anchor += leaf.advances[index]
          if cell.index >= firstItem && cell.frame.intersects(rect) { cells.append(cell) }
        }
        return try handOn(&cells)
      })
  }

  func append(
    _ range: Range<Int>, of kept: KeptCustom, _ items: SectionItems,
    to cells: inout [PlacedCell]
  ) throws {
    try kept.tree.forEachLeaf(
      from: CustomPlace(), in: items.session,
      step: { before, _, end in
        before.item >= range.upperBound ? .stop : end > range.lowerBound ? .enter : .skip
      },
      body: { leaf, before, offset in
        var anchor = before.position
        for index in 0..<leaf.count {
          if range.contains(offset + index) {
            cells.append(
              PlacedCell(index: offset + index, frame: leaf.frames[index].moved(by: anchor)))
          }
          anchor += leaf.advances[index]
        }
        return true
      })
  }

  /// - Complexity: As a search.
  func firstItem(
    endingBehind position: Length, of kept: KeptCustom, _ items: SectionItems
  ) throws -> PlacedCell? {
    var found: PlacedCell?
    try kept.tree.forEachLeaf(
      from: CustomPlace(), in: items.session,
      step: { before, summary, _ in
        guard let extent = summary.extent else { return .skip }
        return before.position + extent.upperBound > position.units ? .enter : .skip
      },
      body: { leaf, before, offset in
        var anchor = before.position
        for index in 0..<leaf.count {
          let frame = leaf.frames[index].moved(by: anchor)
          if frame.maxY > position {
            found = PlacedCell(index: offset + index, frame: frame)
            return false
          }
          anchor += leaf.advances[index]
        }
        return true
      })
    return found
  }

  func item(at index: Int, of kept: KeptCustom, _ items: SectionItems) throws -> PlacedCell {
    let found = try kept.tree.place(at: index, from: CustomPlace(), in: items.session)
    return PlacedCell(
      index: index, frame: found.leaf.frames[found.index].moved(by: found.before.position))
  }
}

extension Rect {
  /// The rectangle further along the main axis.
  fileprivate func moved(by units: Int64) -> Rect {
    var moved = self
    moved.origin.y += Length(units: units)
    return moved
  }
}
