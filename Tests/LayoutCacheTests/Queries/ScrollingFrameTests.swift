import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: 20,000 items with only estimated lengths, measured as they become visible, one
// batch per screen, as self-sizing cells are; scrolled up and down from the middle.
//
// Invariants: in a list no previously measured cell moves on the screen; in a waterfall the
// anchor never does, and a cell in another column moves by the change above it in its column,
// less the change above the anchor in the anchor's column.

@Suite struct ScrollingFrameTests {
  private static let height = Length.points(800)

  private struct Reader {
    let test: TestFeed
    var offset: Length
    var measured: Set<String> = []
    var generator = SeededGenerator(seed: 7)

    var visible: Rect { Rect(x: .zero, y: offset, width: 300, height: height) }

    init(columns: Int) throws {
      test = try TestFeed(
        [OracleSection("s", sizes: Array(repeating: (100, 44), count: 20_000))],
        configuration: """
          {"container":{"width":300,"height":800},
           "section":{"columns":\(columns),"itemLength":"natural","lineSpacing":4}}
          """)
      let length = try test.read { $0.contentSize.height }
      offset = length.half
    }

    func cells() throws -> [LayoutAttributes] {
      try test.read { try $0.elements(in: visible).elements }
    }

    /// Scrolls by a frame, and measures the newly visible items.
    ///
    /// - Returns: The visible cells before and after, of the same keys, and the changes in
    ///   length of the measured ones.
    mutating func scroll(
      by distance: Length
    ) throws -> (
      offset: Length, before: [LayoutAttributes], after: [LayoutAttributes], grown: [String: Length]
    ) {
      offset = offset + distance
      let before = try cells()
      let start = offset
      var grown: [String: Length] = [:]
      var operations: [BatchOperation] = []
      for cell in before {
        guard case .cell(let key) = cell.category, measured.insert(key).inserted else { continue }
        let length = Length.points(Double(Int.random(in: 20...220, using: &generator)))
        grown[key] = length - cell.frame.size.height
        operations.append(.prefer(layout: "layout", key: key, length: length))
      }
      if !operations.isEmpty {
        let commit = try test.cache.update("feed", with: operations, visible: visible)
        offset = offset + commit.layouts[0].context.contentOffsetAdjustment.y
      }
      let after = try test.read { snapshot in
        try before.map { try #require(try snapshot.attributes(at: $0.indexPath)) }
      }
      return (start, before, after, grown)
    }
  }

  private static let speeds: [Length] = [30, 120, 500]

  @Test(arguments: speeds)
  func noMeasuredCellOfAListMovesOnTheScreen(speed: Length) throws {
    var reader = try Reader(columns: 1)
    var (checked, jumps) = (0, 0)
    for frame in 0..<400 {
      let frame = try reader.scroll(by: frame % 200 < 100 ? -speed : speed)
      for (before, after) in zip(frame.before, frame.after) {
        guard case .cell(let key) = before.category, frame.grown[key] == nil else { continue }
        checked += 1
        if after.frame.minY - reader.offset != before.frame.minY - frame.offset { jumps += 1 }
      }
    }
    #expect(checked > 300)
    #expect(jumps == 0, "speed \(speed)")
  }

  @Test(arguments: speeds)
  func waterfallCellsMoveByTheirColumnsChangeLessTheAnchors(speed: Length) throws {
    var reader = try Reader(columns: 3)
    var checked = 0
    for frame in 0..<400 {
      let frame = try reader.scroll(by: frame % 200 < 100 ? -speed : speed)
      /// The growth of measured items above a cell, in its column.
      func growth(above cell: LayoutAttributes) -> Length {
        frame.before.reduce(.zero) { sum, other in
          guard case .cell(let key) = other.category, other.column == cell.column,
            other.frame.minY < cell.frame.minY
          else { return sum }
          return sum + (frame.grown[key] ?? .zero)
        }
      }
      let untouched = frame.before.filter { cell in
        guard case .cell(let key) = cell.category else { return false }
        return frame.grown[key] == nil
      }
      let anchor =
        untouched.first { $0.frame.minY >= frame.offset } ?? untouched.first
        ?? frame.before.first { $0.frame.minY >= frame.offset }
      guard let anchor else { continue }
      for (before, after) in zip(frame.before, frame.after) {
        #expect(before.column == after.column)
        let shift = (after.frame.minY - reader.offset) - (before.frame.minY - frame.offset)
        #expect(shift == growth(above: before) - growth(above: anchor), "speed \(speed)")
        if before.indexPath == anchor.indexPath { #expect(shift == .zero) }
        checked += 1
      }
    }
    #expect(checked > 1000)
  }
}
