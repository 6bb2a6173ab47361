import LayoutGeometry
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random runs of items over few and many columns. A run's summary must change
// positions as placing its items one by one does, and must be the same value however the run is
// divided and multiplied.

@Suite struct ColumnMapTests {
  /// A random run of items over `columns` columns.
  private func run(
    _ columns: Int, spans: Bool, using generator: inout SeededGenerator
  ) -> WaterfallLeaf {
    var leaf = WaterfallLeaf()
    for _ in 0..<Int.random(in: 0...12, using: &generator) {
      let span =
        spans
        ? [1, 1, 2, columns, Int.random(in: 1...columns, using: &generator)]
          .map { min($0, columns) }.randomElement(using: &generator) ?? 1 : 1
      leaf.append(
        column: Int.random(in: 0...(columns - span), using: &generator), columnSpan: span,
        advance: .init(units: Int64.random(in: 1...1000, using: &generator)))
    }
    return leaf
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func aSummaryMovesPositionsAsItsItemsDo(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for step in PropertyRun.each(seed, steps: 300) {
      let columns = Int.random(in: 1...12, using: &generator)
      let leaf = run(columns, spans: step % 2 == 0, using: &generator)
      var positions = (0..<columns).map { _ in Int64.random(in: 0...5000, using: &generator) }
      var expected = positions
      for index in 0..<leaf.count { _ = leaf.place(index, on: &expected) }
      leaf.summary.map.apply(to: &positions)
      #expect(positions == expected)
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func productsAreEqualForEveryOrderOfMultiplication(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for step in PropertyRun.each(seed, steps: 300) {
      let columns = Int.random(in: 1...12, using: &generator)
      let runs = (0..<3).map { _ in run(columns, spans: step % 3 != 0, using: &generator) }
      var left = runs[0].summary
      left.append(runs[1].summary)
      left.append(runs[2].summary)
      var tail = runs[1].summary
      tail.append(runs[2].summary)
      var right = runs[0].summary
      right.append(tail)
      let whole = runs[0].joined(with: runs[1]).joined(with: runs[2]).summary
      #expect(left == right)
      #expect(left == whole)
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func mapsRoundTrip(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for step in PropertyRun.each(seed, steps: 200) {
      let columns = Int.random(in: 1...12, using: &generator)
      let map = run(columns, spans: step % 2 == 0, using: &generator).summary
      var writer = ByteWriter()
      map.encode(into: &writer)
      let read = try ByteReader.read(writer.bytes) { reader in
        let map = try WaterfallSummary(from: &reader)
        try reader.expectEnd()
        return map
      }
      #expect(read == map)
    }
  }

  @Test func aRunAfterAFullItemIsAFence() {
    var leaf = WaterfallLeaf()
    leaf.append(column: 1, columnSpan: 1, advance: .init(units: 5))
    leaf.append(column: 0, columnSpan: 3, advance: .init(units: 10))
    leaf.append(column: 2, columnSpan: 1, advance: .init(units: 7))
    #expect(leaf.summary.map.form == .fence(entry: [-5, 0, -5], exit: [15, 15, 22]))
  }

  @Test func hostileBytesAreRejectedAndNeverTrap() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<5000 {
      let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { index in
        index == 0
          ? UInt8.random(in: 0...3, using: &generator)
          : UInt8.random(in: 0...255, using: &generator)
      }
      let map = try? ByteReader.read(bytes) { try ColumnMap(from: &$0) }
      // An accepted map can be used.
      if let map { #expect(map.columnCount <= 256) }
    }
  }
}
