import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// The position that a point means, by the elements at it.
@Suite struct MovementTargetTests {
  @Test(arguments: [["s-4"], ["s-4", "s-1"], ["s-1", "s-4"]])
  func theHeldItemIsWhereItWasBeforeTheFirstUpdate(_ keys: [String]) throws {
    let test = try TestFeed(
      [.mixed("s", count: 20)],
      configuration: #"{"container":{"width":210},"section":{"columns":3}}"#)
    try test.read { snapshot in
      let movement = try snapshot.beginMovement(of: keys)
      let cell = try #require(try movement.snapshot.attributes(forKey: keys[0]))
      #expect(movement.position == cell.center)
      #expect(try movement.movingAttributes().allSatisfy { $0.center == cell.center })
      if keys.count == 1 {
        #expect(try snapshot.attributes(forKey: keys[0])?.center == cell.center)
      }
      let resumed = try snapshot.beginMovement(
        of: keys, at: LayoutAttributes.IndexPath(section: 0, item: 9))
      #expect(try resumed.position == resumed.snapshot.attributes(forKey: keys[0])?.center)
    }
  }

  @Test func damageOfTheFileIsAnErrorOfEachCall() throws {
    let test = try TestFeed(
      [.mixed("s", count: 2000)],
      configuration: #"{"container":{"width":210},"section":{"columns":3}}"#)
    _ = try test.cache.frames()
    try test.cache.close()
    let cache = try LayoutCache(path: test.path)
    let snapshot = try cache.read(LayoutID("layout", of: "feed")) { $0 }
    let begun = try snapshot.beginMovement(of: ["s-4"])
    try RawDatabase(path: test.path).execute("UPDATE nodes SET payload = zeroblob(20)")
    let far = LayoutAttributes.IndexPath(section: 0, item: 1900)
    let point = Point(x: 50, y: snapshot.contentSize.height - 50)
    for call in [
      { $0 = try snapshot.beginMovement(of: ["s-1800"]) },
      { $0 = try snapshot.beginMovement(of: ["s-4"], at: far) }, { _ = try $0.move(to: far) },
      { _ = try $0.update(to: point) }, { _ = try $0.targetIndexPath(for: point) },
      { _ = try $0.elements(in: Rect(origin: point, size: Size(width: 9, height: 9))) },
    ] as [(inout InteractiveMovement) throws -> Void] {
      var movement = begun
      #expect {
        try call(&movement)
      } throws: { ($0 as? LayoutCacheError)?.category == .corrupt }
    }
  }

  @Test func aPointMeansTheElementOrTheNearestPosition() throws {
    let test = try TestFeed(
      [
        OracleSection("a", sizes: Array(repeating: (100, 100), count: 4)),
        OracleSection("b", sizes: []), OracleSection("c", sizes: [(100, 100)]),
      ],
      configuration: #"""
        {"container":{"width":210,"height":300},"sectionSpacing":40,
         "section":{"kind":"grid","columns":2,"rowLength":100,"columnSpacing":10,"lineSpacing":10,
          "header":30,"footer":20,"inset":{"top":50,"left":0,"bottom":50,"right":0}}}
        """#)
    // a: header 0, cells at 80 and 190, footer 340 to 360; b: 400 to 550; c: header 590, cell
    // at 670, footer 820 to 840.
    try test.read { snapshot in
      var movement = try snapshot.beginMovement(of: ["a-1"])
      func target(_ x: Length, _ y: Length) throws -> String {
        try movement.targetIndexPath(for: Point(x: x, y: y)).description
      }
      // The positions of the moved item and of others.
      #expect(
        try [target(150, 100), target(50, 100), target(50, 200), target(150, 280)] == [
          "0.1", "0.0", "0.2", "0.3",
        ])
      // Headers and footers.
      #expect(
        try [target(5, 10), target(5, 345), target(5, 600), target(5, 830)] == [
          "0.0", "0.3", "2.0", "2.1",
        ])
      // Before and after the nearest cell.
      #expect(
        try [target(50, 60), target(150, 320), target(5, 185), target(5, 187)] == [
          "0.0", "0.3", "0.1", "0.1",
        ])
      // Between two cells, one of which moves; next to the last one of a section.
      #expect(try [target(104, 230), target(150, 700), target(5, 790)] == ["0.2", "2.1", "2.1"])
      // An empty section, and points between and beyond.
      #expect(
        try [target(5, 470), target(5, 365), target(5, 5000), target(5, -90)] == [
          "1.0", "0.2", "2.1", "0.0",
        ])
      // In another section, cells also make room or move back.
      try movement.move(to: IndexPath(section: 2, item: 0))
      #expect(try [target(150, 700), target(50, 700)] == ["2.1", "2.0"])
      #expect(movement.end() == [.move(key: "a-1", to: .index(0, section: "c"))])
      try movement.move(to: IndexPath(section: 2, item: 9))
      #expect(movement.end() == [.move(key: "a-1", to: .after("c-0"))])
      try movement.move(to: IndexPath(section: 0, item: 1))
      #expect(movement.end() == [])
    }
    #expect(throws: LayoutCacheError.self) { try test.read { try $0.beginMovement(of: ["none"]) } }
  }

  /// Cells of 100 points, each with a badge over its corner and a ribbon after it, and a rail
  /// that runs along the section.
  private struct Tagged: SectionLayout, SectionDecorator {
    static let kind = "tagged"
    let sectionKinds: Set<CustomElement.Kind> = [.supplementary("rail")]
    let cellKinds: Set<CustomElement.Kind> = [.supplementary("badge"), .decoration("ribbon")]
    let overhang: Length = 20

    init(options: [String: ConfigurationValue], in space: SectionSpace) {}

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      ItemPlacement(frame: Rect(x: 0, y: 0, width: 100, height: 100), advance: 150)
    }

    func elements(in rect: Rect, of section: DecoratedSection) -> [CustomElement] {
      [
        CustomElement(
          kind: .supplementary("rail"), index: 5,
          frame: Rect(x: 200, y: 0, width: 20, height: section.contentLength), zIndex: 1)
      ]
    }

    func elements(of cell: PlacedItem) -> [CustomElement] {
      let (right, top) = (cell.frame.maxX, cell.frame.minY)
      return [
        CustomElement(
          kind: .supplementary("badge"),
          frame: Rect(x: right - 20, y: top - 20, width: 40, height: 40), zIndex: 2),
        CustomElement(
          kind: .decoration("ribbon"),
          frame: Rect(x: right - 5, y: top + 80, width: 25, height: 10), zIndex: -1),
      ]
    }
  }

  @Test func customElementsAreNotTreatedAsFooters() throws {
    let test = try TestFeed(
      [OracleSection("s", sizes: Array(repeating: (1, 1), count: 4))],
      configuration: #"""
        {"container":{"width":300},"section":{"kind":"tagged","header":30,"footer":30}}
        """#, kinds: [Tagged.self])
    // The header, cells at 30, 180, 330 and 480, and the footer at 580.
    try test.read { snapshot in
      var movement = try snapshot.beginMovement(of: ["s-3"])
      func target(_ x: Length, _ y: Length) throws -> Int? {
        try movement.targetIndexPath(for: Point(x: x, y: y)).item
      }
      // A badge, over its cell and next to it, and a ribbon mean their cell's position.
      #expect(try [target(90, 190), target(110, 170), target(110, 265)] == [1, 1, 1])
      // The badge of the moved item means its position.
      #expect(try target(110, 470) == 3)
      // The rail means the nearest position.
      #expect(try [target(210, 40), target(210, 200), target(210, 320)] == [1, 2, 2])
      // Header and footer are the ends.
      #expect(try [target(210, 10), target(210, 600)] == [0, 3])
      // Cells after the item's position move toward its origin.
      try movement.move(to: IndexPath(section: 0, item: 0))
      #expect(try [target(110, 320), target(110, 20)] == [2, 0])
    }
  }
}
