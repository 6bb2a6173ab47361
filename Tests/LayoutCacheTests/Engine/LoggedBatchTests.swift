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

  private func run(_ count: Int) throws -> ItemRun { ItemRun(try leaf(count)) }

  /// Every second item has data.
  private func runWithData(_ count: Int) throws -> ItemRun {
    var run = ItemRun()
    for index in 0..<count {
      let data = index % 2 == 0 ? nil : try ItemData(json: #"{"n":\#(index)}"#)
      run.append(try Item(key: "k\(index)", width: 4, height: 3, data: data))
    }
    return run
  }

  private func data(_ json: String?) throws -> ItemDataRun {
    var run = ItemDataRun()
    run.append(try json.map { try ItemData(json: $0) })
    return run
  }

  private func batch() throws -> LoggedBatch {
    let section = SectionReference(index: 2, key: "1997")
    return LoggedBatch(operations: [
      .insertItems(try run(3), index: 4, section: section),
      .insertItems(try run(1), index: 4, section: section, isMove: true),
      .deleteItems(5..<300, section: section),
      .deleteItems(5..<8, section: section, removed: try run(3)),
      .changeItem(try leaf(1), index: 0, section: section, layout: nil),
      .changeItem(try leaf(1), index: 0, section: section, layout: 9),
      .changeItem(try leaf(1), index: 0, section: section, layout: 9, previous: try leaf(1)),
      .changeSupplementary(
        .header, section: section, layout: 9, length: Length(units: 7), previous: nil),
      .changeSupplementary(
        .footer, section: section, layout: 9, length: nil, previous: Length(units: 7)),
      .insertSection(section), .deleteSection(section, itemCount: 12),
      .deleteSection(section, itemCount: 3, removed: try run(3)), .build,
      .moveSection(from: section, to: 0),
      .invalidateItems(1..<2, section: section, layout: 9),
      .rebalance(from: 7, section: section, layout: 9), .everything(layout: 9),
      .continueRebalance(layout: 9), .mark(source: "orders", position: "0/16B3748"),
      .insertItems(try runWithData(4), index: 4, section: section),
      .insertItems(try runWithData(2), index: 4, section: section, isMove: true),
      .deleteItems(5..<9, section: section, removed: try runWithData(4)),
      .deleteSection(section, itemCount: 5, removed: try runWithData(5)),
      .changeData(
        try data(#"{"a":1}"#), key: "k", index: 0, section: section, previous: try data(nil)),
      .changeData(
        try data(nil), key: "k", index: 0, section: section, previous: try data("{}")),
      .changeData(try data("{}"), key: "k", index: 3, section: section),
    ])
  }

  @Test func aBatchRoundTripsThroughItsBytes() throws {
    let batch = try batch()
    #expect(try LoggedBatch(batch.encode()) == batch)
    #expect(batch.weight == 3 + 1 + 295 + 3 + 15 + 4 + 2 + 4 + 4)
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
      case .invalidateItems, .rebalance, .everything, .continueRebalance, .mark: continue
      default: break
      }
      var trees = state.trees
      #expect(throws: MisplacedOperation.self, "\(operation)") {
        try test.cache.store.read { reader in
          try trees.apply(operation, in: TreeSession(reader))
        }
      }
    }
  }
}
