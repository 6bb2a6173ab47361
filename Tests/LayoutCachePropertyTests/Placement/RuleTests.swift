import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// A rule places items without a database as the engine does.
@Suite struct RuleTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func aRulePlacesItemsAsTheEngineDoes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let items = (0..<200).map { index in
      OracleItem(
        key: "\(index)", width: .random(in: 1...50, using: &random),
        height: .random(in: 1...50, using: &random), span: random.oneIn(4) ? 0 : 1)
    }
    for kind in TestKinds.all {
      let feed = try TestFeed(
        [OracleSection(key: "s", items: items)],
        configuration: """
          {"container":{"width":300,"height":500},
           "section":{"kind":"\(kind.kind)","inset":{"top":5,"left":10,"right":20}}}
          """)
      let placed = try feed.read { snapshot in
        try items.map { try snapshot.attributes(forKey: $0.key)?.untransformedFrame }
      }
      let rule = try kind.init(
        options: [:],
        in: SectionSpace(container: Size(width: 300, height: 500), line: 10..<280))
      let layoutItems = try items.map { item in
        let item = try Item(item)
        return LayoutItem(size: item.size, columnSpan: item.columnSpan)
      }
      var frames = try rule.frames(of: layoutItems)
      for index in frames.indices { frames[index].origin.y += 5 }
      #expect(placed == frames, "kind \(kind.kind)")
    }
  }
}
