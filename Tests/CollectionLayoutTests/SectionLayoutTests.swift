import LayoutGeometry
import Testing

@testable import CollectionLayout

/// A user's layout rule, tested without a database.
@Suite struct SectionLayoutTests {
  /// Items one below the other, each second one moved to the right.
  private struct Steps: SectionLayout {
    static let kind = "steps"
    private let line: Range<Length>
    private let rise: Length

    init(options: [String: ConfigurationValue], in space: SectionSpace) {
      line = space.line
      rise = .points(options["rise"]?.number ?? 0)
    }

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      let isMoved = state == [1]
      state = isMoved ? [] : [1]
      return ItemPlacement(
        frame: Rect(
          x: line.lowerBound + (isMoved ? 10 : 0), y: -rise, width: item.size.width,
          height: item.preferredLength ?? item.size.height),
        advance: item.size.height)
    }
  }

  private func steps(_ options: [String: ConfigurationValue] = [:]) -> Steps {
    Steps(
      options: options, in: SectionSpace(container: Size(width: 300, height: 600), line: 8..<292))
  }

  private func item(_ height: Length, preferred: Length? = nil) -> LayoutItem {
    LayoutItem(size: Size(width: 100, height: height), preferredLength: preferred)
  }

  @Test func itemsArePlacedFromTheSectionsStart() throws {
    #expect(
      try steps().frames(of: [item(40), item(20.5), item(1, preferred: 7)]) == [
        Rect(x: 8, y: 0, width: 100, height: 40), Rect(x: 18, y: 40, width: 100, height: 20.5),
        Rect(x: 8, y: 60.5, width: 100, height: 7),
      ])
    #expect(try steps().frames(of: []) == [])
  }

  @Test func resultsThatTheEngineRejectsAreRejected() throws {
    // The first item rises above its section's content.
    #expect {
      try steps(["rise": .number(1)]).frames(of: [item(40)])
    } throws: {
      "\($0)" == "item 0: start in the content of an item of kind 'steps' is -1; the minimum is 0"
    }
    #expect {
      try steps().frames(of: [item(40), item(40, preferred: 1_000_000.5)])
    } throws: {
      "\($0)" == "item 1: height of an item of kind 'steps' is 1000000.5; the limit is 1000000"
    }
  }

  // MARK: - Dependencies between items

  /// Items whose height in points is a value that they read.
  private struct Curious: SectionLayout {
    static let kind = "curious"
    let reads: ItemDependencies
    let lookahead: Int

    init(options: [String: ConfigurationValue], in space: SectionSpace) {
      reads = ItemDependencies(rawValue: UInt8(options["reads"]?.number ?? 0))
      lookahead = Int(options["lookahead"]?.number ?? 0)
    }

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) throws -> ItemPlacement {
      var height = item.data?["more"]?.number ?? 0
      if reads.contains(.index) { height += Double(context.index) }
      if reads.contains(.count) { height += Double(10 * context.count) }
      for distance in 0..<lookahead {
        height += context.next(distance + 1).map { $0.size.height.points } ?? 100
      }
      let isLast = lookahead > 0 && context.isLast
      struct Refusal: Error {}
      if item.columnSpan == 9 { throw Refusal() }
      return ItemPlacement(
        frame: Rect(x: 0, y: 0, width: 1, height: .points(height)), advance: isLast ? 7 : 0)
    }

    func contentLength(itemsEnd: Length, anchor: Length) -> Length {
      Length(units: itemsEnd.units / 2) + anchor * 100
    }
  }

  private func heights(
    _ reads: ItemDependencies, lookahead: Double = 0, _ items: [LayoutItem]
  ) throws -> [Length] {
    let space = SectionSpace(container: Size(width: 300, height: 600), line: 0..<300)
    let options: [String: ConfigurationValue] = [
      "reads": .number(Double(reads.rawValue)), "lookahead": .number(lookahead),
    ]
    return try Curious(options: options, in: space).frames(of: items).map(\.size.height)
  }

  @Test func aRuleReadsItsDeclaredDependencies() throws {
    var items = [item(1), item(2), item(4)]
    items[1].data = ["more": .number(5)]
    #expect(try heights([], items) == [0, 0, 0])
    #expect(try heights([.index], items) == [0, 1, 2])
    #expect(try heights([.index, .count], items) == [30, 31, 32])
    #expect(try heights([.data], items) == [0, 5, 0])
    #expect(try heights([], lookahead: 1, items) == [2, 4, 100])
    #expect(try heights([], lookahead: 2, items) == [6, 104, 200])
    #expect(try heights([.index], lookahead: 64, items).count == 3)
  }

  @Test func anErrorOfTheRuleNamesTheItem() throws {
    #expect {
      try heights([], [item(1), LayoutItem(size: Size(width: 1, height: 1), columnSpan: 9)])
    } throws: {
      ($0 as? LayoutRefusal)?.index == 1
    }
    #expect {
      try heights([], lookahead: 65, [])
    } throws: {
      "\($0)" == "lookahead of kind 'curious' is 65; the limit is 64"
    }
  }

  @Test func theContentIsNoShorterThanItsItems() throws {
    let space = SectionSpace(container: Size(width: 300, height: 600), line: 0..<300)
    let rule = Curious(options: ["reads": .number(2), "lookahead": .number(0)], in: space)
    #expect(try rule.layOut([item(1)]).contentLength == 10)
    let seeing = Curious(options: ["lookahead": .number(1)], in: space)
    #expect(try seeing.layOut([item(1), item(1)]).contentLength == 750)
    #expect(try seeing.layOut([]).contentLength == 0)
  }

  @Test func readingAnUndeclaredAttributeTraps() async {
    await #expect(processExitsWith: .failure) {
      _ = ItemContext(reads: [], lookahead: 1, index: 0, count: 1, following: []).index
    }
    await #expect(processExitsWith: .failure) {
      _ = ItemContext(reads: .index, lookahead: 0, index: 0, count: 1, following: []).isLast
    }
    await #expect(processExitsWith: .failure) {
      _ = ItemContext(reads: [], lookahead: 1, index: 0, count: 1, following: []).next(2)
    }
  }
}
