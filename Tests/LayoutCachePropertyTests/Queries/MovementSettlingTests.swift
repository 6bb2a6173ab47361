import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: in random feeds and layouts of all kinds, axes and directions, with and without
// effects, one or several items are dragged over random points, with and without visible bounds.
// Each step is repeated, and also made by a movement that is resumed from the previous target.
//
// Invariants: a second update with the same point changes nothing; a new target is the one to
// which the point maps with the items at that target; a point on the dragged items' cells changes
// nothing; a resumed movement has the same target, order and batch; without effects, visible
// bounds make no difference.

@Suite struct MovementSettlingTests {
  @Test(.property, arguments: PropertyRun.seeds, TestKinds.mixes)
  func aTargetSettlesInOneUpdate(seed: UInt64, kinds: RandomConfiguration.Kinds) throws {
    var generator = SeededGenerator(seed: seed)
    var takenCount = 0
    for round in PropertyRun.each(seed, rounds: 8) {
      var source = RandomFeed(sectionCountMax: 4, itemCountMax: 25)
      let sections = source.sections(using: &generator)
      let keys = sections.flatMap { $0.items.map(\.key) }
      guard !keys.isEmpty else { continue }
      let text = RandomConfiguration(kinds: kinds, allowsEffects: round % 2 == 1).text(
        sectionKeys: sections.map(\.key), using: &generator)
      let test = try TestFeed(
        sections, configuration: text,
        options: LayoutCacheOptions.randomShapes(using: &generator))
      let snapshot = try test.read { $0 }
      for _ in 0..<3 {
        let count = generator.oneIn(2) ? 1 : Int.random(in: 2...4, using: &generator)
        let moving = Array(keys.shuffled(using: &generator).prefix(count))
        var movement = try snapshot.beginMovement(of: moving)
        for step in 0..<6 {
          let origin: Comment = "move \(step), \(moving)\n\(text)"
          let before = movement.targetIndexPath
          let rects = RandomRects(movement.snapshot, frames: [])
          let rect = rects.next(using: &generator)
          let point = Point(x: Length(units: rect.x), y: Length(units: rect.y))
          let visible = generator.oneIn(2) ? Rect(rects.next(using: &generator)) : nil
          if !text.contains("effect") {
            #expect(
              try movement.targetIndexPath(for: point, visible: visible)
                == movement.targetIndexPath(for: point), origin)
          }
          let isOver = try isOnMovingCell(point, visible: visible, movement)
          try movement.update(to: point, visible: visible)
          let taken = movement.targetIndexPath
          if taken != before {
            takenCount += 1
            #expect(!isOver, origin)
            #expect(try movement.targetIndexPath(for: point, visible: visible) == taken, origin)
          }
          let again = try movement.update(to: point, visible: visible)
          #expect(again.isEmpty && movement.targetIndexPath == taken, origin)
          var resumed = try snapshot.beginMovement(of: moving, at: before)
          try resumed.update(to: point, visible: visible)
          #expect(resumed.targetIndexPath == taken, origin)
          #expect(resumed.end() == movement.end(), origin)
          #expect(resumed.context == movement.context, origin)
          #expect(
            try OracleElement.all(of: resumed.snapshot) == OracleElement.all(of: movement.snapshot))
        }
      }
    }
    #expect(takenCount > 0)
  }

  /// Whether the topmost element at a point, with nothing pinned, is a cell that moves.
  private func isOnMovingCell(
    _ point: Point, visible: Rect?, _ movement: InteractiveMovement
  ) throws -> Bool {
    guard visible == nil, let topmost = try movement.snapshot.element(at: point),
      case .cell(let key) = topmost.category
    else { return false }
    return movement.items.contains(key)
  }

  private func list(_ count: Int) throws -> TestFeed {
    try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 44), count: count))],
      configuration: #"""
        {"container":{"width":100},
         "section":{"columns":1,"itemLength":"natural","header":40,"footer":30,
          "pinsHeader":true,"pinsFooter":true}}
        """#)
  }

  @Test func aShortItemOverALongOneStaysUntilItFits() throws {
    let test = try list(3)
    try test.cache.update("feed", with: [.prefer(layout: "layout", key: "s-1", length: 300)])
    // s-1 from 84 to 384; with s-0 after it from 40 to 340.
    var movement = try test.read { try $0.beginMovement(of: ["s-0"]) }
    var targets: [Int?] = []
    for y: Length in [160, 160, 339, 340, 340, 100, 84, 83, 83] {
      try movement.update(to: Point(x: 50, y: y))
      targets.append(movement.targetIndexPath.item)
    }
    #expect(targets == [0, 0, 0, 1, 1, 1, 1, 0, 0])
  }

  @Test func aDragUnderAPinnedHeaderIsOverTheRow() throws {
    let test = try list(3000)
    let visible = Rect(x: 0, y: 44_000, width: 100, height: 800)
    var movement = try test.read { try $0.beginMovement(of: ["s-1010"]) }
    #expect(
      try movement.snapshot.element(at: Point(x: 50, y: 44_010), visible: visible)?.category
        == .supplementary(kind: .header))
    try movement.update(to: Point(x: 50, y: 44_010), visible: visible)
    #expect(movement.targetIndexPath.item == 999)
    // The pinned footer covers the end of the visible rectangle.
    try movement.update(to: Point(x: 50, y: 44_790), visible: visible)
    #expect(movement.targetIndexPath.item == 1017)
    // Without pinning, header and footer are at the section's ends.
    try movement.update(
      to: Point(x: 50, y: 20), visible: Rect(x: 0, y: 0, width: 100, height: 800))
    #expect(movement.targetIndexPath.item == 0)
    try movement.update(
      to: Point(x: 50, y: 132_050), visible: Rect(x: 0, y: 131_270, width: 100, height: 800))
    #expect(movement.targetIndexPath.item == 2999)
  }

  @Test(
    arguments: [#""width":300"#, #""height":300"#], ["leftToRight", "rightToLeft"])
  func theFreeSlotOfTheLastRowKeepsTheLastItemLast(container: String, direction: String) throws {
    let scroll = container.contains("width") ? "vertical" : "horizontal"
    for section in [
      #"{"kind":"grid","columns":3,"rowLength":100}"#,
      #"{"kind":"flow","itemSize":{"width":100,"height":100},"minimumInteritemSpacing":0,"minimumLineSpacing":0}"#,
      #"{"kind":"justified","targetRowLength":100,"spacing":0}"#,
    ] {
      let text = """
        {"container":{\(container)},"scrollDirection":"\(scroll)",
         "layoutDirection":"\(direction)","section":\(section)}
        """
      let test = try TestFeed(
        [OracleSection("s", sizes: Array(repeating: (100, 100), count: 5))], configuration: text)
      try test.read { snapshot in
        let space = snapshot.plan.space
        for along in [100, 101, 110, 150, 190, 199] {
          for across in [201, 250, 299] {
            let slot = Rect(
              x: Length(units: Int64(across * 64)), y: Length(units: Int64(along * 64)),
              width: Length(units: 1), height: Length(units: 1))
            let point = space.content(slot, mainLength: snapshot.mainLength).origin
            for held in 0..<5 {
              var movement = try snapshot.beginMovement(of: ["s-\(held)"])
              try movement.update(to: point)
              #expect(movement.targetIndexPath.item == 4, "\(held) at \(along), \(across)\n\(text)")
              #expect(movement.end().isEmpty == (held == 4))
            }
          }
        }
      }
    }
  }

  @Test func invalidMovementsAreErrors() throws {
    let test = try TestFeed(
      [OracleSection("a", sizes: [(1, 1), (1, 1)]), OracleSection("b", sizes: [])],
      configuration: #"{"container":{"width":100}}"#)
    let empty = try TestFeed([], configuration: #"{"container":{"width":100}}"#)
    func isLimit(_ error: any Error) -> Bool {
      if case .limit? = (error as? LayoutCacheError)?.code { true } else { false }
    }
    #expect(performing: { try test.read { try $0.beginMovement(of: []) } }, throws: isLimit)
    #expect(performing: { try empty.read { try $0.beginMovement(of: []) } }, throws: isLimit)
    #expect(throws: LayoutCacheError.self) { try empty.read { try $0.beginMovement(of: ["a"]) } }
    for target in [
      IndexPath(section: 2, item: 0), IndexPath(section: -1, item: 0),
      IndexPath(section: 0, item: 2), IndexPath(section: 0, item: -1),
      IndexPath(section: 1, item: 1), IndexPath(section: .max, item: .max),
      IndexPath(section: .min, item: 0), IndexPath(section: 0, item: .max - 1),
    ] {
      #expect(
        performing: { try test.read { try $0.beginMovement(of: ["a-0"], at: target) } },
        throws: isLimit)
    }
    for target in [
      IndexPath(section: 0, item: 1), IndexPath(section: 0, item: 0),
      IndexPath(section: 1, item: 0),
    ] {
      let movement = try test.read { try $0.beginMovement(of: ["a-0"], at: target) }
      #expect(movement.targetIndexPath == target)
    }
  }
}
