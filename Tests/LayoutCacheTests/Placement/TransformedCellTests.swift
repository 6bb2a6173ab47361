import LayoutCache
import LayoutGeometry
import Testing

/// The transforms and values that a custom kind gives to cells.
@Suite struct TransformedCellTests {
  /// Cells of 100 x 50 points below one another, 10 points from the leading edge. An item's data
  /// are its values; their member `turn` turns the cell by 90 degrees and moves it by 30 and 5
  /// points, `scale` scales it.
  private struct Cards: SectionLayout {
    static let kind = "cards"
    let reads: ItemDependencies = .data

    init(options: [String: ConfigurationValue], in space: SectionSpace) {}

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      let values = item.data ?? [:]
      var transform = Transform3D.identity
      if let scale = values["scale"]?.number {
        transform = Transform3D(scaleX: scale, y: scale, z: 1)
      }
      if values["turn"]?.bool == true {
        transform = Transform3D(affine: Transform(a: 0, b: 1, c: -1, d: 0, tx: 30, ty: 5))
      }
      return ItemPlacement(
        frame: Rect(x: 10, y: 0, width: 100, height: 50), advance: 50, transform: transform,
        values: values)
    }
  }

  private static let layout = LayoutID("phone", of: "feed")

  /// - Parameter sections: The data of each item, by section.
  private func cache(_ sections: [[String?]], _ members: String = "") throws -> LayoutCache {
    let cache = try LayoutCache.temporary(sectionLayouts: [Cards.self])
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for (section, items) in sections.enumerated() {
        for (number, data) in items.enumerated() {
          try importer.add(
            Item(
              key: "\(section)-\(number)", width: 1, height: 1,
              data: data.map { try ItemData(json: $0) }), section: "\(section)")
        }
      }
    }
    try cache.setLayout(
      Self.layout,
      to: ConfigurationText.decode(
        #"{"container":{"width":300,"height":300},"section":{"kind":"cards"}\#(members)}"#))
    return cache
  }

  private func rect(_ x: Length, _ y: Length, _ width: Length, _ height: Length) -> Rect {
    Rect(x: x, y: y, width: width, height: height)
  }

  @Test func anEffectAppliesToTheTransformedCell() throws {
    let snapshot = try cache(
      [[#"{"turn":true}"#]], #","effect":{"kind":"scale","maximumScale":2}"#
    ).read(Self.layout) { $0 }
    let visible = rect(0, -75, 300, 200)
    let cell = try #require(try snapshot.elements(in: visible).elements.first)
    #expect(cell.transform == Transform(a: 0, b: 2, c: -2, d: 0, tx: 60, ty: 10))
    #expect(cell.frame == rect(70, -65, 100, 200) && cell.untransformedFrame.minX == 10)
    #expect(cell.values == ["turn": .bool(true)])
    let beyond = rect(169, 134, 1, 1)
    #expect(try snapshot.elements(in: beyond, visible: visible).elements == [cell])
  }

  @Test func valuesAreStoredAndTheirChangesAreNamed() throws {
    let cache = try cache([[nil, #"{"style":"hero","more":[1,{"b":null}]}"#, nil]])
    let before = try cache.read(Self.layout) { $0 }
    let old = try #require(try before.attributes(forKey: "0-1"))
    #expect(
      old.values == [
        "style": .string("hero"), "more": .array([.number(1), .object(["b": .null])]),
      ])
    let commit = try cache.update(
      "feed", with: [.data(key: "0-1", ItemData(json: #"{"style":"plain"}"#))])
    let context = try #require(commit.layouts.first?.context)
    #expect(context.sections.map(\.items) == [RangeSet(1..<2)])
    let after = try cache.read(Self.layout) { $0 }
    let new = try #require(try after.attributes(forKey: "0-1"))
    #expect(new != old && new.values == ["style": .string("plain")])
    #expect(old.interpolated(to: new, progress: 0.4).values == old.values)
    #expect(old.interpolated(to: new, progress: 0.5).values == new.values)
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test func aPreviewOfARuleHasTransformsAndValues() throws {
    let space = SectionSpace(container: Size(width: 300, height: 600), line: 0..<300)
    let items = [LayoutItem(size: Size(width: 1, height: 1), data: ["scale": .number(2)])]
    let item = try #require(try Cards(options: [:], in: space).layOut(items).items.first)
    #expect(item.transform == Transform3D(scaleX: 2, y: 2, z: 1))
    #expect(item.values == ["scale": .number(2)])
  }
}
