import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

@Suite struct LoggedBatchTests {
  private func leaf(_ count: Int) throws -> ItemLeaf {
    var run = ItemLeaf()
    for index in 0..<count {
      run.append(
        try Item(key: "k\(index)", width: 4, height: 3.25, columnSpan: index % 3))
    }
    run.prefer(Length(units: 77), at: count - 1, layout: 5)
    run.prefer(Length(units: 78), crossLength: Length(units: 9), at: count - 1, layout: 6)
    return run
  }

  /// - Parameter hasData: Whether every second item has data.
  private func run(_ count: Int, hasData: Bool = false) throws -> ItemRun {
    var data = ItemDataRun()
    for index in 0..<count {
      data.append(hasData && index % 2 == 1 ? try ItemData(json: #"{"n":\#(index)}"#) : nil)
    }
    return ItemRun(try leaf(count), data)
  }

  private func data(_ json: String?) throws -> ItemDataRun {
    var run = ItemDataRun()
    run.append(try json.map { try ItemData(json: $0) })
    return run
  }

  private static let section = SectionReference(index: 2, key: "1997")

  private func side(
    _ index: Int, _ count: Int, style: String? = nil,
    _ lengths: [Int64: SupplementaryLengths] = [:]
  ) -> SectionSplice.Side {
    .init(
      index: index,
      entry: .init(key: "1997", itemCount: count, style: style, supplementaryLengths: lengths))
  }

  private func batch() throws -> LoggedBatch {
    let section = Self.section
    var measured = SupplementaryLengths()
    measured[.header] = Length(units: 7)
    let notes: [LayoutNote] = [
      .invalidate(1..<2, section: section), .rebalance(from: 7, section: section), .everything,
      .continueRebalance, .measure(from: .none, to: measured),
      .invalidateElements([.supplementary(.header), .decoration("é")], section: section),
      .invalidateElements([.decoration("page")], section: nil),
    ]
    let sections: [SectionSplice] = [
      SectionSplice(after: side(2, 0, style: "big")),
      SectionSplice(after: side(2, 4, [9: measured]), items: try run(4, hasData: true)),
      SectionSplice(before: side(2, 12)),
      SectionSplice(before: side(2, 3), items: try run(3)),
      SectionSplice(before: side(2, 5, style: "s"), items: try run(5, hasData: true)),
      SectionSplice(before: side(2, 5), after: side(0, 5)),
      SectionSplice(before: side(2, 3), after: side(2, 3, style: "s"), items: try run(3)),
      SectionSplice(before: side(2, 7, style: "s"), after: side(2, 7)),
      SectionSplice(before: side(2, 7, [9: measured]), after: side(2, 7, [11: measured])),
    ]
    return LoggedBatch(
      marks: [.init(source: "orders", position: "0/16B3748")],
      operations: [
        .insert(try run(3), at: 4, of: section),
        .insert(try run(4, hasData: true), at: 4, of: section),
        .delete(5..<300, of: section, removed: nil),
        .delete(5..<8, of: section, removed: try run(3)),
        .delete(5..<9, of: section, removed: try run(4, hasData: true)),
        .move(
          try run(2, hasData: true), from: (section, 4),
          to: (SectionReference(index: 0, key: "a"), 9)),
        .change(try leaf(1), to: try leaf(1), at: 0, of: section),
        .change(try leaf(2), to: try leaf(2), at: 0, of: section, layout: 9),
        .changeData(
          of: try leaf(1), from: try data(nil), to: try data(#"{"a":1}"#), at: 0, of: section),
        .changeData(of: try leaf(1), from: try data("{}"), to: try data(nil), at: 0, of: section),
        .changeData(of: try leaf(1), from: nil, to: try data("{}"), at: 3, of: section),
      ] + sections.map { .sections($0) } + notes.map { .note($0, layout: 9) })
  }

  @Test func aBatchRoundTripsThroughItsBytes() throws {
    let batch = try batch()
    #expect(try LoggedBatch(batch.encode()) == batch)
    let undo = LoggedBatch(
      kind: .undo, marks: batch.marks, undone: [0, batch.operations.count - 1, 1],
      operations: batch.operations)
    #expect(try LoggedBatch(undo.encode()) == undo)
    #expect(batch.weight == 1 + (3 + 4 + 295 + 3 + 4 + 4) + (1 + 2 + 3) + 20 + 7)
    #expect(try LoggedBatch(LoggedBatch.build(by: "é").encode()) == .build(by: "é"))
  }

  @Test func hostileBytesAreRejectedAndNeverTrap() throws {
    let bytes = try batch().encode()
    for length in 0..<bytes.count {
      #expect(throws: ByteError.self) { try LoggedBatch(Array(bytes[..<length])) }
    }
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<PropertyRun.steps(5000) {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<damaged.count, using: &generator)
        damaged[place] = UInt8.random(in: 0...255, using: &generator)
      }
      // An accepted batch is a regular batch.
      if let batch = try? LoggedBatch(damaged) { #expect(batch.weight >= 0) }
    }
  }

  /// A batch that doesn't fit the dataset is damage, found before any tree is accessed out of
  /// bounds.
  @Test func aMisplacedOperationIsDamage() throws {
    let test = try TestFeed([OracleSection("s", sizes: [(4, 3), (4, 3)])])
    let state = try test.cache.store.read { try test.cache.current("feed", reader: $0) }
    for operation in try batch().operations {
      switch operation {
      case .note(.everything, _), .note(.continueRebalance, _), .note(.measure, _),
        .note(.invalidateElements(_, section: nil), _):
        continue
      default: break
      }
      var trees = state.trees
      #expect(throws: Damage.self, "\(operation)") {
        try test.cache.store.read { reader in
          try trees.apply(operation, in: TreeSession(reader))
        }
      }
    }
    var trees = state.trees
    #expect(throws: Damage.self) {
      try test.cache.store.read { try trees.apply(.build(), in: TreeSession($0)) }
    }
  }
}
