import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

import struct Foundation.Data
import struct Foundation.URL

@testable import LayoutCache

// Strategy: in random feeds and layouts of all kinds, after random edits, random items are dragged
// over random points and to random positions, with carousels scrolled to random positions.
// Movements are committed or cancelled.
//
// Invariants: the elements during a movement equal, to the unit, those of the file after its batch
// is committed, and those of the oracle after the same moves; the dragged items are adjacent, in
// their order, at the target; elements that a context does not name have not changed; a cancelled
// movement changes neither the revision nor any byte of the file.

@Suite struct MovementPropertyTests {
  @Test(.property, arguments: PropertyRun.seeds, TestKinds.mixes)
  func aMovementEqualsItsCommittedBatch(seed: UInt64, kinds: RandomConfiguration.Kinds) throws {
    var generator = SeededGenerator(seed: seed)
    for round in PropertyRun.each(seed, rounds: 2) {
      var source = RandomFeed(sectionCountMax: 4, itemCountMax: 40)
      let sections = source.sections(using: &generator)
      let text = RandomConfiguration(kinds: kinds, allowsEffects: round % 2 == 1).text(
        sectionKeys: sections.map(\.key), using: &generator)
      var feed = try OracleFeed(configuration: text, sections: sections)
      var options = LayoutCacheOptions.randomShapes(using: &generator)
      feed.instalment = .random(in: 1...20, using: &generator)
      feed.placedAgainMax = .random(in: 1...100, using: &generator)
      options.treeShapes.rebalancing = RebalanceRules(feed)
      var batches = RandomBatch(source: source)
      let test = try TestFeed(sections, configuration: text, options: options)
      // The columns of a layout depend on the revision at which it is laid out first.
      try test.read { _ in }
      for _ in PropertyRun.each(seed, steps: 6) {
        let origin: Comment = "\(text)"
        let batch = batches.next(for: feed, using: &generator)
        try feed.apply(batch)
        if batch.isEverything { try feed.layOutFromScratch() }
        try test.cache.update("feed", with: batch.map { try BatchOperation($0) })
        guard let movement = try move(test, feed, using: &generator, origin) else { continue }
        let offsets = movement.snapshot.carouselOffsets
        func all() throws -> [OracleElement] {
          try test.read { try OracleElement.all(of: $0.scrolled(to: offsets)) }
        }
        let before = try all()
        if generator.oneIn(3) { continue }
        let end = movement.end()
        let commit = try test.cache.update("feed", with: end)
        #expect(end.isEmpty == commit.updates.isEmpty, origin)
        try feed.apply(movement.moves())
        let committed = try all()
        #expect(committed == (try OracleElement.all(of: movement.snapshot)), origin)
        if !text.contains("effect") {
          let units = offsets.entries.map { (key: $0.key, offset: $0.offset.units) }
          let scrolled = feed.oracle.scrolled(to: units)
          #expect(committed == OracleElement.all(of: scrolled), origin)
        }
        #expect(!end.isEmpty || committed == before, origin)
        #expect(commit.revision == feed.revision, origin)
      }
      #expect(try test.cache.verify().problems.isEmpty)
    }
  }

  /// Moves some items to several positions.
  private func move(
    _ test: TestFeed, _ feed: OracleFeed, using generator: inout SeededGenerator,
    _ origin: Comment
  ) throws -> InteractiveMovement? {
    let keys = feed.sections.flatMap { $0.items.map(\.key) }.shuffled(using: &generator)
    guard !keys.isEmpty else { return nil }
    let count = generator.oneIn(2) ? 1 : Int.random(in: 1...4, using: &generator)
    let revision = try test.read { $0.revision }
    var movement = try test.read { snapshot in
      let offsets = generator.oneIn(3) ? nil : try snapshot.randomOffsets(using: &generator)
      return try snapshot.scrolled(to: offsets ?? CarouselOffsets())
        .beginMovement(of: Array(keys.prefix(count)))
    }
    var shown = try Shown(movement.committed)
    try expectTogether(movement, keys.prefix(count), origin)
    var isFirst = true
    for _ in 0..<5 {
      let rects = RandomRects(movement.snapshot, frames: shown.frames)
      let rect = rects.next(using: &generator)
      let point = Point(x: Length(units: rect.x), y: Length(units: rect.y))
      let context: InvalidationContext
      if generator.oneIn(4) {
        context = try movement.move(
          to: IndexPath(
            section: .random(in: feed.sections.indices, using: &generator),
            item: .random(in: -1...50, using: &generator)))
      } else {
        let visible = generator.oneIn(3) ? Rect(rects.next(using: &generator)) : nil
        context = try movement.update(to: point, visible: visible)
        #expect(movement.position == point)
        for moving in try movement.movingAttributes() {
          #expect(moving.center == point, origin)
          #expect(moving.zIndex == LayoutAttributes.pinnedZIndex, origin)
        }
        let elements = try movement.elements(in: Rect(rect))
        let keys = elements.map { if case .cell(let key) = $0.category { key } else { "" } }
        let moving = keys.indices.filter { movement.items.contains(keys[$0]) }
        #expect(moving == Array(keys.indices.suffix(moving.count)), origin)
      }
      try expectTogether(movement, keys.prefix(count), origin)
      let next = try Shown(movement.snapshot)
      // The first step brings the items together, which no context describes.
      if !isFirst || count == 1 { shown.expect(context, namesAllThatDiffersIn: next, origin) }
      (shown, isFirst) = (next, false)
    }
    shown.expect(
      try movement.cancel(), namesAllThatDiffersIn: try Shown(movement.committed), origin)
    #expect(try test.read { $0.revision } == revision, origin)
    return movement
  }

  private func expectTogether(
    _ movement: InteractiveMovement, _ keys: ArraySlice<String>, _ origin: Comment
  ) throws {
    let places = try keys.map { try #require(try movement.committed.indexPath(ofKey: $0)) }
    let order = zip(keys, places).sorted { $0.1 < $1.1 }.map(\.0)
    #expect(movement.keys.map { ExactKey($0) } == order.map { ExactKey($0) }, origin)
    #expect(movement.indexPaths.first == movement.targetIndexPath, origin)
    let found = try order.map { try movement.snapshot.indexPath(ofKey: $0) }
    #expect(found == movement.indexPaths.map(Optional.some), origin)
  }

  /// The elements of a layout, by section and item.
  private struct Shown {
    var cells: [IndexPath: LayoutAttributes] = [:]
    var sections: [SectionExtent] = []
    var size: Size
    private let plan: LayoutPlan
    private let mainLength: Length

    var frames: [UnitRect] {
      cells.values.sorted { $0.indexPath < $1.indexPath }.map { UnitRect($0.untransformedFrame) }
    }

    init(_ scrolled: LayoutSnapshot) throws {
      // A carousel that becomes shorter may clamp its offset, which moves all its cells.
      let snapshot = scrolled.scrolled(to: CarouselOffsets())
      for element in try snapshot.run(
        in: Rect(RandomRects.everything), visible: nil, limit: .max
      ).result.elements {
        if case .cell = element.category { cells[element.indexPath] = element }
      }
      var sections: [SectionExtent] = []
      try snapshot.forEachSection {
        sections.append($0)
        return true
      }
      self.sections = sections
      size = snapshot.contentSize
      (plan, mainLength) = (snapshot.plan, snapshot.mainLength)
    }

    /// A cell relative to its section's start, in canonical space.
    private func local(_ path: IndexPath) -> LayoutAttributes? {
      guard var cell = cells[path] else { return nil }
      var frame = plan.space.canonical(cell.untransformedFrame, mainLength: mainLength)
      frame.origin.y -= sections[path.section].start
      cell.untransformedFrame = frame
      return cell
    }

    func expect(
      _ context: InvalidationContext, namesAllThatDiffersIn next: Shown, _ origin: Comment
    ) {
      #expect(context.contentSizeAdjustment == next.size - size, origin)
      #expect(context.sections.allSatisfy { $0.start == next.sections[$0.section].start }, origin)
      for path in Set(cells.keys).union(next.cells.keys) where local(path) != next.local(path) {
        let named = context.section(path.section)?.items.contains(path.item ?? 0) ?? false
        let isThere = (path.item ?? 0) < next.sections[path.section].itemCount
        #expect(named || !isThere, "\(origin)\n\(path) is not in \(context.sections)")
      }
    }
  }

  @Test func aCancelledMovementChangesNothing() throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: 500))],
      configuration: #"{"container":{"width":100},"section":{"columns":2}}"#)
    try test.read { _ in }
    try test.cache.checkpoint()
    func bytes() throws -> [[UInt8]] {
      try ["", "-wal"].map { try Array(Data(contentsOf: URL(filePath: test.path + $0))) }
    }
    let before = try bytes()
    var movement = try test.read { try $0.beginMovement(of: ["s-3", "s-250"]) }
    for item in 0..<50 {
      try movement.move(to: IndexPath(section: 0, item: item * 9))
      _ = try movement.elements(in: Rect(x: 0, y: 0, width: 100, height: 500))
    }
    _ = try movement.cancel()
    #expect(try bytes() == before)
    #expect(try test.read { $0.revision } == 1)
    #expect(try test.cache.verify().problems.isEmpty)
  }
}

extension InteractiveMovement {
  /// The batch as operations of the oracle.
  fileprivate func moves() throws -> [OracleOperation] {
    try end().map { operation in
      guard case .move(let key, let destination) = operation else {
        throw LayoutCacheError(.noSuchKey("a move", dataset: "\(operation)"))
      }
      switch destination {
      case .after(let neighbour): return .move(key: key, to: .after(neighbour))
      case .index(let index, let section):
        return .move(key: key, to: .index(index, section: section))
      default: throw LayoutCacheError(.noSuchKey(key, dataset: "\(destination)"))
      }
    }
  }
}
