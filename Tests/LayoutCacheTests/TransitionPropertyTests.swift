import CollectionLayout
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: snapshots of a random feed are kept while random batches commit, of two
// layouts of random kinds, with effects, pinned elements, all
// directions. Transitions between any two of them are compared with what a person would do by
// hand: ask both for everything with the rectangles as visible bounds, and sort it by key.
//
// Invariants: every element of either rectangle is in exactly one group; initial and final
// attributes are the two snapshots' own answers, in sight or not; what only one of them has is
// said to be inserted or deleted; progress 0 and 1 are the ends.

@Suite struct TransitionPropertyTests {
  /// What an element is called, whatever the snapshot.
  private static func name(_ element: LayoutAttributes) -> [UInt8] {
    switch element.category {
    case .cell(let key): Array("cell \(key)".utf8)
    case .supplementary(let kind): Array("\(kind.rawValue) \(element.sectionKey)".utf8)
    case .decoration(let kind): Array("decoration \(kind) \(element.sectionKey)".utf8)
    }
  }

  private struct Side {
    var shown: [LayoutAttributes]
    /// All elements that there are, as they are shown with the visible bounds.
    var all: [[UInt8]: LayoutAttributes] = [:]

    init(_ snapshot: LayoutSnapshot, _ visible: Rect) throws {
      shown = try snapshot.elements(in: visible).elements
      for element in try snapshot.elements(
        in: Rect(RandomRects.everything), visible: visible
      ).elements { all[name(element)] = element }
    }
  }

  @Test(arguments: PropertyRun.seeds)
  func theEndsAreTheTwoSnapshotsOwnAnswers(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<PropertyRun.steps(2) {
      var source = RandomFeed(itemCountMax: 40)
      let sections = source.sections(using: &generator)
      let texts = (0..<2).map { _ in
        RandomConfiguration(
          kinds: TestKinds.mixes[round % 2], allowsEffects: generator.oneIn(2)
        ).text(sectionKeys: sections.map(\.key), using: &generator)
      }
      var feed = try OracleFeed(configuration: texts[0], sections: sections)
      var batches = RandomBatch(source: source)
      let test = try TestFeed(
        sections, configuration: texts[0], options: .randomShapes(using: &generator))
      let other = LayoutID("other", of: "feed")
      try test.cache.setLayout(other, to: ConfigurationText.decode(texts[1]))
      var kept: [LayoutSnapshot] = []
      for step in 0..<PropertyRun.steps(8) {
        let present: [LayoutSnapshot] = [
          try test.read { snapshot in
            // To keep a snapshot is not what `read` is for: its nodes are read first.
            _ = try OracleElement.all(of: snapshot)
            return snapshot
          },
          try test.cache.read(other) { snapshot in
            _ = try OracleElement.all(of: snapshot)
            return snapshot
          },
        ]
        kept = kept.suffix(4) + present
        for _ in 0..<6 {
          let from = kept.randomElement(using: &generator)!
          let to = kept.randomElement(using: &generator)!
          try check(
            from, to, using: &generator, "seed \(seed), round \(round), step \(step)\n\(texts)")
        }
        let batch = batches.next(for: feed, using: &generator)
        try feed.apply(batch)
        if batch.isEverything { try feed.layOutFromScratch() }
        // Its lengths are of one layout, which says whether it takes any.
        try test.cache.update("feed", with: batch.map { try BatchOperation($0) })
      }
    }
  }

  private func check(
    _ from: LayoutSnapshot, _ to: LayoutSnapshot, using generator: inout SeededGenerator,
    _ origin: Comment
  ) throws {
    func rect(_ snapshot: LayoutSnapshot) -> Rect {
      let size = snapshot.contentSize
      return Rect(
        RandomRects(contentSize: UnitSize(width: size.width.units, height: size.height.units))
          .next(using: &generator))
    }
    let rects = (rect(from), rect(to))
    let (before, after) = (try Side(from, rects.0), try Side(to, rects.1))
    let transition = try from.transition(to: to, in: rects.0, becoming: rects.1)
    let (old, new) = (Set(before.shown.map(Self.name)), Set(after.shown.map(Self.name)))
    let groups = [transition.appearing, transition.disappearing, transition.moving]
    let names = groups.map { $0.map { Self.name($0.final) } }
    #expect(names[0] == after.shown.map(Self.name).filter { !old.contains($0) }, origin)
    #expect(names[1] == before.shown.map(Self.name).filter { !new.contains($0) }, origin)
    #expect(names[2] == after.shown.map(Self.name).filter { old.contains($0) }, origin)
    #expect(names.joined().count == old.union(new).count, origin)
    let shownBefore = Dictionary(uniqueKeysWithValues: before.shown.map { (Self.name($0), $0) })
    let shownAfter = Dictionary(uniqueKeysWithValues: after.shown.map { (Self.name($0), $0) })
    for element in groups.joined() {
      let name = Self.name(element.final)
      #expect(Self.name(element.initial) == name, origin)
      switch element.change {
      case .insert:
        #expect(before.all[name] == nil, origin)
        #expect(element.final == shownAfter[name], origin)
        #expect(element.initial.alpha == 0, origin)
      case .delete:
        #expect(after.all[name] == nil, origin)
        #expect(element.initial == shownBefore[name], origin)
        #expect(element.final.alpha == 0, origin)
      case .none:
        expect(element.initial, isShownBy: before, shownBefore[name], origin)
        expect(element.final, isShownBy: after, shownAfter[name], origin)
      }
    }
    #expect(transition.attributes(at: 0).count == names.joined().count)
    let order = transition.disappearing + transition.moving + transition.appearing
    #expect(transition.attributes(at: 0) == order.map(\.initial), origin)
    #expect(transition.attributes(at: 1) == order.map(\.final), origin)
    #expect(transition.visibleRect(at: 0) == rects.0 && transition.visibleRect(at: 1) == rects.1)
  }

  /// Of what is in sight the answer itself; of what is not, as a query for everything with
  /// the same visible bounds shows it.
  private func expect(
    _ element: LayoutAttributes, isShownBy side: Side, _ shown: LayoutAttributes?,
    _ origin: Comment
  ) {
    if let shown { return #expect(element == shown, origin) }
    // What has no extent is never in sight; an effect may take a cell as far as the visible
    // bounds are.
    if element.untransformedFrame.isEmpty { return }
    guard element.frame.intersects(Rect(RandomRects.everything)) else { return }
    #expect(side.all[Self.name(element)] == element, origin)
  }

  @Test func aChangeOfTheBatchIsInsertedOrDeleted() throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: 6))],
      configuration: #"""
        {"container":{"width":100,"height":300},
         "section":{"columns":1,"header":20,"background":{"kind":"card"}}}
        """#)
    let rect = Rect(x: 0, y: 0, width: 100, height: 300)
    let before = try test.read { snapshot in
      _ = try OracleElement.all(of: snapshot)
      return snapshot
    }
    try test.cache.update(
      "feed",
      with: [
        .delete(keys: ["s-0"]),
        .insert([try Item(key: "new", width: 1, height: 1)], at: .after("s-1")),
        .insertSection(key: "t", index: 0),
      ])
    let transition = try test.read { try before.transition(to: $0, in: rect) }
    #expect(
      transition.appearing.map(\.final.description) == [
        "header at 0 (x 0, y 0, 100 x 20)", "cell 'new' at 1.1 (x 0, y 140, 100 x 100)",
      ])
    #expect(transition.appearing.map(\.change) == [.insert, .insert])
    #expect(transition.appearing.map(\.initial.alpha) == [0, 0])
    #expect(
      transition.disappearing.map(\.initial.description) == [
        "cell 's-0' at 0.0 (x 0, y 20, 100 x 100)"
      ])
    #expect(transition.disappearing.map(\.change) == [.delete])
    #expect(
      transition.moving.map { "\($0.initial) -> \($0.final.frame)" } == [
        "decoration 'card' at 0 (x 0, y 20, 100 x 600) -> (x 0, y 40, 100 x 600)",
        "header at 0 (x 0, y 0, 100 x 20) -> (x 0, y 20, 100 x 20)",
        "cell 's-1' at 0.1 (x 0, y 120, 100 x 100) -> (x 0, y 40, 100 x 100)",
        "cell 's-2' at 0.2 (x 0, y 220, 100 x 100) -> (x 0, y 240, 100 x 100)",
      ])
    #expect(transition.indexPathsToInsert(forSupplementary: .header) == [.init(section: 0)])
    #expect(transition.indexPathsToDelete(forSupplementary: .header) == [])
    #expect(transition.indexPathsToInsert(forDecoration: "card") == [])
    #expect(transition.indexPathsToDelete(forDecoration: "card") == [])
    let middle = transition.attributes(at: 0.5).map { "\($0.frame) \($0.alpha)" }
    #expect(
      middle == [
        "(x 0, y 20, 100 x 100) 0.5", "(x 0, y 30, 100 x 600) 1.0", "(x 0, y 10, 100 x 20) 1.0",
        "(x 0, y 80, 100 x 100) 1.0", "(x 0, y 230, 100 x 100) 1.0", "(x 0, y 0, 100 x 20) 0.5",
        "(x 0, y 140, 100 x 100) 0.5",
      ])
    #expect(throws: LayoutCacheError.self) {
      try test.read { try before.transition(to: $0, in: rect, limit: 3) }
    }
  }

  /// Cells that slide in from the leading edge, and out beyond the trailing one.
  private struct Sliding: SectionLayout {
    static let kind = "sliding"
    private let width: Length

    init(options: [String: ConfigurationValue], in space: SectionSpace) {
      width = space.container.width
    }

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      ItemPlacement(frame: Rect(x: 0, y: 0, width: width, height: 50), advance: 50)
    }

    func initialAttributes(forAppearing element: LayoutAttributes) -> LayoutAttributes {
      var initial = element
      initial.untransformedFrame.origin.x = -width
      initial.indexPath = .init(section: 99, item: 99)
      return initial
    }

    func finalAttributes(forDisappearing element: LayoutAttributes) -> LayoutAttributes {
      var final = element
      final.untransformedFrame.origin.x = width
      return final
    }
  }

  @Test func aCustomKindSaysWhereItsElementsComeFromAndGo() throws {
    for isMirrored in [false, true] {
      let test = try TestFeed(
        [OracleSection("s", sizes: [(1, 1), (1, 1)])],
        configuration:
          #"{"container":{"width":80},"section":{"kind":"sliding"},"layoutDirection":""#
          + (isMirrored ? "rightToLeft\"}" : "leftToRight\"}"), kinds: [Sliding.self])
      let before = try test.read { snapshot in
        _ = try OracleElement.all(of: snapshot)
        return snapshot
      }
      try test.cache.update(
        "feed",
        with: [
          .delete(keys: ["s-0"]),
          .insert([try Item(key: "new", width: 1, height: 1)], at: .end(section: "s")),
        ])
      let transition = try test.read {
        try before.transition(to: $0, in: Rect(x: 0, y: 0, width: 80, height: 400))
      }
      let appearing = try #require(transition.appearing.first)
      #expect(appearing.initial.frame.minX == (isMirrored ? 80 : -80))
      #expect(appearing.initial.indexPath == appearing.final.indexPath)
      #expect(appearing.final.frame.minX == 0)
      let disappearing = try #require(transition.disappearing.first)
      #expect(disappearing.final.frame.minX == (isMirrored ? -80 : 80))
    }
  }

  @Test func aLayoutOfThePastIsReadFromTheLog() throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (100, 100), count: 20))],
      configuration: #"{"container":{"width":100},"section":{"columns":1}}"#)
    let layout = LayoutID("layout", of: "feed")
    let first = try test.read { try OracleElement.all(of: $0) }
    for key in ["s-3", "s-5", "s-7"] { try test.cache.update("feed", with: [.delete(keys: [key])]) }
    let other = try LayoutCache(path: test.path)
    for cache in [test.cache, other] {
      let (past, revisions) = try cache.read(layout, since: 1) { before, present in
        (try before.map { try OracleElement.all(of: $0) }, [before?.revision, present.revision])
      }
      #expect(past == first)
      #expect(revisions == [1, 4])
      let isSame = try cache.read(layout, since: 4) { $0 === $1 }
      #expect(isSame)
    }
    #expect(throws: LayoutCacheError.self) { try test.cache.read(layout, since: 5) { _, _ in } }
  }
}
