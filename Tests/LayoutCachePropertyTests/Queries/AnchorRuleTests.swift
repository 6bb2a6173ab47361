import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random batches on feeds of every kind, axis and direction, with a random visible
// rectangle, in the content and a little outside; a model has each item's size, span and measured
// length. The anchor is found by a scan of all cells.
//
// Invariants: the commit's adjustment and the snapshot's offset keep that cell at its position on
// the screen, or lead to an end of the content; they are equal, for one commit and for several;
// neither leads outside the content.

@Suite struct AnchorRuleTests {
  private static let layout = LayoutID("layout", of: "feed")

  private struct Measures: Equatable {
    var width: Double
    var height: Double
    var span = 1
    var length: Double?
  }

  private struct Cell {
    var key: String
    var section: String
    /// Along the main axis, from the leading end.
    var range: Range<Length>
  }

  private enum Direction: String, CaseIterable {
    case down = #""scrollDirection":"vertical""#
    case right = #""scrollDirection":"horizontal""#
    case left = #""scrollDirection":"horizontal","layoutDirection":"rightToLeft""#

    func start(of rect: Rect, in content: Size) -> Length {
      switch self {
      case .down: rect.minY
      case .right: rect.minX
      case .left: content.width - rect.maxX
      }
    }

    func length(of size: Size) -> Length { self == .down ? size.height : size.width }

    func visible(from start: Length, _ size: Size, in content: Size) -> Rect {
      switch self {
      case .down: Rect(x: .zero, y: start, width: size.width, height: size.height)
      case .right: Rect(x: start, y: .zero, width: size.width, height: size.height)
      case .left:
        Rect(
          x: content.width - start - size.width, y: .zero, width: size.width,
          height: size.height)
      }
    }
  }

  private static func cells(_ snapshot: LayoutSnapshot, _ direction: Direction) throws -> [Cell] {
    let content = snapshot.contentSize
    let all = Rect(RandomRects.everything)
    return try snapshot.elements(in: all).elements.compactMap { element in
      guard case .cell(let key) = element.category else { return nil }
      let start = direction.start(of: element.frame, in: content)
      return Cell(
        key: key, section: element.sectionKey,
        range: start..<(start + direction.length(of: element.frame.size)))
    }
  }

  private struct Run {
    let test: TestFeed
    let direction: Direction
    let isMeasured: Bool
    var generator: SeededGenerator
    var sections: [String: [String]] = ["s": [], "t": [], "u": []]
    var order = ["s", "t", "u"]
    var measures: [String: Measures] = [:]
    var before: (order: [String], sections: [String: [String]], measures: [String: Measures])?
    var nextKey = 0

    init(_ kind: KindExample, _ direction: Direction, seed: UInt64) throws {
      self.direction = direction
      generator = SeededGenerator(seed: seed)
      isMeasured = KindExample.measured.map(\.name).contains(kind.name)
      let oracle = order.map { OracleSection.mixed($0, count: 40) }
      test = try TestFeed(
        oracle,
        configuration: kind.configuration(
          width: 200, height: 200, extra: #","header":20"#, rest: ",\(direction.rawValue)"))
      for section in oracle {
        sections[section.key] = section.items.map(\.key)
        for item in section.items {
          measures[item.key] = Measures(width: item.width, height: item.height)
        }
      }
      try test.read { _ in }
    }

    mutating func random<C: Collection>(_ values: C) -> C.Element {
      values.randomElement(using: &generator)!
    }

    mutating func place(ofKey key: String) -> (section: String, index: Int) {
      for (section, keys) in sections {
        if let index = keys.firstIndex(of: key) { return (section, index) }
      }
      preconditionFailure("an item has a place")
    }

    mutating func operation() -> BatchOperation {
      let key = random(measures.keys.sorted())
      let side = Double(Int.random(in: 15...90, using: &generator))
      switch Int.random(in: 0..<9, using: &generator) {
      case 0:
        let other = "n-\(nextKey)"
        nextKey += 1
        let place = place(ofKey: key)
        sections[place.section]!.insert(other, at: place.index)
        measures[other] = Measures(width: side, height: 30)
        return .insert([try! Item(key: other, width: side, height: 30)], at: .before(key))
      case 1 where measures.count > 20:
        let place = place(ofKey: key)
        sections[place.section]!.remove(at: place.index)
        measures[key] = nil
        return .delete(keys: [key])
      case 2:
        let place = place(ofKey: key)
        sections[place.section]!.remove(at: place.index)
        let section = random(order)
        let index = Int.random(in: 0...sections[section]!.count, using: &generator)
        sections[section]!.insert(key, at: index)
        return .move(key: key, to: .index(index, section: section))
      case 3:
        let section = random(order)
        let index = Int.random(in: 0..<order.count, using: &generator)
        order.removeAll { $0 == section }
        order.insert(section, at: index)
        return .moveSection(key: section, index: index)
      case 4: return .data(key: key, try! ItemData(json: #"{"n":\#(side)}"#))
      case 5 where isMeasured:
        measures[key]!.length = side
        return .prefer(layout: "layout", key: key, length: .points(side))
      case 6:
        let place = place(ofKey: key)
        sections[place.section]!.remove(at: place.index)
        sections["t"]!.append(key)
        return .upsert(
          [
            try! UpsertedItem(
              key: key, width: measures[key]!.width, height: measures[key]!.height,
              columnSpan: nil)
          ], section: "t", moving: true)
      default:
        let old = measures[key]!
        measures[key] = Measures(
          width: side, height: 60, span: old.span,
          length: old.width == side && old.height == 60 ? old.length : nil)
        return .resize(key: key, size: Size(width: .points(side), height: 60))
      }
    }

    mutating func commit(visible: Rect) throws -> Commit {
      if let before, generator.oneIn(6) {
        let now = (order, sections, measures)
        (order, sections, measures) = before
        self.before = now
        return try test.cache.undo("feed", visible: visible)
      }
      let old = (order, sections, measures)
      let batch = (0..<Int.random(in: 1...4, using: &generator)).map { _ in operation() }
      let commit = try test.cache.update("feed", with: batch, visible: visible)
      before = commit.layouts.isEmpty ? before : old
      return commit
    }
  }

  /// The anchor, found by a scan of all cells.
  private static func anchor(
    _ visible: Rect, _ before: [Cell], _ after: [Cell], _ updates: DatasetUpdates,
    _ measures: (old: [String: Measures], new: [String: Measures]), _ direction: Direction,
    in content: Size
  ) -> (old: Cell, new: Cell)? {
    let start = direction.start(of: visible, in: content)
    let seen = start..<(start + direction.length(of: visible.size))
    let inSight = before.filter { $0.range.overlaps(seen) }
    let ordered =
      inSight.filter { $0.range.lowerBound >= start }
      + inSight.filter { $0.range.lowerBound < start }
    let new = Dictionary(uniqueKeysWithValues: after.map { ($0.key, $0) })
    let remaining = ordered.filter { new[$0.key] != nil }
    let placed = Set(updates.items.filter { [.insert, .move].contains($0.operation) }.map(\.key))
    let movedSections = Set(updates.sections.filter { $0.operation == .move }.map(\.key))
    let untouched = remaining.first {
      !placed.contains($0.key) && !movedSections.contains($0.section)
        && measures.old[$0.key] == measures.new[$0.key]
    }
    return (untouched ?? remaining.first).map { ($0, new[$0.key]!) }
  }

  @Test(.property, arguments: KindExample.all)
  func commitsAndSnapshotsKeepTheFirstUnchangedCell(kind: KindExample) throws {
    var keptCount = 0
    for seed in PropertyRun.eachSeed(in: PropertyRun.seeds.prefix(2)) {
      for direction in Direction.allCases {
        var run = try Run(kind, direction, seed: seed)
        var earlier: (snapshot: LayoutSnapshot, cells: [Cell], measures: [String: Measures])?
        for step in PropertyRun.each(seed, steps: 25) {
          let origin = Comment(rawValue: "\(kind.name), \(direction)")
          let before = try run.test.keptSnapshot()
          let old = try Self.cells(before, direction)
          let oldMeasures = run.measures
          let length = direction.length(of: before.contentSize)
          let size = Size(width: 200, height: 200)
          let last = max(.zero, length - 200)
          let start = Length(
            units: Int64.random(in: -2000...(last.units + 2000), using: &run.generator))
          let visible = direction.visible(from: start, size, in: before.contentSize)
          let commit = try run.commit(visible: visible)
          guard let context = commit.layouts["layout"]?.context else { continue }
          let after = try run.test.keptSnapshot()
          let new = try Self.cells(after, direction)
          let adjustment = context.contentOffsetAdjustment
          let origins = Point(
            x: visible.minX + adjustment.x, y: visible.minY + adjustment.y)
          let moved = Rect(origin: origins, size: size)
          try Self.expect(
            moved, from: visible, (before, old), (after, new), commit.updates,
            (oldMeasures, run.measures), direction, origin, &keptCount)
          if let kept = try after.contentOffset(keeping: visible, of: before) {
            #expect(kept.contentOffset == origins, origin)
          }
          if step % 5 == 0 {
            earlier = (after, new, run.measures)
          } else if let earlier {
            let then = direction.visible(
              from: max(
                .zero, min(start, direction.length(of: earlier.snapshot.contentSize) - 200)),
              size, in: earlier.snapshot.contentSize)
            guard let kept = try after.contentOffset(keeping: then, of: earlier.snapshot) else {
              continue
            }
            let updates = try run.test.cache.changes(
              of: "feed", since: earlier.snapshot.revision
            ).updates
            try Self.expect(
              Rect(origin: kept.contentOffset, size: size), from: then,
              (earlier.snapshot, earlier.cells), (after, new), updates,
              (earlier.measures, run.measures), direction, origin, &keptCount)
          }
        }
      }
    }
    #expect(keptCount > 100)
  }

  private static func expect(
    _ moved: Rect, from visible: Rect, _ before: (snapshot: LayoutSnapshot, cells: [Cell]),
    _ after: (snapshot: LayoutSnapshot, cells: [Cell]), _ updates: DatasetUpdates,
    _ measures: (old: [String: Measures], new: [String: Measures]), _ direction: Direction,
    _ origin: Comment, _ keptCount: inout Int
  ) throws {
    let (old, new) = (before.snapshot.contentSize, after.snapshot.contentSize)
    let length = direction.length(of: visible.size)
    let start = direction.start(of: visible, in: old)
    let now = direction.start(of: moved, in: new)
    let last = max(.zero, direction.length(of: new) - length)
    #expect((.zero...last).contains(now), origin)
    let found = anchor(
      visible, before.cells, after.cells, updates, measures, direction, in: old)
    guard let found else { return }
    let wanted = found.new.range.lowerBound - (found.old.range.lowerBound - start)
    // A partly visible cell may have become so short that it would be invisible.
    if found.new.range.upperBound <= wanted { return }
    #expect(now == max(.zero, min(wanted, last)), origin)
    keptCount += 1
  }

  @Test func aCutCellThatGrowsLeavesTheWholeCellsInPlace() throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 44), count: 50))],
      configuration:
        #"{"container":{"width":100},"section":{"columns":1,"itemLength":"natural","header":40}}"#)
    let visible = Rect(x: 0, y: 514, width: 100, height: 300)
    let before = try test.keptSnapshot()
    let commit = try test.cache.update(
      "feed", with: [.prefer(layout: "layout", key: "s-10", length: 200)], visible: visible)
    let kept = try test.read { try $0.contentOffset(keeping: visible, of: before) }
    #expect(commit.layouts["layout"]?.context.contentOffsetAdjustment.y == 156)
    #expect(kept?.contentOffset.y == 514 + 156 && kept?.key == "s-11")
  }

  @Test func theAdjustmentEndsWithTheContent() throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: 10))],
      configuration: #"{"container":{"width":100},"section":{"columns":1,"itemLength":"natural"}}"#)
    try test.read { _ in }
    func adjustment(_ y: Length, _ operations: [BatchOperation]) throws -> Length {
      let commit = try test.cache.update(
        "feed", with: operations, visible: Rect(x: 0, y: y, width: 100, height: 300))
      return try #require(commit.layouts["layout"]).context.contentOffsetAdjustment.y
    }
    func resize(_ item: Int, _ height: Length) -> BatchOperation {
      .resize(key: "s-\(item)", size: Size(width: 100, height: height))
    }
    // Item 1 would be at 32 above the start.
    #expect(try adjustment(20, [resize(0, 48)]) == -20)
    #expect(try adjustment(-10, [resize(0, 40)]) == 10)
    #expect(try adjustment(640, [resize(9, 60)]) == -40)
    // No visible cell remains, and the content ends before the visible rectangle.
    #expect(try adjustment(500, [.delete(keys: (1..<10).map { "s-\($0)" })]) == -500)
  }
}
