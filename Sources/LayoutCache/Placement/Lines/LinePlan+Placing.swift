import CollectionLayout
import LayoutGeometry
import SumTree

/// Breaks a section's items into lines.
struct LinePlacer: ItemPlacer {
  private let plan: LinePlan
  private var breaker: LineBreaker
  private var length = Length.zero

  init(_ plan: LinePlan, after lengthBefore: Length? = nil) {
    self.plan = plan
    breaker = LineBreaker(plan: plan, after: lengthBefore)
  }

  /// The length of the line before the open one.
  var lengthBefore: Length? { breaker.lengthBefore }

  mutating func take(_ item: LayoutItem, into run: inout LineLeaf) throws {
    let (spacing, before) = (plan.lineSpacing, length)
    var length = before
    try breaker.take(plan.size(of: item)) { line in
      length += line.length + spacing
      try Limits.checkContent(length - spacing)
      run.append(line, spacing: spacing)
    }
    self.length = length
  }

  mutating func finish(into run: inout LineLeaf) throws {
    if let line = try breaker.last() { run.append(line, spacing: plan.lineSpacing) }
  }
}

extension LinePlan: ReflowingPlacing {
  /// A line may have room for the following item.
  var reachBack: Int { 1 }

  func placer(of items: SectionItems) -> LinePlacer { LinePlacer(self) }

  func check(_ summary: LineSummary) throws(LimitError) {
    try Limits.checkContent(summary.contentLength(spacing: lineSpacing))
  }

  func contentLength(of kept: KeptLines) -> Length {
    kept.tree.summary.contentLength(spacing: lineSpacing)
  }

  // A line depends only on its first item and the following ones, a matching last row also on
  // the line before it.

  func placer(
    of items: SectionItems, from item: Int, at line: Int,
    _ lines: inout ElementFinger<LineLeaf, LinePosition>
  ) throws -> LinePlacer {
    LinePlacer(self, after: matchesLastRow ? try length(before: line, of: &lines) : nil)
  }

  // If the placer has also ended the agreeing line, that is complete and depends on no other.
  func agrees(
    _ placer: LinePlacer, with place: LinePosition,
    of lines: inout ElementFinger<LineLeaf, LinePosition>
  ) throws -> Bool {
    guard matchesLastRow, place.element == lines.tree.count - 1 else { return true }
    return try placer.lengthBefore == length(before: place.element, of: &lines)
  }

  private func length(
    before line: Int, of lines: inout ElementFinger<LineLeaf, LinePosition>
  ) throws -> Length? {
    guard try lines.seek(toElement: line - 1) else { return nil }
    return lines.leaf.line(at: lines.index, spacing: lineSpacing).length
  }

  func extent(
    of lines: Range<Int>, in tree: SumTree<LineLeaf>, _ session: TreeSession
  ) throws -> Range<Int64>? {
    if lines.isEmpty { return nil }
    var place = try tree.place(before: lines.lowerBound, LinePosition.self, in: session)
    let start = place.position
    try tree.fold(lines, into: &place, in: session)
    return start..<max(start, place.position - lineSpacing.units)
  }

  func difference(
    ofElement index: Int, of stored: LineLeaf, from fresh: LineLeaf, number: Int
  ) -> String {
    let (line, wanted) = (
      stored.line(at: index, spacing: lineSpacing), fresh.line(at: index, spacing: lineSpacing)
    )
    return line.count != wanted.count
      ? "line \(number) has \(line.count) items instead of \(wanted.count)"
      : "line \(number) has length \(line.length) instead of \(wanted.length)"
  }
}

// MARK: - Searching

extension LinePlan {
  /// - Complexity: O(log items) nodes, and the items of the lines that the rectangle intersects.
  func findItems(
    in rect: Rect, from firstItem: Int, of kept: KeptLines, _ items: SectionItems,
    into found: inout [PlacedCell], _ handOn: (inout [PlacedCell]) throws -> Bool
  ) throws {
    let spacing = lineSpacing.units
    let start = rect.minY.units
    var items = items
    try kept.tree.forEachLeaf(
      from: LinePosition(), in: items.session,
      step: { before, summary, _ in
        if before.position >= rect.maxY.units { return .stop }
        return before.position + summary.advance - spacing > start
          && before.item + summary.itemCount > firstItem ? .enter : .skip
      },
      body: { leaf, before, _ in
        var place = copy before
        for index in 0..<leaf.count {
          if place.position >= rect.maxY.units { return false }
          let line = place
          place.pass(index, of: leaf)
          if place.position - spacing <= start || place.item <= firstItem { continue }
          let cells = try cells(of: leaf, index, at: line, kept, &items)
          for cell in cells where cell.index >= firstItem && cell.frame.intersects(rect) {
            found.append(cell)
          }
          if try !handOn(&found) { return false }
        }
        return true
      })
  }

  /// - Complexity: O(log items) nodes, and the items of its line.
  func item(at index: Int, of kept: KeptLines, _ items: SectionItems) throws -> PlacedCell {
    let found = try kept.tree.firstPlace(
      from: LinePosition(), where: { $0.item > index }, in: items.session)
    guard let found else { throw Damage(detail: "it has fewer items than its dataset") }
    var items = items
    let cells = try cells(of: found.leaf, found.index, at: found.before, kept, &items)
    return cells[index - found.before.item]
  }

  func append(
    _ range: Range<Int>, of kept: KeptLines, _ items: SectionItems,
    to found: inout [PlacedCell]
  ) throws {
    var items = items
    try kept.tree.forEachLeaf(
      from: LinePosition(), in: items.session,
      step: { before, summary, _ in
        if before.item >= range.upperBound { return .stop }
        return before.item + summary.itemCount > range.lowerBound ? .enter : .skip
      },
      body: { leaf, before, _ in
        var place = copy before
        for index in 0..<leaf.count where place.item < range.upperBound {
          let line = place
          place.pass(index, of: leaf)
          if place.item <= range.lowerBound { continue }
          let cells = try cells(of: leaf, index, at: line, kept, &items)
          found += cells.filter { range.contains($0.index) }
        }
        return place.item < range.upperBound
      })
  }

  /// - Complexity: O(log items) nodes, and the items of the first line that ends after the
  ///   position.
  func firstItem(
    endingAfter position: Length, of kept: KeptLines, _ items: SectionItems
  ) throws -> PlacedCell? {
    let spacing = lineSpacing.units
    var items = items
    var found: PlacedCell?
    try kept.tree.forEachLeaf(
      from: LinePosition(), in: items.session,
      step: { before, summary, _ in
        before.position + summary.advance - spacing > position.units ? .enter : .skip
      },
      body: { leaf, before, _ in
        var place = copy before
        for index in 0..<leaf.count where found == nil {
          let line = place
          place.pass(index, of: leaf)
          if place.position - spacing <= position.units { continue }
          let cells = try cells(of: leaf, index, at: line, kept, &items)
          found = cells.first { $0.frame.maxY > position }
        }
        return found == nil
      })
    return found
  }

  private func cells(
    of leaf: LineLeaf, _ index: Int, at place: LinePosition, _ kept: KeptLines,
    _ items: inout SectionItems
  ) throws -> [PlacedCell] {
    let line = leaf.line(at: index, spacing: lineSpacing)
    var sizes: [Size] = []
    sizes.reserveCapacity(line.count)
    for item in place.item..<(place.item + line.count) {
      sizes.append(size(of: try items.item(at: item)))
    }
    let frames = frames(
      of: sizes, length: line.length, isLast: place.element == kept.tree.count - 1)
    return frames.enumerated().map { offset, frame in
      var frame = frame
      frame.origin.y += Length(units: place.position)
      return PlacedCell(index: place.item + offset, frame: frame)
    }
  }
}
