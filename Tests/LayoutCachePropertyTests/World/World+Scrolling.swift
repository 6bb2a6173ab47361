import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// The plan of a section is internal: its rule of rest positions is chosen by the merge of options.
@testable import LayoutCache

/// The rule by which a change keeps a cell in place, by a scan of all cells: the first visible one
/// that remains, of those that the change neither moves nor resizes if there are any.
struct WorldAnchor {
  private struct Cell {
    var key: ExactKey
    var section: ExactKey
    /// Along the main axis, from the leading end.
    var range: Range<Int64>
  }

  private struct Measures: Equatable {
    var size: [Double]
    var span: Int
    var lengths: [Int64?]
  }

  private struct Side {
    var cells: [Cell]
    var measures: [ExactKey: Measures] = [:]

    init(_ feed: OracleFeed, _ space: WorldSpace) {
      cells = space.oracle.elementsInContainer(visible: nil).compactMap { element in
        guard let key = element.key, !element.laidOut.isEmpty else { return nil }
        return Cell(
          key: ExactKey(key), section: ExactKey(element.sectionKey),
          range: space.start(of: element.laidOut)..<space.end(of: element.laidOut))
      }
      for item in feed.sections.flatMap(\.items) {
        measures[ExactKey(item.key)] = Measures(
          size: [item.width, item.height], span: item.span,
          lengths: [item.preferredLength, item.preferredCrossLength])
      }
    }
  }

  let before: (space: WorldSpace, feed: OracleFeed)
  let after: (space: WorldSpace, feed: OracleFeed)

  init(
    from before: OracleFeed, to after: OracleFeed,
    _ direction: LayoutConfiguration.LayoutDirection?
  ) {
    self.before = (WorldSpace(before.oracle.reading(direction)), before)
    self.after = (WorldSpace(after.oracle.reading(direction)), after)
  }

  /// Whether a visible rectangle may be moved to a place by the rule.
  ///
  /// - Returns: `nil` if no cell remains; otherwise a text if the place is wrong.
  func problem(
    of moved: UnitRect, from visible: UnitRect, _ updates: DatasetUpdates,
    _ kind: OffsetAnchor
  ) -> String? {
    let (old, new) = (Side(before.feed, before.space), Side(after.feed, after.space))
    let (start, now) = (before.space.start(of: visible), after.space.start(of: moved))
    let length = before.space.end(of: visible) - start
    let last = max(0, after.space.length - length)
    guard (0...last).contains(now) else { return "\(now) is outside of the content" }
    if kind == .end, start + length > before.space.length - Length.unitsPerPoint {
      return now == last ? nil : "the end is at \(last): \(start) becomes \(now)"
    }
    let inSight = old.cells.filter { $0.range.overlaps(start..<(start + length)) }
    let ordered =
      inSight.filter { $0.range.lowerBound >= start }
      + inSight.filter { $0.range.lowerBound < start }
    var present: [ExactKey: Cell] = [:]
    for cell in new.cells { present[cell.key] = cell }
    let remaining = ordered.filter { present[$0.key] != nil }
    let placed = Set(
      updates.items.filter { [.insert, .move].contains($0.operation) }.map { ExactKey($0.key) })
    let moves = Set(updates.sections.filter { $0.operation == .move }.map { ExactKey($0.key) })
    let untouched = remaining.first {
      !placed.contains($0.key) && !moves.contains($0.section)
        && old.measures[$0.key] == new.measures[$0.key]
    }
    guard let anchor = untouched ?? remaining.first, let cell = present[anchor.key] else {
      return nil
    }
    let wanted = cell.range.lowerBound - (anchor.range.lowerBound - start)
    // A partly visible cell may have become so short that it would be invisible.
    if cell.range.upperBound <= wanted || now == max(0, min(wanted, last)) { return nil }
    return "'\(anchor.key.string)' of \(anchor.range) is at \(cell.range): \(start) becomes \(now)"
  }
}

extension WorldSpace {
  /// The content's length along the main axis.
  var length: Int64 { isVertical ? contentSize.height : contentSize.width }

  /// A rectangle over the whole container, of a start and a length along the main axis.
  func across(from start: Int64, _ length: Int64) -> UnitRect {
    if isVertical { return UnitRect(x: 0, y: start, width: contentSize.width, height: length) }
    let x = isMirrored ? contentSize.width - start - length : start
    return UnitRect(x: x, y: 0, width: length, height: contentSize.height)
  }
}

extension World {
  /// A visible rectangle in a layout's content and a little outside.
  func anyVisible(_ space: WorldSpace) -> UnitRect {
    let length = Int64.random(in: 640...64_000, using: &generator)
    return space.across(
      from: .random(in: -2000...max(-2000, space.length - length + 2000), using: &generator),
      length)
  }

  /// The offset that a commit returns for a client's visible rectangle.
  func compare(
    anchorOf commit: Commit, _ visible: UnitRect, _ kind: OffsetAnchor,
    _ direction: LayoutConfiguration.LayoutDirection?, _ place: Place, since before: WorldDataset
  ) {
    let dataset = datasets[place.dataset]
    guard let change = commit.layouts.first(where: { $0.layout == id(place).layout }),
      !change.context.invalidateEverything
    else { return }
    let adjustment = change.context.contentOffsetAdjustment
    var moved = visible
    moved.x += adjustment.x.units
    moved.y += adjustment.y.units
    let anchor = WorldAnchor(
      from: before.model.layouts[place.layout].feed,
      to: dataset.model.layouts[place.layout].feed, direction)
    let problem = anchor.problem(of: moved, from: visible, commit.updates, kind)
    if let problem { Issue.record("anchor in \(id(place)) of \(visible): \(problem)") }
    count("anchored")
  }
}

/// A carousel's items across the main axis, from the leading edge at offset 0.
private struct CarouselLine {
  /// The index of each cell's item; nil for hidden ones.
  var items: [Int?]
  var starts: [Int64]
  var widths: [Int64]
  var leading: Int64
  var container: Int64
  var last: Int64
}

extension World {
  /// Rest positions of carousels, and the cells next to the container, by a scan of all items at
  /// offset 0.
  func observeCarousels() throws {
    let place = anyPlace()
    try read(place) { unscrolled, oracle in
      let offsets = RandomOffsets.next(for: oracle, using: &generator)
      let snapshot = unscrolled.scrolled(to: CarouselOffsets(offsets))
      for (index, summary) in oracle.scrolled(to: offsets).sectionsSummary.enumerated() {
        let origin: Comment = "section \(index) of \(id(place)) at \(offsets)"
        let style = try snapshot.style(ofSection: index)
        guard let carousel = summary.carousel,
          case .carousel(let plan) = snapshot.plan.section(summary.key, style: style).kind
        else {
          #expect(
            try snapshot.targetCarouselOffset(inSection: index, forProposed: 9) == nil, origin)
          #expect(
            try snapshot.prefetch(.after, inCarousel: index, length: 9)?.elements == nil, origin)
          continue
        }
        let space = snapshot.plan.space
        let cells = oracle.allElements().filter {
          $0.section == index && $0.category == .cell && !$0.isCollapsed
        }
        let frames = cells.map { space.canonical(Rect($0.frame), mainLength: snapshot.mainLength) }
        let line = CarouselLine(
          items: cells.map { $0.isHidden ? nil : $0.item },
          starts: frames.map(\.minX.units), widths: frames.map(\.size.width.units),
          leading: plan.leading.units, container: space.crossLength.units,
          last: carousel.maximumOffset)
        try compareTargets(snapshot, index, plan.scrolling, line, origin)
        try comparePrefetches(snapshot, index, line, carousel, origin)
        count("carousel")
      }
    }
  }

  private func compareTargets(
    _ snapshot: LayoutSnapshot, _ section: Int, _ scrolling: SectionOptions.Scrolling,
    _ line: CarouselLine, _ origin: Comment
  ) throws {
    func held(_ offset: Int64) -> Int64 { max(0, min(offset, line.last)) }
    var rests: Set<Int64> = [0, line.last]
    switch scrolling {
    case .continuous: break
    case .paging:
      for page in 0...(min(line.last / line.container, 10_000) + 1) {
        rests.insert(held(page * line.container))
      }
    case .continuousGroupLeadingBoundary, .groupPaging:
      rests.formUnion(line.starts.map { held($0 - line.leading) })
    case .groupPagingCentered:
      rests.formUnion(zip(line.starts, line.widths).map { held($0 + $1 / 2 - line.container / 2) })
    @unknown default: Issue.record("an unknown value")
    }
    if scrolling == .paging, line.last / line.container > 10_000 { return }
    for _ in 0..<12 {
      var proposed = Int64.random(in: -999...(line.last + 999), using: &generator)
      if generator.oneIn(2), let rest = rests.sorted().randomElement(using: &generator) {
        proposed = rest + Int64.random(in: -1...1, using: &generator)
      }
      let start: Int64? =
        generator.oneIn(2)
        ? (generator.oneIn(2)
          ? Int64.random(in: -9...(line.last + 9), using: &generator)
          : rests.sorted().randomElement(using: &generator)!) : nil
      let velocity = [-2.5, 0, 0.001].randomElement(using: &generator)!
      let at = held(proposed)
      let possible = scrolling == .continuous ? [at] : rests
      let (before, after) = (
        possible.filter { $0 <= at }.max()!, possible.filter { $0 >= at }.min()!
      )
      var expected =
        velocity > 0
        ? after : velocity < 0 || at - before <= after - at ? before : after
      if let start, [.paging, .groupPaging, .groupPagingCentered].contains(scrolling) {
        let began = held(start)
        expected = max(expected, rests.filter { $0 < began }.max() ?? 0)
        expected = min(expected, rests.filter { $0 > began }.min() ?? line.last)
      }
      let found = try snapshot.targetCarouselOffset(
        inSection: section, forProposed: Length(units: proposed),
        from: start.map { Length(units: $0) }, velocity: velocity)
      #expect(
        found?.units == expected,
        "\(origin): \(proposed) from \(String(describing: start)) at \(velocity), \(line.last)")
    }
  }

  private func comparePrefetches(
    _ snapshot: LayoutSnapshot, _ section: Int, _ line: CarouselLine,
    _ carousel: OracleSectionSummary.Carousel, _ origin: Comment
  ) throws {
    for side in [PrefetchDirection.before, .after] {
      let length = Int64.random(in: -9...(line.container * 3), using: &generator)
      let found = try #require(
        try snapshot.prefetch(side, inCarousel: section, length: Length(units: length)))
      let reach = max(0, min(length, carousel.contentLength))
      let (low, high) = side == .before ? (-reach, 0) : (line.container, line.container + reach)
      let expected = line.starts.indices.filter { index in
        let start = line.starts[index] - carousel.offset
        let end = start + line.widths[index]
        let isNext = start < high && end > low
        return isNext && !(start < line.container && end > 0)
      }.compactMap { line.items[$0] }
      #expect(found.elements.map(\.indexPath.item) == expected, "\(origin): \(side)")
      for element in found.elements {
        let key = if case .cell(let key) = element.category { key } else { "" }
        #expect(try snapshot.attributes(forKey: key) == element, origin)
        #expect(element.frame.intersects(found.rect), origin)
      }
    }
  }
}

// Interaction: dragged items, and what a client sees before and after a change.
extension World {
  /// Drags items over random points, and drops them or cancels.
  func drag() throws {
    let (place, cache) = (anyPlace(), anyCache())
    let keys = datasets[place.dataset].keys.shuffled(using: &generator)
    guard !keys.isEmpty else { return }
    let moving = Array(keys.prefix(generator.oneIn(2) ? 1 : .random(in: 1...4, using: &generator)))
    record("\(cache) drags \(moving) in \(id(place))")
    var end: [BatchOperation] = []
    try read(place, by: cache) { snapshot, oracle in
      let offsets = generator.oneIn(2) ? [] : RandomOffsets.next(for: oracle, using: &generator)
      let snapshot = snapshot.scrolled(to: CarouselOffsets(offsets))
      var movement = try snapshot.beginMovement(of: moving)
      var shown = try provisional(movement, place).reading(isMirrored: oracle.isMirrored)
      for step in 0..<4 {
        let context = try advance(&movement, moving, RandomRects(oracle), snapshot)
        let next = try provisional(movement, place).reading(isMirrored: oracle.isMirrored)
        try compareAll(movement.snapshot, next.scrolled(to: offsets))
        // The first step also brings the items together, which no context describes.
        if step > 0 || moving.count == 1 {
          context.expectComplete(before: shown, after: next, "step \(step) of a movement")
        }
        let paths = try movement.keys.map { try movement.snapshot.indexPath(ofKey: $0) }
        #expect(paths == movement.indexPaths.map(Optional.some))
        #expect(movement.indexPaths.first == movement.targetIndexPath)
        shown = next
      }
      try movement.cancel().expectComplete(before: shown, after: oracle, "a cancelled movement")
      end = movement.end()
    }
    if generator.oneIn(3) { return }
    let before = datasets[place.dataset]
    walks.removeAll { $0.place.dataset == place.dataset }
    try datasets[place.dataset].move(try Self.moves(end))
    record("\(cache) drops: \(end)")
    let commit = try caches[cache].update(before.model.name, with: end)
    try compare(commit, of: place.dataset, since: before)
    #expect(end.isEmpty == commit.updates.isEmpty)
    try read(place, by: cache) { try compareAll($0, $1) }
    count("dragged")
  }

  /// One step of a movement; repeated, it changes nothing.
  private func advance(
    _ movement: inout InteractiveMovement, _ moving: [String], _ rects: RandomRects,
    _ snapshot: LayoutSnapshot
  ) throws -> InvalidationContext {
    if generator.oneIn(4) {
      let section = Int.random(in: 0..<snapshot.sectionCount, using: &generator)
      return try movement.move(
        to: .init(section: section, item: .random(in: -1...50, using: &generator)))
    }
    let (before, rect) = (movement.targetIndexPath, rects.next(using: &generator))
    let point = Point(x: Length(units: rect.x), y: Length(units: rect.y))
    let visible = generator.oneIn(3) ? Rect(rects.next(using: &generator)) : nil
    let keys = Set(movement.keys.map { ExactKey($0) })
    if !configurations.allowsEffects {
      #expect(
        try movement.targetIndexPath(for: point, visible: visible)
          == movement.targetIndexPath(for: point))
    }
    let over = try visible == nil ? movement.snapshot.element(at: point)?.category : nil
    let context = try movement.update(to: point, visible: visible)
    let target = movement.targetIndexPath
    // The dragged items stay where the point is on one of their cells.
    if case .cell(let key)? = over, keys.contains(ExactKey(key)) { #expect(target == before) }
    #expect(movement.position == point)
    for attributes in try movement.movingAttributes() {
      #expect(attributes.center == point && attributes.zIndex == LayoutAttributes.pinnedZIndex)
    }
    let again = try movement.update(to: point, visible: visible)
    #expect(again.isEmpty && movement.targetIndexPath == target)
    var resumed = try snapshot.beginMovement(of: moving, at: before)
    try resumed.update(to: point, visible: visible)
    #expect(resumed.targetIndexPath == target && resumed.end() == movement.end())
    return context
  }

  /// The model's layout with the items at a movement's target.
  private func provisional(_ movement: InteractiveMovement, _ place: Place) throws -> Oracle {
    var dataset = datasets[place.dataset]
    try dataset.move(try Self.moves(movement.end()))
    return dataset.model.layouts[place.layout].feed.oracle
  }

  /// A movement's batch as the oracle's.
  private static func moves(_ batch: [BatchOperation]) throws -> [OracleOperation] {
    try batch.map { operation in
      guard case .move(let key, let destination) = operation else {
        throw Difference(description: "a movement ends with \(operation)")
      }
      switch destination {
      case .after(let other): return .move(key: key, to: .after(other))
      case .index(let index, let section):
        return .move(key: key, to: .index(index, section: section))
      default: throw Difference(description: "a movement ends at \(destination)")
      }
    }
  }

  /// A layout at an earlier revision, and the transition to the present.
  func observePast() throws {
    let (number, cache) = (anyDataset(), anyCache())
    let place = anyPlace(of: number)
    try datasets[number].prepare(place.layout)
    let (dataset, then) = (
      datasets[number], datasets[number].past.randomElement(using: &generator)!
    )
    let (revision, direction) = (then.model.revision, anyDirection())
    record("\(cache) reads \(id(place)) since \(revision) \(direction?.rawValue ?? "")")
    try caches[cache].read(id(place), since: revision) { before, present in
      #expect(present.revision == dataset.model.revision)
      guard let before = before?.reading(direction) else { return }
      let present = present.reading(direction)
      #expect(before.revision == revision)
      guard let index = then.index(ofTag: dataset.notes[place.layout].tag) else { return }
      let (old, new) = (then.model.layouts[index].feed, dataset.model.layouts[place.layout].feed)
      try compareAll(before, old.oracle.reading(direction))
      try compareAnchor(from: before, old, to: present, new, direction)
      try TransitionOracle(from: before, to: present, using: &generator)
        .check("since \(revision)")
      count("past")
    }
  }

  /// The offset that keeps a cell of an earlier layout in place.
  private func compareAnchor(
    from before: LayoutSnapshot, _ old: OracleFeed, to present: LayoutSnapshot,
    _ new: OracleFeed, _ direction: LayoutConfiguration.LayoutDirection?
  ) throws {
    let visible = anyVisible(WorldSpace(old.oracle.reading(direction)))
    let kind = OffsetAnchor.allCases.randomElement(using: &generator)!
    let kept = try present.contentOffset(keeping: Rect(visible), of: before, anchor: kind)
    let updates = try caches[0].changes(of: present.layout.dataset, since: before.revision).updates
    let anchor = WorldAnchor(from: old, to: new, direction)
    guard let kept else { return }
    let moved = UnitRect(
      x: kept.contentOffset.x.units, y: kept.contentOffset.y.units, width: visible.width,
      height: visible.height)
    if let problem = anchor.problem(of: moved, from: visible, updates, kind) {
      throw Difference(description: "anchor of \(visible) since \(before.revision): \(problem)")
    }
    count("anchored since")
  }

  /// The transition between two layouts with scrolled carousels.
  func observeTransition() throws {
    let (number, cache) = (anyDataset(), anyCache())
    let (first, second) = (anyPlace(of: number), anyPlace(of: number))
    try read(first, by: cache) { from, _ in
      try read(second, by: cache) { to, _ in
        let offsets = try [from, to].map { try $0.randomOffsets(using: &generator) }
        try TransitionOracle(
          from: from.scrolled(to: offsets[0]), to: to.scrolled(to: offsets[1]),
          using: &generator
        ).check("between layouts")
      }
    }
  }
}

extension WorldDataset.Past {
  /// The number of the layout with a tag, if it was laid out.
  func index(ofTag tag: Int) -> Int? {
    notes.indices.first { notes[$0].tag == tag && model.layouts[$0].feed.hasResult }
  }
}

extension WorldDataset {
  mutating func move(_ operations: [OracleOperation]) throws {
    let before = present
    try model.apply(operations.map { .init($0, layout: 0) })
    noteRevision(since: before)
  }
}
