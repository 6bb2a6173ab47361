import Foundation
import TestSupport
import Testing

/// Strategy: one random section in lines between random insets; the rules for lines are checked
/// on the frames alone.
///
/// Invariants: cells are in order along and between lines; no line of a flow has room for the
/// next item, and a justified one ends at the inset; a row's cells keep their ratios; a
/// circle's cells are equally far from its middle.
@Suite struct OracleLinePropertyTests {
  private struct Sample {
    var leading: Int64
    /// The end of lines.
    var end: Int64
    var spacing: Int64
    var items: [OracleItem]
    var oracle: Oracle

    init(
      kind: String, spacingKey: String, _ members: String,
      using generator: inout SeededGenerator
    ) throws {
      var builder = RandomFeed(sectionCountMax: 1, itemCountMax: 80)
      items = builder.section(using: &generator).items
      leading = Int64.random(in: 0...1000, using: &generator)
      let trailing = Int64.random(in: 0...1000, using: &generator)
      let available = Int64.random(in: 6400...100_000, using: &generator)
      spacing = Int64.random(in: 0...900, using: &generator)
      end = leading + available
      let inset =
        #""inset":{"left":\#(Units.points(leading)),"right":\#(Units.points(trailing))}"#
      oracle = try Oracle(
        width: Units.points(end + trailing),
        section: """
          "kind":"\(kind)","\(spacingKey)":\(Units.points(spacing)),\(inset),\(members)
          """, [TestSupportTests.section(items)])
    }

    /// Cells of the same line, by the line's start.
    var lines: [[OracleElement]] {
      Dictionary(grouping: oracle.cells, by: \.y).sorted { $0.key < $1.key }.map(\.value)
    }
  }

  private static let flowSizes = [
    #""itemSize":"natural""#, #""lineLength":40"#, #""itemSize":{"width":77.125,"height":33}"#,
  ]

  @Test(.property, arguments: PropertyRun.seeds, flowSizes)
  func linesOfAFlowAreFull(seed: UInt64, size: String) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 20) {
      let sample = try Sample(
        kind: "flow", spacingKey: "minimumInteritemSpacing",
        #""minimumLineSpacing":3,"crossAlignment":"top",\#(size)"#, using: &generator)
      let lines = sample.lines
      #expect(lines.flatMap { $0 }.map(\.item) == Array(sample.items.indices))
      for line in lines {
        for (cell, next) in zip(line, line.dropFirst()) {
          #expect(next.x >= cell.frame.maxX + sample.spacing)
        }
        #expect(line[0].x >= sample.leading && line.last!.frame.maxX <= sample.end)
      }
      for (line, next) in zip(lines, lines.dropFirst()) {
        let longest = line.map(\.height).max()!
        #expect(next[0].y == line[0].y + longest + 3 * 64)
        let taken = line.map(\.width).reduce(0, +) + Int64(line.count) * sample.spacing
        #expect(taken + next[0].width > sample.end - sample.leading)
        // Only the last line keeps the minimum.
        if line.count > 1 {
          #expect(line[0].x == sample.leading)
          #expect(line.last!.frame.maxX == sample.end)
          let gaps = zip(line, line.dropFirst()).map { $1.x - $0.frame.maxX }
          #expect(gaps == gaps.sorted(by: >) && gaps[0] - gaps.last! <= 1)
        } else {
          let slack = (line[0].x - sample.leading) - (sample.end - line[0].frame.maxX)
          #expect((-1...0).contains(slack))
        }
      }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func rowsEndAtTheInsetAndKeepRatios(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 40) {
      let target = Double(Int.random(in: 20...300, using: &generator))
      let sample = try Sample(
        kind: "justified", spacingKey: "spacing", #""targetRowLength":\#(target)"#,
        using: &generator)
      let rows = sample.lines
      #expect(rows.flatMap { $0 }.map(\.item) == Array(sample.items.indices))
      for (index, row) in rows.enumerated() {
        let length = row[0].height
        #expect(row.allSatisfy { $0.height == length && $0.x >= sample.leading })
        if index < rows.count - 1 {
          #expect(rows[index + 1][0].y == row[0].y + length + sample.spacing)
          // A cell that gaps push out is empty.
          #expect(row.last!.frame.maxX == sample.end || row.last!.width == 0)
        } else {
          #expect(length <= Units.floor(points: target) || rows.count > 1)
        }
        for (cell, next) in zip(row, row.dropFirst()) where next.width > 0 {
          #expect(next.x - cell.frame.maxX == sample.spacing)
        }
        // Gaps larger than the row leave no width for a ratio.
        guard Int64(row.count - 1) * sample.spacing < sample.end - sample.leading else { continue }
        for cell in row where length > 1 {
          let item = sample.items[cell.item!]
          let ratio =
            Double(Units.floor(points: item.width))
            / Double(Units.floor(points: item.height))
          // Up to a unit of the length, and up to one at each edge.
          let more = Double(cell.width) - ratio * Double(length)
          #expect(
            more > -1.001 && more < ratio + 1.001,
            "\(cell)")
        }
      }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func cellsOfACircleAreEquallyFarFromItsMiddle(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 20) {
      let sample = try Sample(
        kind: "circle", spacingKey: "spacing", #""itemSize":{"width":20,"height":35}"#,
        using: &generator)
      let middle = Double(sample.oracle.contentSize.width) / 2
      for cell in sample.oracle.cells {
        let x = Double(cell.x) + Double(cell.width) / 2 - middle
        let y = Double(cell.y) + Double(cell.height) / 2 - middle
        #expect(
          abs((x * x + y * y).squareRoot() - (middle - 35 * 32)) <= 1)
        #expect(cell.width == 20 * 64 && cell.height == 35 * 64)
      }
    }
  }
}
