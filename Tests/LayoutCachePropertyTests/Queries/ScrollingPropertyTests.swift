import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random feeds in random layouts, all directions, some with effects. Expected rest
// positions are found by a scan of all cells. Anchors are created before random batches and
// applied after them, and from one layout to another, with different visible sizes.
//
// Invariants: a rest position equals the one found by the scan; the cell of an anchor keeps its
// position, or the answer reports that it cannot; that cell is the first remaining one of the
// anchor. In one layout, before and after changes, it may be a later one, by a rule that
// `WorldAnchor` checks.

@Suite struct ScrollingPropertyTests {
  private struct Cell {
    var key: String
    var frame: Rect
  }

  /// Every cell in canonical space, except those of carousels outside the container.
  private func cells(_ snapshot: LayoutSnapshot) throws -> [Cell] {
    try cells(
      snapshot.run(in: Rect(RandomRects.everything), visible: nil, limit: .max).result.elements,
      of: snapshot)
  }

  /// Every item's cell in canonical space.
  private func allCells(_ snapshot: LayoutSnapshot) throws -> [Cell] {
    var first: IndexPath?
    try snapshot.forEachSection { section in
      if section.itemCount > 0 {
        first = try snapshot.sectionIndex(forKey: section.key).map {
          IndexPath(section: $0, item: 0)
        }
      }
      return first == nil
    }
    guard let first else { return [] }
    return try cells(snapshot.elements(from: first, count: .max).elements, of: snapshot)
  }

  private func cells(
    _ elements: [LayoutAttributes], of snapshot: LayoutSnapshot
  ) throws -> [Cell] {
    elements.compactMap { element in
      guard case .cell(let key) = element.category else { return nil }
      return Cell(
        key: key,
        frame: snapshot.plan.space.canonical(
          element.untransformedFrame, mainLength: snapshot.mainLength))
    }
  }

  private func size(using generator: inout SeededGenerator) -> Size {
    Size(
      width: Length(units: Int64.random(in: 64...60_000, using: &generator)),
      height: Length(units: Int64.random(in: 64...60_000, using: &generator)))
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func offsetsAtRestAreThoseOfEveryCell(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for step in PropertyRun.each(seed, steps: 4) {
      var source = RandomFeed(itemCountMax: 80)
      let sections = source.sections(using: &generator)
      let text = RandomConfiguration(kinds: TestKinds.mixes[step % 2], allowsEffects: true).text(
        sectionKeys: sections.map(\.key), using: &generator)
      var configuration = try ConfigurationText.decode(text)
      let test = try TestFeed(sections, options: .randomShapes(using: &generator))
      let positions = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
        Length(units: Int64.random(in: 0...90_000, using: &generator))
      }
      let snaps: [LayoutConfiguration.Snap] = [
        .none, .itemLeading, .itemCenter, .page, .positions(positions),
      ]
      for snap in snaps {
        configuration.snap = snap
        try test.cache.setLayout(LayoutID("layout", of: "feed"), to: configuration)
        try test.read { snapshot in
          let cells = try cells(snapshot)
          for _ in 0..<12 {
            let size = size(using: &generator)
            let offset = Point(
              x: .random(in: snapshot.contentSize.width, using: &generator),
              y: .random(in: snapshot.contentSize.height, using: &generator))
            let velocity = [-2.5, 0, 0.001].randomElement(using: &generator)!
            let found = try snapshot.targetContentOffset(
              forProposed: offset, velocity: along(velocity, snapshot), visibleSize: size)
            let expected = expectedOffset(
              snapshot, cells, offset, velocity: velocity, size, snap)
            let origin: Comment =
              "\(snap) from \(offset) at \(velocity), \(size)\n\(text)"
            #expect(found == expected, origin)
            let start = Point(
              x: .random(in: snapshot.contentSize.width, using: &generator),
              y: .random(in: snapshot.contentSize.height, using: &generator))
            let dragged = try snapshot.targetContentOffset(
              forProposed: offset, from: start, velocity: along(velocity, snapshot),
              visibleSize: size)
            if snap == .page {
              #expect(dragged == onePage(snapshot, from: start, to: expected, size), origin)
            } else {
              #expect(dragged == expected, origin)
            }
          }
        }
      }
    }
  }

  /// A velocity along the scrolling axis; the other one does not matter.
  private func along(_ speed: Double, _ snapshot: LayoutSnapshot) -> ScrollVelocity {
    snapshot.plan.space.scrollAxis == .vertical
      ? ScrollVelocity(x: -speed, y: speed) : ScrollVelocity(x: speed, y: 1)
  }

  private func expectedOffset(
    _ snapshot: LayoutSnapshot, _ cells: [Cell], _ offset: Point, velocity: Double, _ size: Size,
    _ snap: LayoutConfiguration.Snap
  ) -> Point {
    let isVertical = snapshot.plan.space.scrollAxis == .vertical
    let isReversed = !isVertical && snapshot.plan.space.isMirrored
    let (content, length) =
      isVertical
      ? (snapshot.contentSize.height.units, size.height.units)
      : (snapshot.contentSize.width.units, size.width.units)
    // Measured from the leading end in both directions.
    var proposed = isVertical ? offset.y.units : offset.x.units
    if isReversed { proposed = content - proposed - length }
    let last = max(0, content - length)
    proposed = max(0, min(proposed, last))
    var rests: Set<Int64> = [0, last]
    switch snap {
    case .none: rests = [proposed]
    case .page:
      let page = proposed / length
      rests.formUnion([page * length, (page + 1) * length])
    case .itemLeading: rests.formUnion(cells.map(\.frame.minY.units))
    case .itemCenter:
      rests.formUnion(
        cells.map { $0.frame.minY.units + $0.frame.size.height.units / 2 - length / 2 })
    case .positions(let positions): rests.formUnion(positions.map(\.units))
    default: Issue.record("\(snap)")
    }
    let clamped = rests.map { max(0, min($0, last)) }
    let (before, after) = (
      clamped.filter { $0 <= proposed }.max()!, clamped.filter { $0 >= proposed }.min()!
    )
    let speed = isReversed ? -velocity : velocity
    var rest =
      speed > 0
      ? after : speed < 0 || proposed - before <= after - proposed ? before : after
    if isReversed { rest = content - rest - length }
    return isVertical
      ? Point(x: offset.x, y: Length(units: rest)) : Point(x: Length(units: rest), y: offset.y)
  }

  /// A rest position, or the nearest one at most a page from the start of the drag.
  private func onePage(
    _ snapshot: LayoutSnapshot, from start: Point, to rest: Point, _ size: Size
  ) -> Point {
    let isVertical = snapshot.plan.space.scrollAxis == .vertical
    let isReversed = !isVertical && snapshot.plan.space.isMirrored
    let (content, length) =
      isVertical
      ? (snapshot.contentSize.height.units, size.height.units)
      : (snapshot.contentSize.width.units, size.width.units)
    let last = max(0, content - length)
    func main(_ point: Point) -> Int64 {
      let main = isVertical ? point.y.units : point.x.units
      return isReversed ? content - main - length : main
    }
    let began = max(0, min(main(start), last))
    let pages = Set((0...(last / length + 1)).map { min($0 * length, last) })
    var held = main(rest)
    held = max(held, pages.filter { $0 < began }.max() ?? 0)
    held = min(held, pages.filter { $0 > began }.min() ?? last)
    if isReversed { held = content - held - length }
    return isVertical
      ? Point(x: rest.x, y: Length(units: held)) : Point(x: Length(units: held), y: rest.y)
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func anAnchorKeepsItsPositionOrReportsThatItCannot(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var keptCount = 0
    for round in PropertyRun.each(seed, rounds: 3) {
      var run = try TwoLayouts(
        TestKinds.mixes[round % 2], allowsEffects: true, using: &generator)
      for _ in PropertyRun.each(seed, steps: 8) {
        let before = try run.test.keptSnapshot()
        let visible = Rect(RandomRects(before).next(using: &generator))
        let anchor = try before.anchor(in: visible)
        try run.change(using: &generator)
        let newSize = generator.oneIn(2) ? visible.size : self.size(using: &generator)
        for layout in TwoLayouts.layouts {
          try run.test.cache.read(layout) { snapshot in
            let origin: Comment =
              "\(layout)\n\(run.texts)"
            if visible.isEmpty || newSize.width <= .zero || newSize.height <= .zero { return }
            let kept = try snapshot.contentOffset(
              keeping: visible, of: before, visibleSize: newSize)
            let isChosen = layout == before.layout && snapshot.revision > before.revision
            let chosen = isChosen ? kept?.key : nil
            if try check(kept, anchor, chosen, snapshot, newSize, origin) { keptCount += 1 }
            let carried = try anchor.flatMap {
              try snapshot.contentOffset(keeping: $0, visibleSize: newSize)
            }
            // The value has some dozens of cells, and both find the same of them.
            if let carried, !isChosen { #expect(carried == kept, origin) }
          }
        }
      }
    }
    #expect(keptCount > 3)
  }

  /// - Parameter chosen: The key of the anchor's cell, if that need not be the first.
  /// - Returns: Whether a cell is exactly at its earlier position.
  private func check(
    _ kept: AnchoredOffset?, _ anchor: LayoutAnchor?, _ chosen: String?,
    _ snapshot: LayoutSnapshot, _ size: Size, _ origin: Comment
  ) throws -> Bool {
    let present = try allCells(snapshot)
    let left = anchor?.cells.first { cell in
      if let chosen, ExactKey(chosen) != ExactKey(cell.key) { return false }
      return present.contains { ExactKey($0.key) == ExactKey(cell.key) }
    }
    guard let kept else {
      #expect(left == nil, origin)
      return false
    }
    if let left { #expect(ExactKey(left.key) == ExactKey(kept.key), origin) }
    guard let cell = left,
      let frame = present.first(where: {
        ExactKey($0.key) == ExactKey(kept.key)
      })?.frame, let anchor
    else { return false }
    let visible = snapshot.plan.space.canonical(
      Rect(origin: kept.contentOffset, size: size), mainLength: snapshot.mainLength)
    let last = max(.zero, snapshot.mainLength - visible.size.height)
    #expect((.zero...last).contains(visible.minY), origin)
    if kept.isExact {
      #expect(frame.minY - visible.minY == cell.start, origin)
      return true
    }
    let isClamped = [.zero, last].contains(visible.minY)
    let isOutOfSight =
      cell.start + frame.size.height <= .zero || cell.start >= visible.size.height
    #expect(isClamped || isOutOfSight, origin)
    if isOutOfSight && !isClamped && (Length.zero..<anchor.visibleLength).contains(cell.start) {
      #expect(frame.minY < visible.maxY && frame.maxY > visible.minY, origin)
    }
    return false
  }
}

extension Length {
  /// A position in a content, or a little outside it.
  fileprivate static func random(
    in length: Length, using generator: inout SeededGenerator
  ) -> Length {
    Length(units: .random(in: -10_000...(length.units + 10_000), using: &generator))
  }
}
