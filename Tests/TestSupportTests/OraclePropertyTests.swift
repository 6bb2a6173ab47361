import TestSupport
import Testing

/// Strategy: random feeds under random configurations; each answer is checked against the rules
/// of the specification for all answers.
///
/// Invariants: cells of a section do not overlap and stay between its header and footer, inside
/// the container (except for circles); an answer is the intersecting part of all elements in
/// their order; pinned elements stay in their section; content ends with the last section,
/// or the layout's footer.
@Suite struct OraclePropertyTests {
  private struct Sample {
    let configuration: String
    let feed: [OracleSection]
    let oracle: Oracle
  }

  private func sample(
    _ kinds: RandomConfiguration.Kinds, _ generator: inout SeededGenerator
  ) throws -> Sample {
    var builder = RandomFeed(sectionCountMax: 4, itemCountMax: 30)
    let feed = builder.sections(using: &generator)
    let configuration = RandomConfiguration(kinds: kinds).text(
      sectionKeys: feed.map(\.key), using: &generator)
    return Sample(
      configuration: configuration, feed: feed,
      oracle: try Oracle(configuration: configuration, sections: feed))
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func cellsOfASectionDoNotOverlap(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 20) {
      let sample = try sample(
        RandomConfiguration.Kinds.all.subtracting([.circle, .carousel]), &generator)
      let content = UnitRect(
        x: 0, y: 0, width: sample.oracle.contentSize.width,
        height: sample.oracle.contentSize.height)
      let cells = sample.oracle.cells
      #expect(cells.count == sample.feed.map(\.items.count).reduce(0, +))
      for (index, cell) in cells.enumerated() {
        let context = "\(sample.configuration)"
        // Gaps and rounding may leave a row's cell without a width, and then without a
        // position.
        guard !(cell.frame.isEmpty && sample.configuration.contains("justified")) else { continue }
        #expect(!cell.frame.isEmpty, "\(context)")
        #expect(content.contains(UnitPoint(x: cell.x, y: cell.y)), "\(context)")
        #expect(
          cell.frame.maxX <= content.maxX && cell.frame.maxY <= content.maxY, "\(context)")
        for other in cells[..<index] {
          #expect(
            !cell.frame.intersects(other.frame), "\(context) cells \(cell) and \(other)")
        }
      }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func answersAreTheIntersectingElementsInOrder(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 20) {
      let sample = try sample(.all.subtracting(.carousel), &generator)
      let oracle = sample.oracle
      let rects = RandomRects(oracle)
      for _ in 0..<20 {
        let rect = rects.next(using: &generator)
        let answer = oracle.elements(in: rect)
        let cells = oracle.cells.filter { $0.frame.intersects(rect) }
        #expect(
          answer.filter { $0.category == .cell } == cells, "\(rect)")
        let order = answer.map {
          let part = part($0)
          return ($0.kind == "layoutFooter" ? .max : $0.section, part, part == 0 ? 0 : $0.item ?? 0)
        }
        #expect(zip(order, order.dropFirst()).allSatisfy { $0 <= $1 })
        for element in answer where element.category == .supplementary && element.item == nil {
          let (start, end) = mainInterval(of: element.frame, in: sample)
          let room: (start: Int64, length: Int64)
          if element.section == OracleElement.noSection {
            let isHorizontal = sample.configuration.contains(#""horizontal""#)
            room = (0, isHorizontal ? oracle.contentSize.width : oracle.contentSize.height)
          } else {
            let summary = oracle.sectionsSummary[element.section]
            room = (summary.start, summary.length)
          }
          #expect(
            start >= room.start && end <= room.start + room.length,
            "\(rect) \(element) \(sample.configuration)")
        }
      }
    }
  }

  /// Counted from the content's leading edge, like a section's start.
  private func mainInterval(
    of frame: UnitRect, in sample: Sample
  ) -> (start: Int64, end: Int64) {
    guard sample.configuration.contains(#""horizontal""#) else { return (frame.y, frame.maxY) }
    guard sample.configuration.contains(#""rightToLeft""#) else { return (frame.x, frame.maxX) }
    let width = sample.oracle.contentSize.width
    return (width - frame.maxX, width - frame.x)
  }

  private func part(_ element: OracleElement) -> Int {
    switch (element.category, element.kind ?? "") {
    case (.cell, _): 200
    case (_, "header"), (_, "layoutHeader"): 1
    case (_, let kind) where kind.hasPrefix("above"): 2 + (Int(kind.suffix(1)) ?? 0)
    case (_, let kind) where kind.hasPrefix("below"): 400 - (Int(kind.suffix(1)) ?? 0)
    case (_, let kind) where OracleDecor.isOfCell(kind): 300
    case (.decoration, _): 0
    default: 500
    }
  }
}
