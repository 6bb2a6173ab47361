import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache
@testable import TextFormats

/// The fast path for writing elements, compared with their field descriptions.
@Suite struct ElementTextTests {
  private func text(_ write: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    write(&json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private func length(using generator: inout SeededGenerator) -> Length {
    let bound = Int64(1) << Int64.random(in: 0...50, using: &generator)
    return Length(units: Int64.random(in: -bound...bound, using: &generator))
  }

  private func element(using generator: inout SeededGenerator) throws -> LayoutAttributes {
    let names = [
      "a", "", "item-17", "ä\u{1F5BC}", "q\"uo\\te", "\n\u{1}", String(repeating: "x", count: 255),
    ]
    let name = names.randomElement(using: &generator)!
    let categories: [LayoutAttributes.Category] = [
      .cell(key: name), .supplementary(kind: .header), .supplementary(kind: .layoutFooter),
      .decoration(kind: name),
    ]
    let category = categories.randomElement(using: &generator)!
    var item: Int?
    if case .cell = category { item = Int.random(in: 0...1_000_000, using: &generator) }
    let isOfLayout = category == .supplementary(kind: .layoutFooter)
    var element = LayoutAttributes(
      category: category,
      indexPath: isOfLayout
        ? .layout : .init(section: Int.random(in: 0...999_999, using: &generator), item: item),
      sectionKey: isOfLayout ? "" : names.randomElement(using: &generator)!,
      frame: Rect(
        x: length(using: &generator), y: length(using: &generator),
        width: Length(units: Int64.random(in: 0...1 << 30, using: &generator)),
        height: Length(units: Int64.random(in: 0...1 << 30, using: &generator))))
    if generator.oneIn(2) { element.zIndex = Int.random(in: -9...2_147_483_647, using: &generator) }
    if generator.oneIn(4) { element.alpha = 0.5 }
    if generator.oneIn(4) { element.isHidden = true }
    return element
  }

  @Test(arguments: [1, 2, 3, 5, 8])
  func theFastPathWritesTheSameAsTheFieldDescriptions(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let elements = try (0..<200).map { _ in try element(using: &generator) }
    let described = text { $0.value(elements, LayoutAttributes.fields) }
    #expect(text { $0.value(elements, nil) } == described, "seed \(seed)")
    var data = ElementsData(data: [], work: QueryWork(nodesVisited: 0, nodesLoaded: 0))
    data.data = try elements.map { _ in
      generator.oneIn(2) ? try ItemData(json: #"{"title":"O\u0070helia ä"}"#) : nil
    }
    let rows = elements.enumerated().map { ElementAnswer($1, data.data[$0]) }
    #expect(
      text { $0.value(elements, data) } == text { $0.value(rows, ElementAnswer.fields) },
      "seed \(seed)")
  }
}
