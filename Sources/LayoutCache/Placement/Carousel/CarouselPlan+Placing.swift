import CollectionLayout
import LayoutGeometry
import SumTree

struct CarouselPlacer: ItemPlacer {
  private let plan: CarouselPlan
  private var width = Length.zero

  fileprivate init(_ plan: CarouselPlan) { self.plan = plan }

  mutating func take(_ item: LayoutItem, into run: inout CarouselLeaf) throws {
    let size = try plan.size(of: item)
    width += size.width
    try Limits.checkContent(width)
    width += plan.spacing
    run.append(size, spacing: plan.spacing)
  }
}

extension CarouselPlan: TreePlacing {
  func placer(of items: SectionItems) -> CarouselPlacer { CarouselPlacer(self) }

  func check(_ summary: CarouselSummary) throws(LimitError) {
    try Limits.checkContent(summary.width(spacing: spacing))
  }

  func contentLength(of kept: KeptCarousel) throws -> Length {
    try check(kept.tree.summary)
    return kept.tree.summary.contentLength
  }

  func scrollLength(of kept: KeptCarousel) -> Length? {
    leading + kept.tree.summary.width(spacing: spacing) + trailing
  }

  func difference(
    ofElement index: Int, of stored: CarouselLeaf, from fresh: CarouselLeaf, number: Int
  ) -> String {
    let (size, wanted) = (
      stored.size(at: index, spacing: spacing), fresh.size(at: index, spacing: spacing)
    )
    return size.width != wanted.width
      ? "item \(number) has width \(size.width) instead of \(wanted.width)"
      : "item \(number) has length \(size.height) instead of \(wanted.height)"
  }
}

// MARK: - Changes

extension CarouselPlan: ReplacingPlacing {
  /// - Complexity: O(log items) nodes for each hunk, and O(1) for each of its items: no other
  ///   item is placed again.
  func follow(
    _ changes: ItemHunks, _ kept: inout KeptCarousel, _ items: SectionItems
  ) throws -> PlacementChange {
    var items = items
    var change = PlacementChange()
    change.hasNewContent = false
    let before = kept.tree.summary
    for (number, hunk) in changes.hunks.enumerated() {
      let start = hunk.new.lowerBound
      let old = start..<(start + hunk.old.count)
      var placer = placer(of: items)
      var run = CarouselLeaf()
      for index in hunk.new { try placer.take(items.item(at: index), into: &run) }
      change.recomputedItems += run.count
      let replaced = try replace(old, with: run, of: &kept, in: items.session)
      change.hasNewContent = change.hasNewContent || replaced.isDifferent
      let isRenumbered = changes.shift(after: number) != changes.shift(after: number - 1)
      let movesFollowing = replaced.movesFollowing || isRenumbered
      change.note(items: start..<(movesFollowing ? changes.count : hunk.new.upperBound))
    }
    try check(kept.tree.summary)
    // Equal items in another order have new positions too.
    guard change.hasNewContent || changes.isReordered else { return change }
    let after = kept.tree.summary
    // All items are aligned with the longest.
    if crossAlignment != .top && before.longest != after.longest {
      change.note(items: 0..<changes.count)
    }
    change.note(interval: 0..<max(before.longest, after.longest))
    return change
  }

  /// Replaces a range of items, except leading ones equal to their replacements.
  ///
  /// - Returns: Whether any is different, and whether the items after the range have moved.
  private func replace(
    _ range: Range<Int>, with run: CarouselLeaf, of kept: inout KeptCarousel,
    in session: TreeSession
  ) throws -> (isDifferent: Bool, movesFollowing: Bool) {
    var old = ElementFinger(kept.tree, in: session)
    var equal = 0
    while equal < min(run.count, range.count),
      try old.seek(toElement: range.lowerBound + equal),
      run.isElement(equal, equalTo: old.index, of: old.leaf)
    {
      equal += 1
    }
    if equal == run.count && equal == range.count { return (false, false) }
    let rest = (range.lowerBound + equal)..<range.upperBound
    var passed = CarouselPosition()
    try kept.tree.fold(rest, into: &passed, in: session)
    let replacement = run.slice(equal..<run.count)
    try kept.tree.replaceSubrange(rest, with: replacement, in: session)
    return (true, passed.start != replacement.summary.advance)
  }
}

// MARK: - Searching

extension CarouselPlan {
  /// - Complexity: O(log items) nodes, and the items that intersect the rectangle's range
  ///   across the main axis.
  func findItems(
    in rect: Rect, from firstItem: Int, of kept: KeptCarousel, _ items: SectionItems,
    into cells: inout [PlacedCell], _ handOn: (inout [PlacedCell]) throws -> Bool
  ) throws {
    // From the first item's start.
    let range = (rect.minX - leading).units..<(max(rect.minX, rect.maxX) - leading).units
    let gap = spacing.units
    let longest = kept.tree.summary.contentLength
    try kept.tree.forEachLeaf(
      from: CarouselPosition(), in: items.session,
      step: { before, summary, end in
        if before.start >= range.upperBound { return .stop }
        return end > firstItem && before.start + summary.advance - gap > range.lowerBound
          ? .enter : .skip
      },
      body: { leaf, before, _ in
        var place = copy before
        for index in 0..<leaf.count {
          if place.start >= range.upperBound { break }
          let item = place
          place.pass(index, of: leaf)
          if place.start - gap <= range.lowerBound || item.item < firstItem { continue }
          let cell = cell(index, of: leaf, at: item, longest: longest)
          if cell.frame.intersects(rect) { cells.append(cell) }
        }
        return try handOn(&cells)
      })
  }

  /// - Complexity: O(log items) nodes.
  func item(at index: Int, of kept: KeptCarousel, _ items: SectionItems) throws -> PlacedCell {
    let found = try kept.tree.place(at: index, from: CarouselPosition(), in: items.session)
    return cell(
      found.index, of: found.leaf, at: found.before, longest: kept.tree.summary.contentLength)
  }

  func append(
    _ range: Range<Int>, of kept: KeptCarousel, _ items: SectionItems,
    to cells: inout [PlacedCell]
  ) throws {
    let longest = kept.tree.summary.contentLength
    try kept.tree.forEachLeaf(
      from: CarouselPosition(), in: items.session,
      step: { before, _, end in
        before.item >= range.upperBound ? .stop : end > range.lowerBound ? .enter : .skip
      },
      body: { leaf, before, _ in
        var place = copy before
        for index in 0..<leaf.count {
          if range.contains(place.item) {
            cells.append(cell(index, of: leaf, at: place, longest: longest))
          }
          place.pass(index, of: leaf)
        }
        return true
      })
  }

  /// - Complexity: O(log items) nodes.
  func firstItem(
    endingAfter position: Length, of kept: KeptCarousel, _ items: SectionItems
  ) throws -> PlacedCell? {
    let longest = kept.tree.summary.contentLength
    // The end grows with the length, whatever the alignment.
    func ends(_ length: Int64) -> Bool {
      let length = Length(units: length)
      return start(ofLength: length, in: longest) + length > position
    }
    var found: PlacedCell?
    try kept.tree.forEachLeaf(
      from: CarouselPosition(), in: items.session,
      step: { _, summary, _ in ends(summary.longest) ? .enter : .skip },
      body: { leaf, before, _ in
        var place = copy before
        for index in 0..<leaf.count {
          if ends(leaf.lengths[index]) {
            found = cell(index, of: leaf, at: place, longest: longest)
            return false
          }
          place.pass(index, of: leaf)
        }
        return true
      })
    return found
  }

  private func cell(
    _ index: Int, of leaf: CarouselLeaf, at place: CarouselPosition, longest: Length
  ) -> PlacedCell {
    let size = leaf.size(at: index, spacing: spacing)
    let origin = Point(
      x: leading + Length(units: place.start), y: start(ofLength: size.height, in: longest))
    return PlacedCell(index: place.item, frame: Rect(origin: origin, size: size))
  }
}
