import TestSupport
import Testing

@Suite struct RandomBuilderTests {
  @Test func configurationsCoverEveryMember() {
    var generator = SeededGenerator(seed: 1)
    let all = (0..<300).map { _ in
      RandomConfiguration().text(sectionKeys: ["a", "b"], using: &generator)
    }.joined()
    for word in [
      "grid", "square", "horizontal", "rightToLeft", "minimumColumnWidth", "tolerance", "cursor",
      "exact", "natural", "minimumLength", "maximumLength", "pinsHeader", "pinsFooter",
      "background", "sectionSpacing", "sections", "inset", "zIndex", "flow", "justified", "circle",
      "itemSize", "lineLength", "minimumInteritemSpacing", "minimumLineSpacing", "lineAlignment",
      "crossAlignment", "targetRowLength", "spacing", "lastRow", "maximumRowLength", "fill",
      "trailing", "bottom", "carousel", "itemWidth", "fraction", "peek", "scrolling",
      "supplementary", "crossLength", "alignment",
    ] {
      #expect(all.contains("\"\(word)\""), "\(word)")
    }
  }

  @Test func effectsComeOnlyWhenAllowed() {
    var generator = SeededGenerator(seed: 1)
    func texts(_ configuration: RandomConfiguration) -> String {
      (0..<200).map { _ in
        configuration.text(sectionKeys: ["a", "b"], using: &generator)
      }.joined()
    }
    #expect(!texts(RandomConfiguration()).contains("effect"))
    let all = texts(RandomConfiguration(allowsEffects: true))
    for word in ["scale", "coverStack", "rotary", "pageTurn", "maximumScale", "maximumAngle"] {
      #expect(all.contains("\"\(word)\""), "\(word)")
    }
    let waterfalls = texts(RandomConfiguration(kinds: .waterfall, allowsEffects: true))
    #expect(waterfalls.contains("rotary") && !waterfalls.contains("pageTurn"))
  }

  @Test func feedsHaveSectionsOfEqualSizesAndExtremeRatios() {
    var generator = SeededGenerator(seed: 1)
    var builder = RandomFeed()
    let sections = (0..<100).flatMap { _ in builder.sections(using: &generator) }
    let long = sections.filter { $0.items.count > 10 }
    let equal = long.filter { Set($0.items.map { [$0.width, $0.height] }).count == 1 }
    #expect(equal.count > 3 && equal.count < long.count / 4)
    let ratios = sections.flatMap(\.items).map { $0.width / $0.height }
    #expect(ratios.contains(1.0 / 4000) && ratios.contains(600))
    #expect(ratios.allSatisfy { (1.0 / 4000...4000).contains($0) })
    #expect(sections.flatMap(\.items).contains { (10_000...20_000).contains($0.width) })
  }

  @Test func rectsHitMissAndTouch() throws {
    var generator = SeededGenerator(seed: 3)
    let oracle = try Oracle(
      configuration: #"{"container":{"width":300},"section":{"kind":"waterfall","columns":3}}"#,
      sections: [section(items(heights: (1...200).map { Double($0) }))])
    let rects = RandomRects(oracle)
    let all = (0..<500).map { _ in rects.next(using: &generator) }
    let counts = all.map { oracle.elements(in: $0).count }
    #expect(counts.contains(0) && counts.contains(1) && counts.contains(200))
    #expect(all.contains { $0.isEmpty } && all.contains { $0.x < 0 || $0.y < 0 })
    let frames = oracle.cells.map(\.frame)
    #expect(all.contains { rect in frames.contains { $0.maxY == rect.y && $0.x == rect.x } })
  }
}
