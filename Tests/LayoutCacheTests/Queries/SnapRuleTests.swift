import LayoutCache
import LayoutGeometry
import Testing

/// Registered rules for where scrolling comes to rest.
@Suite struct SnapRuleTests {
  /// Rests at the first item of the options' parity that starts in the visible rectangle, in the
  /// direction of the velocity across.
  private struct Parity: SnapRule {
    static let kind = "parity"
    let remainder: Int

    struct NoRemainder: Error {}

    init(options: [String: ConfigurationValue]) throws {
      guard let remainder = options["remainder"]?.number else { throw NoRemainder() }
      self.remainder = Int(remainder)
    }

    func target(
      of scroll: ProposedScroll, elements: (Rect) throws -> [LayoutAttributes]
    ) throws -> Point {
      if scroll.velocity.x > 0 { return scroll.start ?? scroll.offset }
      let visible = Rect(origin: scroll.offset, size: scroll.visibleSize)
      let cells = try elements(visible).filter { ($0.indexPath.item ?? 0) % 2 == remainder }
      return cells.first { $0.frame.minY >= scroll.offset.y }?.frame.origin
        ?? Point(x: 0, y: scroll.contentSize.height)
    }
  }

  private func cache(_ snap: LayoutConfiguration.Snap) throws -> (LayoutCache, LayoutID) {
    let cache = try LayoutCache.temporary(snapRules: [Parity.self])
    let layout = LayoutID("phone", of: "feed")
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<20 {
        try importer.add(Item(key: "\(number)", width: 1, height: 1), section: "s")
      }
    }
    try cache.setLayout(
      layout,
      to: LayoutConfiguration(
        container: .init(width: 100, height: 250), section: .waterfall(columns: 1), snap: snap))
    return (cache, layout)
  }

  @Test func aRuleOfOnesOwnChoosesTheOffset() throws {
    let (cache, layout) = try cache(.custom("parity", options: ["remainder": .number(1)]))
    try cache.read(layout) { snapshot in
      func target(_ y: Length, _ velocity: ScrollVelocity = .zero) throws -> Point {
        try snapshot.targetContentOffset(
          forProposed: Point(x: 7, y: y), from: Point(x: 0, y: 40), velocity: velocity)
      }
      let near = try target(10)
      #expect(near == Point(x: 7, y: 100))
      #expect(try target(110) == Point(x: 7, y: 300))
      #expect(try target(110, ScrollVelocity(x: 1, y: 0)) == Point(x: 7, y: 40))
      // The end, where the rule finds no item.
      #expect(try target(5000) == Point(x: 7, y: 1750))
    }
    let text = try ConfigurationText.encode(cache.layout(layout).configuration)
    #expect(text.contains(#""snap":{"kind":"parity","options":{"remainder":1}}"#))
    #expect(try ConfigurationText.decode(text) == cache.layout(layout).configuration)
  }

  @Test(arguments: [
    ("[]", "positions is 0; the minimum is 1"), ("[-1]", "position is -1; the minimum is 0"),
    (#""edge""#, "'edge' is not one of 'none', 'itemLeading', 'itemCenter', 'page'"),
    (#"{"kind":"parit"}"#, "did you mean 'parity'"), (#"{"kind":"parity"}"#, "NoRemainder"),
    (#"{"kind":"parity","option":1}"#, "unknown member 'option'"), ("{}", "'kind' is missing"),
    (#"["a"]"#, "must be a number"),
  ])
  func anInvalidSnapIsRejectedWithTheReason(snap: String, reason: String) throws {
    let (cache, layout) = try cache(.none)
    let error = #expect(throws: (any Error).self) {
      try cache.setLayout(
        layout,
        to: ConfigurationText.decode(#"{"container":{"width":100},"snap":\#(snap)}"#))
    }
    #expect(error.map { "\($0)".contains(reason) } ?? false, "\(error.map { "\($0)" } ?? "")")
  }
}
