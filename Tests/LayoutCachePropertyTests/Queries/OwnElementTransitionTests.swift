import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

@testable import LayoutCache

/// Custom elements in transitions: each is in exactly one group. Elements of a cell are identified by
/// the item, those of a section by their numbers. Worlds judge badges and decorations.
@Suite struct OwnElementTransitionTests {
  @Test func aBadgeIsIdentifiedByItsItemAndALineByItsNumber() throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (50, 100), count: 4))],
      configuration: #"""
        {"container":{"width":200},"section":{"kind":"curious","options":{"data":true}}}
        """#)
    try test.cache.update("feed", with: [.data(key: "s-3", try ItemData(json: #"{"n":1}"#))])
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
