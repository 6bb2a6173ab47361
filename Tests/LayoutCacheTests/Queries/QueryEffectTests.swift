import LayoutCache
import LayoutGeometry
import Testing

/// Registered effects, and effects of sections.
@Suite struct QueryEffectTests {
  /// Moves cells to the right by a part of their distance from the visible start, and dims them.
  private struct Shift: QueryEffect {
    static let kind = "shift"
    let reach: Length
    let alpha: Double

    init(options: [String: ConfigurationValue]) throws {
      reach = .points(options["reach"]?.number ?? 40)
      alpha = options["alpha"]?.number ?? 0.5
    }

    func attributes(
      of cell: LayoutAttributes, in context: QueryEffectContext
    ) -> LayoutAttributes {
      var changed = cell
      let distance = max(-reach, min(reach, cell.frame.minY - context.visible.minY))
      changed.untransformedFrame.origin.x +=
        context.direction == .leftToRight ? distance : -distance
      changed.alpha = context.itemCount == 6 ? alpha : 0
      changed.zIndex = -5
      changed.indexPath = .init(section: 9, item: 9)
      return changed
    }
  }

  private func snapshot(_ members: String) throws -> LayoutSnapshot {
    let cache = try LayoutCache.temporary(effects: [Shift.self])
    let layout = LayoutID("phone", of: "feed")
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for section in ["s", "t"] {
        for number in 0..<3 {
          try importer.add(Item(key: "\(section)\(number)", width: 1, height: 1), section: section)
        }
      }
    }
    try cache.setLayout(
      layout,
      to: ConfigurationText.decode(
        #"{"container":{"width":100,"height":250},"section":{"columns":1},\#(members)}"#))
    return try cache.read(layout) { $0 }
  }

  @Test func anEffectOfOnesOwnChangesCellsAndIsSearchedAsFarAsItReaches() throws {
    let snapshot = try snapshot(#""effect":{"kind":"shift"}"#)
    let visible = Rect(x: 0, y: 90, width: 100, height: 100)
    let page = try snapshot.elements(in: visible)
    #expect(
      page.elements.map(\.description) == [
        "cell 's0' at 0.0 (x -40, y 0, 100 x 100)", "cell 's1' at 0.1 (x 10, y 100, 100 x 100)",
      ])
    #expect(page.elements.map(\.alpha) == [0.5, 0.5])
    #expect(page.elements.map(\.zIndex) == [0, 0])
    // Right of the content: only cells that the effect brings there.
    let right = Rect(x: 110, y: 0, width: 20, height: 600)
    #expect(
      try snapshot.elements(in: right, visible: visible).elements.map(\.indexPath.description)
        == ["0.2", "1.0", "1.1", "1.2"])
    let text = try ConfigurationText.encode(
      ConfigurationText.decode(
        #"{"container":{"width":9},"effect":{"kind":"shift","options":{"reach":7}}}"#))
    #expect(text.contains(#""effect":{"kind":"shift","options":{"reach":7}}"#))
  }

  @Test func anEffectIsToldTheDirectionOfTheRead() throws {
    let snapshot = try snapshot(#""effect":{"kind":"shift"}"#)
    let visible = Rect(x: 0, y: 90, width: 100, height: 100)
    // Toward the trailing edge: to the right, or to the left.
    for (direction, places) in [
      (.leftToRight, [-40, 10]), (.rightToLeft, [40, -10]),
    ] as [(LayoutConfiguration.LayoutDirection, [Length])] {
      let page = try snapshot.reading(direction).elements(in: visible)
      #expect(page.elements.map(\.frame.minX) == places)
      #expect(page.elements.map(\.alpha) == [0.5, 0.5])
    }
  }

  @Test func aSectionHasItsOwnEffect() throws {
    for (members, alphas) in [
      (#""sections":{"t":{"effect":{"kind":"shift"}}}"#, [1, 1, 1, 0.5, 0.5, 0.5]),
      (
        #""effect":{"kind":"shift"},"sections":{"s":{"effect":{"kind":"none"}}}"#,
        [1, 1, 1, 0.5, 0.5, 0.5]
      ),
      (
        #""effect":{"kind":"shift"},"sections":{"s":{"effect":{"kind":"shift","options":{"alpha":0}}}}"#,
        [0, 0, 0, 0.5, 0.5, 0.5]
      ),
    ] as [(String, [Double])] {
      let snapshot = try snapshot(members)
      let all = Rect(x: -100, y: 0, width: 300, height: 600)
      #expect(try snapshot.elements(in: all).elements.map(\.alpha) == alphas)
      #expect(try snapshot.transition(to: snapshot, in: all).moving.map(\.initial.alpha) == alphas)
      #expect(try snapshot.shouldInvalidateLayout(forBoundsChange: all))
      #expect(try snapshot.elements(asLaidOutIn: all).elements.allSatisfy { $0.alpha == 1 })
    }
  }

  @Test(arguments: [
    (#"{"kind":"shif"}"#, "did you mean 'shift'"),
    (#"{"kind":"shift","options":{"reach":-1}}"#, "reach of 'shift' is -1; the minimum is 0"),
    (#"{"kind":"shift","maximumScale":1}"#, "unknown member 'maximumScale'"),
  ])
  func anInvalidEffectIsRejectedWithTheReason(effect: String, reason: String) {
    let error = #expect(throws: (any Error).self) { try snapshot(#""effect":\#(effect)"#) }
    #expect(error.map { "\($0)".contains(reason) } ?? false, "\(error.map { "\($0)" } ?? "")")
  }
}
