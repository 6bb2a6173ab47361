import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

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
      let offsets =
        generator.oneIn(2) ? [] : RandomOffsets.next(for: oracle, using: &generator)
      let snapshot = snapshot.scrolled(to: CarouselOffsets(offsets))
      var movement = try snapshot.beginMovement(of: moving)
      var shown = try provisional(movement, place)
      for step in 0..<4 {
        let context = try advance(&movement, moving, RandomRects(oracle), snapshot)
        let next = try provisional(movement, place)
        try compareAll(movement.snapshot, next.scrolled(to: offsets))
        // The first step also brings the items together, which no context describes.
        if step > 0 || moving.count == 1 {
          context.expectComplete(
            before: shown, after: next, text: datasets[place.dataset].notes[place.layout].text,
            "step \(step) of a movement")
        }
        let paths = try movement.keys.map { try movement.snapshot.indexPath(ofKey: $0) }
        #expect(paths == movement.indexPaths.map(Optional.some))
        #expect(movement.indexPaths.first == movement.targetIndexPath)
        shown = next
      }
      try movement.cancel().expectComplete(
        before: shown, after: oracle, text: datasets[place.dataset].notes[place.layout].text,
        "a cancelled movement")
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
    let revision = then.model.revision
    record("\(cache) reads \(id(place)) since \(revision)")
    try caches[cache].read(id(place), since: revision) { before, present in
      #expect(present.revision == dataset.model.revision)
      guard let before else { return }
      #expect(before.revision == revision)
      guard let index = then.index(ofTag: dataset.notes[place.layout].tag) else { return }
      let (old, new) = (
        then.model.layouts[index].feed, dataset.model.layouts[place.layout].feed
      )
      try compareAll(before, old.oracle)
      try compareAnchor(from: before, old, to: present, new, place)
      try TransitionOracle(from: before, to: present, using: &generator)
        .check("since \(revision)")
      count("past")
    }
  }

  /// The offset that keeps a cell of an earlier layout in place.
  private func compareAnchor(
    from before: LayoutSnapshot, _ old: OracleFeed, to present: LayoutSnapshot,
    _ new: OracleFeed, _ place: Place
  ) throws {
    let text = datasets[place.dataset].notes[place.layout].text
    let visible = anyVisible(WorldSpace(text: text, old.oracle.contentSize))
    let kept = try present.contentOffset(keeping: Rect(visible), of: before)
    let updates = try caches[0].changes(of: present.layout.dataset, since: before.revision).updates
    let anchor = WorldAnchor(text, from: old, to: new)
    guard let kept else { return }
    let moved = UnitRect(
      x: kept.contentOffset.x.units, y: kept.contentOffset.y.units, width: visible.width,
      height: visible.height)
    if let problem = anchor.problem(of: moved, from: visible, updates) {
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
