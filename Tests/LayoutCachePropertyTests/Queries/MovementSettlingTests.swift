import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

@Suite struct MovementSettlingTests {
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
    try movement.update(to: Point(x: 50, y: 20), visible: Rect(x: 0, y: 0, width: 100, height: 800))
    #expect(movement.targetIndexPath.item == 0)
    try movement.update(
      to: Point(x: 50, y: 132_050), visible: Rect(x: 0, y: 131_270, width: 100, height: 800))
    #expect(movement.targetIndexPath.item == 2999)
  }

  @Test(arguments: [#""width":300"#, #""height":300"#], ["leftToRight", "rightToLeft"])
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
