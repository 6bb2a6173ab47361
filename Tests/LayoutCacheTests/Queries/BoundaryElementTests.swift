import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// The elements that a configuration lists around a section: in tokens, contexts and drags. Worlds
/// judge their positions and pages.
@Suite struct BoundaryElementTests {
  private static let id = LayoutID("layout", of: "feed")
  private static let list = #"""
    "supplementary":[{"kind":"filter","length":10,"pins":true},{"kind":"tabs","length":5},
      {"kind":"total","edge":"bottom","length":8,"pins":true},
      {"kind":"note","edge":"bottom","length":4}]
    """#
  private static func configuration(_ section: String = "\"header\":6,\"footer\":3,\(list)")
    -> String
  {
    #"{"container":{"width":100},"section":{"kind":"grid","columns":1,"rowLength":50,\#(section)}}"#
  }
  private static let window = Rect(x: 0, y: 0, width: 100, height: 1000)

  /// A feed whose layout is active, so that commits have contexts.
  private func feed(_ configuration: String = configuration()) throws -> TestFeed {
    let feed = try TestFeed(
      ["a", "b"].map { OracleSection($0, sizes: [(1, 1), (1, 1)]) }, configuration: configuration)
    try feed.read { #expect($0.itemCount == 4) }
    return feed
  }

  /// A token is valid with any position; the elements before it are not answered.
  @Test func anyPositionOfATokenIsAnswered() throws {
    let feed = try feed()
    let next = try #require(try feed.read { try $0.elements(in: Self.window, limit: 2).next })
    let bytes = try #require(tokenBytes(next.token)).dropLast(4)
    // The part and the item of the last element, before the empty key and the limit.
    let place = try #require(
      bytes.indices.dropLast().last { bytes[$0...].starts(with: [9, 1, 0]) })
    for part in UInt8(0)...12 {
      for item in [0, 1, 5, 17, 127] as [UInt8] {
        var changed = Array(bytes)
        changed.replaceSubrange(place...(place + 1), with: [part, item])
        let token = tokenText(changed + Continuation.check(changed))
        guard let continuation = Continuation(token: token) else {
          #expect(part == SectionPart.cells.rawValue || part > 10)
          continue
        }
        let count = try feed.read { try $0.elements(after: continuation, limit: 99).elements.count }
        #expect(count <= 16)
      }
    }
  }

  @Test func contextsNameThemWhereTheyMayHaveMoved() throws {
    let feed = try feed()
    func sections(_ operation: BatchOperation) throws -> [[String]] {
      let context = try feed.cache.update("feed", with: [operation]).layouts["layout"]?.context
      return try #require(context).sections.map {
        $0.supplementaryElements.map(\.rawValue).sorted()
      }
    }
    #expect(try sections(.delete(keys: ["a-1"])) == [["footer", "note", "total"]])
    #expect(
      try sections(.preferSupplementary(layout: "layout", kind: .header, section: "a", length: 9))
        == [["filter", "footer", "header", "note", "tabs", "total"]])
    #expect(
      try sections(
        .invalidateElements(layout: "layout", kinds: ["total", "tabs"], sections: ["b"]))
        == [["tabs", "total"]])
    let error = #expect(throws: LayoutCacheError.self) {
      try sections(.preferSupplementary(layout: "layout", kind: "filter", section: "a", length: 9))
    }
    #expect("\(error!)".contains("section 'a' has no filter"))
    try feed.read { snapshot in
      let context = try snapshot.invalidationContext(forBoundsChange: Self.window)
      #expect(
        context.sections.map(\.supplementaryElements) == [
          ["filter", "total"], ["filter", "total"],
        ])
    }
    // Only those differ.
    try feed.cache.setLayout(
      Self.id,
      to: ConfigurationText.decode(
        Self.configuration().replacing("\"length\":5", with: "\"length\":5,\"zIndex\":7")))
    let prepared = try #require(try feed.cache.prepare(Self.id).context)
    #expect(prepared.sections.count == 2 && prepared.work.recomputedItems == 0)
    #expect(prepared.sections.allSatisfy { $0.supplementaryElements.contains("tabs") })
  }

  @Test func aDragOverThemMeansTheirEndOfTheSection() throws {
    try feed().read { snapshot in
      let movement = try snapshot.beginMovement(of: ["a-0"])
      func target(_ y: Length) throws -> String {
        try movement.targetIndexPath(for: Point(x: 5, y: y)).description
      }
      #expect(
        try [target(10), target(18), target(123), target(128)] == ["0.0", "0.0", "0.1", "0.1"])
      #expect(try [target(145), target(155)] == ["1.0", "1.0"])
    }
  }

  @Test(arguments: [
    (#"[{"kind":"a","length":1,"lenght":2}]"#, "unknown member 'lenght'"),
    (#"[{"kind":"a"}]"#, "'length' is missing (in section.supplementary.0)"),
    (#"[{"kind":"a","length":0}]"#, "(in section.supplementary.0)"),
    (#"[{"kind":"","length":1}]"#, "an element's kind is empty"),
    (
      #"[{"kind":"a","length":1},{"kind":"a","length":1}]"#,
      "supplementary.0 and supplementary.1 both have the kind 'a'"
    ),
    (#"[{"kind":"header","length":1}]"#, "the header and supplementary.0 both"),
    (#"[{"kind":"a","length":1,"crossLength":101}]"#, "its crossLength is above 100"),
    (#"[{"kind":"a","length":1,"edge":"left"}]"#, "'left' is not one of 'top', 'bottom'"),
  ])
  func aListWithoutRoomOrWithEqualKindsIsRejected(list: String, detail: String) throws {
    let error = #expect(throws: (any Error).self) {
      try feed(Self.configuration("\"supplementary\":\(list)"))
    }
    #expect("\(error!)".contains(detail), "\(error!)")
  }

  @Test func theyDoNotHaveAKindOfTheSectionsKind() throws {
    #expect(throws: (any Error).self) {
      try feed(
        #"{"container":{"width":100},"section":{"kind":"curious","supplementary":[{"kind":"badge","length":4}]}}"#
      )
    }
  }
}
