import CollectionLayout
import LayoutGeometry
import Testing

/// A rule that a user of the library brings along, tried without a database.
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

    func place(_ item: LayoutItem, state: inout [Int64]) -> ItemPlacement {
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
      options: options,
      in: SectionSpace(container: Size(width: 300, height: 600), line: 8..<292))
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

  @Test func whatTheEngineRefusesIsRefused() throws {
    // The first item rises above its section's content.
    #expect {
      try steps(["rise": .number(1)]).frames(of: [item(40)])
    } throws: {
      "\($0)" == "start in the content of an item of kind 'steps' is -1; the least is 0"
    }
    #expect {
      try steps().frames(of: [item(40), item(40, preferred: 1_000_000.5)])
    } throws: {
      "\($0)" == "height of an item of kind 'steps' is 1000000.5; the limit is 1000000"
    }
  }
}
