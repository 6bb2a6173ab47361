/// Builds batches of operations for the current state of a feed: all kinds, in all forms.
///
/// Deleted keys are reused now and then, for items and for sections.
public struct RandomBatch {
  public var operationCountMax = 6
  /// A feed of more items gets deletions in place of insertions.
  public var itemCountMax: Int
  /// A feed of more sections gets no further ones.
  public var sectionCountMax = 10
  var source: RandomFeed
  var deletedItems: [String] = []
  var deletedSections: [String] = []

  /// - Parameter source: The generator of the feed's keys, so that no key is generated twice.
  public init(source: RandomFeed, itemCountMax: Int = 400) {
    self.source = source
    self.itemCountMax = itemCountMax
  }

  /// One to `operationCountMax` operations that are all applied.
  public mutating func next(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> [OracleOperation] {
    var feed = feed
    return operations(
      Int.random(in: 1...operationCountMax, using: &generator), on: &feed, using: &generator)
  }

  /// Operations of which one is rejected, mostly the last.
  ///
  /// No inserted item has a size, span or key beyond the limits, so that every operation can be
  /// built as the engine's.
  public mutating func nextRefused(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> [OracleOperation] {
    var feed = feed
    let before = Int.random(in: 0..<operationCountMax, using: &generator)
    var batch = operations(before, on: &feed, using: &generator)
    batch.append(refusedOperation(for: feed, using: &generator))
    if generator.oneIn(3) { batch.append(operation(for: feed, using: &generator)) }
    return batch
  }

  /// Valid operations, each built for the feed that the previous ones leave.
  private mutating func operations(
    _ count: Int, on feed: inout OracleFeed, using generator: inout SeededGenerator
  ) -> [OracleOperation] {
    var operations: [OracleOperation] = []
    for _ in 0..<count {
      let operation = operation(for: feed, using: &generator)
      remember(operation, on: feed)
      do {
        try feed.perform(operation)
      } catch {
        preconditionFailure("\(error): \(operation)")
      }
      operations.append(operation)
    }
    return operations
  }

  mutating func operation(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let itemCount = feed.sections.map(\.items.count).reduce(0, +)
    if feed.sections.isEmpty { return sectionInsertion(for: feed, using: &generator) }
    if itemCount == 0, !generator.oneIn(4) { return insertion(for: feed, using: &generator) }
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<6: return sectionOperation(for: feed, using: &generator)
    case 6..<8: return measurement(for: feed, using: &generator)
    case 8..<10: return invalidation(for: feed, using: &generator)
    case 10..<14: return rebalancing(for: feed, using: &generator)
    case _ where itemCount == 0: return insertion(for: feed, using: &generator)
    case 14..<44:
      return itemCount > itemCountMax
        ? deletion(for: feed, using: &generator) : insertion(for: feed, using: &generator)
    case 44..<54: return deletion(for: feed, using: &generator)
    case 54..<62: return upsert(for: feed, using: &generator)
    case 62..<72: return move(for: feed, using: &generator)
    case 72..<88: return resizing(for: feed, using: &generator)
    default: return preference(for: feed, using: &generator)
    }
  }

  /// Records the keys that an operation deletes.
  mutating func remember(_ operation: OracleOperation, on feed: OracleFeed) {
    switch operation {
    case .delete(let keys, _): deletedItems += keys
    case .deleteSection(let key, _):
      deletedSections.append(key)
      for section in feed.sections where section.key.hasBytes(of: key) {
        deletedItems += section.items.map(\.key)
      }
    default: break
    }
  }
}
