import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: snapshots of random feeds in two layouts are retained during random batches that move
// items and sections. Some sections use a kind with custom elements, others a built-in kind; a
// section may differ between the layouts. Transitions between any two snapshots are compared with
// the oracle's.
//
// Invariant: each element is in exactly one group: elements of a cell are identified by the item,
// those of a section by their numbers.

@Suite struct OwnElementTransitionTests {
  /// The kinds of sections; the first ones accept preferred lengths.
  private static let kinds = [
    #"{"kind":"curious","options":{"data":true}}"#,
    #"{"kind":"curious","options":{"index":true,"lookahead":2,"data":true}}"#,
    #"{"kind":"waterfall","columns":3}"#, #"{"kind":"flow"}"#, #"{"kind":"stack"}"#,
    #"{"kind":"grid","columns":2}"#, #"{"kind":"justified","targetRowLength":30}"#,
    #"{"kind":"circle","itemSize":{"width":9,"height":9}}"#,
  ]

  private static func configuration(
    takingLengths: Bool, _ random: inout SeededGenerator
  ) -> String {
    let kinds = kinds.prefix(takingLengths ? 5 : 8)
    let sections = (0..<6).map { section in
      let kind = random.oneIn(2) ? kinds[0] : kinds.randomElement(using: &random)!
      return "\"\(section)\":\(kind)"
    }
    let direction = ["vertical", "horizontal"].randomElement(using: &random)!
    let layout = ["leftToRight", "rightToLeft"].randomElement(using: &random)!
    // A background may have the same name as a custom element.
    let background = ["card", "line"].randomElement(using: &random)!
    return """
      {"container":{"width":200,"height":200},"sectionSpacing":7,
       "scrollDirection":"\(direction)","layoutDirection":"\(layout)",
       "section":{"kind":"stack","header":20,"footer":10,"pinsHeader":true,
         "background":{"kind":"\(background)"}},
       "sections":{\(sections.joined(separator: ","))}
       \(random.oneIn(3) ? #","effect":{"kind":"scale"}"# : "")}
      """
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func eachElementIsInExactlyOneGroup(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    // The number of elements on both sides, by whether they belong to a cell.
    var (ofCells, ofSections) = (0, 0)
    for _ in PropertyRun.each(seed, rounds: 3) {
      let directory = try TemporaryDirectory()
      let cache = try LayoutCache(
        path: directory.path(of: "feed.sqlite"), options: .randomShapes(using: &random),
        sectionLayouts: TestKinds.all)
      let feed = ListedFeed(using: &random)
      try feed.create(in: cache)
      let layouts = ["a", "b"].map { LayoutID($0, of: "feed") }
      let texts = [true, false].map { Self.configuration(takingLengths: $0, &random) }
      for (layout, text) in zip(layouts, texts) {
        try cache.setLayout(layout, to: ConfigurationText.decode(text))
      }
      var kept: [LayoutSnapshot] = []
      for _ in PropertyRun.each(seed, steps: 6) {
        kept = try kept.suffix(4) + layouts.map { try cache.keptSnapshot(of: $0) }
        for _ in 0..<6 {
          let (from, to) = (
            kept.randomElement(using: &random)!, kept.randomElement(using: &random)!
          )
          let transition = try TransitionOracle(from: from, to: to, using: &random)
            .check("\(texts)")
          try Self.checkIndexPaths(from: from, to: to)
          for element in transition.moving where element.final.indexPath.item != nil {
            guard let kind = element.final.representedElementKind else { continue }
            if CuriousKind.isOfCell(kind) { ofCells += 1 } else { ofSections += 1 }
          }
        }
        try cache.update("feed", with: try feed.batch(&random))
      }
    }
    #expect(ofCells > 0 && ofSections > 0)
  }

  /// All index paths of inserted and deleted elements are those of the transition of the whole
  /// content.
  private static func checkIndexPaths(from: LayoutSnapshot, to: LayoutSnapshot) throws {
    let transition = try from.transition(to: to, in: Rect(RandomRects.everything))
    let inserted = transition.appearing.filter { $0.change == .insert }.map(\.final)
    let deleted = transition.disappearing.filter { $0.change == .delete }.map(\.initial)
    for category in Set((inserted + deleted).map(\.category)) {
      func paths(_ elements: [LayoutAttributes]) -> [LayoutAttributes.IndexPath] {
        elements.filter { $0.category == category }.map(\.indexPath).sorted()
      }
      // Those with empty frames are in no rectangle.
      func missing(
        _ snapshot: LayoutSnapshot, _ other: LayoutSnapshot
      ) throws -> [LayoutAttributes.IndexPath]? {
        switch category {
        case .cell: nil
        case .supplementary(let kind):
          try snapshot.indexPaths(ofSupplementary: kind, missingIn: other).filter {
            try snapshot.attributes(forSupplementary: kind, at: $0)?.frame.isEmpty == false
          }
        case .decoration(let kind):
          try snapshot.indexPaths(ofDecoration: kind, missingIn: other).filter {
            try snapshot.attributes(forDecoration: kind, at: $0)?.frame.isEmpty == false
          }
        }
      }
      guard let created = try missing(to, from), let gone = try missing(from, to) else { continue }
      #expect(created == paths(inserted) && gone == paths(deleted), "\(category)")
    }
  }

  @Test func aBadgeIsIdentifiedByItsItemAndALineByItsNumber() throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (50, 100), count: 4))],
      configuration: #"""
        {"container":{"width":200},"section":{"kind":"curious","options":{"data":true}}}
        """#)
    try test.cache.update(
      "feed", with: [.data(key: "s-3", try ItemData(json: #"{"n":1}"#))])
    let before = try test.keptSnapshot()
    try test.cache.update("feed", with: [.move(key: "s-3", to: .index(0, section: "s"))])
    let everything = Rect(RandomRects.everything)
    let transition = try test.read { try before.transition(to: $0, in: everything) }
    func paths(_ kind: String) -> [String] {
      transition.moving.filter { $0.final.representedElementKind == kind }
        .map { "\($0.initial.indexPath) \($0.final.indexPath)" }
    }
    #expect(paths("badge") == ["0.3 0.0"])
    #expect(paths("corner") == ["0.7 0.7"])
    let lines = try before.elements(in: everything).elements
      .count { $0.category == .decoration(kind: "line") }
    #expect(lines > 3)
    #expect(paths("line") == (0..<lines).map { "0.\($0) 0.\($0)" })
    // Every third cell has a dot: the moved item keeps its dot, and another item gets one.
    #expect(paths("dot") == ["0.3 0.0"])
    #expect(transition.disappearing.map(\.initial.indexPath.description) == ["0.0"])
    #expect(transition.disappearing.map(\.change) == [.delete])
    #expect(transition.appearing.map(\.final.indexPath.description) == ["0.3"])
    #expect(transition.appearing.map(\.change) == [.insert])
  }

  /// A stack with a line at the start of each item of 100 points.
  private struct Ruled: SectionLayout, SectionDecorator {
    static let kind = "ruled"
    /// The number of times that a section's lines were computed.
    static let computations = Atomic(0)
    let sectionKinds: Set<CustomElement.Kind> = [.decoration("line")]

    init(options: [String: ConfigurationValue], in space: SectionSpace) {}

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      ItemPlacement(frame: Rect(x: 0, y: 0, width: 100, height: 100), advance: 100)
    }

    func elements(in rect: Rect, of section: DecoratedSection) -> [CustomElement] {
      Self.computations.add(1, ordering: .relaxed)
      return (0..<Int(section.contentLength.points / 100)).map {
        let y = Length.points(Double($0 * 100))
        return CustomElement(
          kind: .decoration("line"), index: $0, frame: Rect(x: 0, y: y, width: 100, height: 1))
      }
    }
  }

  @Test func customElementsOfASectionAreComputedOncePerSearch() throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (1, 1), count: 200))],
      configuration: #"{"container":{"width":100},"section":{"kind":"ruled"}}"#,
      kinds: [Ruled.self])
    let transition = try test.read { snapshot in
      try snapshot.transition(
        to: snapshot, in: Rect(x: 0, y: 0, width: 100, height: 4000),
        becoming: Rect(x: 0, y: 16_000, width: 100, height: 4000))
    }
    for elements in [transition.appearing, transition.disappearing] {
      let lines = elements.filter { $0.final.category == .decoration(kind: "line") }
      #expect(lines.count == 40)
      #expect(lines.allSatisfy { $0.change == .none && $0.initial == $0.final })
    }
    // Once for each of the two queries, and for each search for the other side's elements.
    #expect(Ruled.computations.load(ordering: .relaxed) == 4)
  }
}
