extension RandomBatch {
  /// An operation that the feed rejects, wrong in one respect.
  mutating func refusedOperation(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let section = feed.sections.randomElement(using: &generator)
    if let section, generator.oneIn(3) {
      return misplaced(in: section, of: feed, using: &generator)
    }
    let items = feed.sections.flatMap(\.items)
    if let item = items.randomElement(using: &generator), !generator.oneIn(3) {
      return wrong(for: item, of: feed, using: &generator)
    }
    return nowhere(in: feed, using: &generator)
  }

  /// An operation with a wrong position, section or index.
  private mutating func misplaced(
    in section: OracleSection, of feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let item = source.item(using: &generator)
    let beyond = generator.oneIn(2) ? -1 : section.items.count + 1
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return .insertSection(key: section.key)
    case 1:
      return .insertSection(
        key: source.key(prefix: "s", using: &generator), index: feed.sections.count + 1)
    case 2: return .moveSection(key: section.key, index: feed.sections.count)
    case 3: return .moveSection(key: section.key, index: -1)
    case 4 where !section.items.isEmpty:
      // One too far, since the index is counted without the item.
      return .move(
        key: section.items[0].key, to: .index(section.items.count, section: section.key))
    default: return .insert(items: [item], at: .index(beyond, section: section.key))
    }
  }

  /// An operation on an item that exists.
  private mutating func wrong(
    for item: OracleItem, of feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let side: Double = generator.oneIn(2) ? 0 : 1_000_001
    let section = feed.sections[feed.position(ofItem: item.key)!.section]
    let others = feed.sections.filter { !$0.key.hasBytes(of: section.key) }
    let index = feed.position(ofItem: item.key)!.section
    let takesLengths = feed.takesPreferredLengths(section: index)
    let settings = feed.storedSettings(ofSection: index)
    switch Int.random(in: 0..<15, using: &generator) {
    case 0: return .insert(items: [source.item(using: &generator), item], at: .after(item.key))
    case 1 where generator.oneIn(2):
      let twice = OracleUpsertedItem(key: item.key, width: 1, height: 1)
      return .upsert(items: [twice, twice], section: section.key, moving: false)
    case 1: return .delete(keys: [item.key, item.key])
    case 2: return .move(key: item.key, to: .before(item.key))
    case 3: return .move(key: item.key, to: .after(item.key))
    case 4:
      let missing = missingItem(in: feed, using: &generator)
      return .move(key: item.key, to: generator.oneIn(2) ? .before(missing) : .after(missing))
    case 5:
      let missing = missingSection(in: feed, using: &generator)
      return .move(key: item.key, to: .end(section: missing))
    case 6: return .resize(key: item.key, width: side, height: 1)
    case 7: return .resize(key: item.key, width: 1, height: side)
    case 8: return .resize(key: item.key, width: 1, height: 1, span: -1)
    case 9: return .resize(key: item.key, width: 1, height: 1, span: 65_536)
    case 10 where !others.isEmpty: return .rebalance(section: others[0].key, from: item.key)
    case 11 where !takesLengths: return .prefer(key: item.key, length: 64)
    case 12 where !feed.storedSettings(ofSection: index).content.takesPreferredCrossLengths:
      return .prefer(key: item.key, length: 64, crossLength: 64)
    case 13 where settings.header == 0 || settings.footer == 0:
      return .preferSupplementary(
        isHeader: settings.header == 0, section: section.key, length: 64)
    default: return .prefer(key: item.key, length: generator.oneIn(2) ? 0 : 64_000_001)
    }
  }

  /// An operation on a key that the feed does not have.
  private mutating func nowhere(
    in feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let item = missingItem(in: feed, using: &generator)
    let section = missingSection(in: feed, using: &generator)
    let inserted = source.item(using: &generator)
    return [
      .insert(items: [inserted], at: .before(item)),
      .insert(items: [inserted], at: .after(item)),
      .insert(items: [inserted], at: .end(section: section)),
      .insert(items: [inserted], at: .index(0, section: section)),
      .delete(keys: [item]),
      .move(key: item, to: .after(item)),
      .resize(key: item, width: 1, height: 1),
      .prefer(key: item, length: 64),
      .prefer(key: item, length: nil),
      .deleteSection(key: section),
      .preferSupplementary(isHeader: generator.oneIn(2), section: section, length: nil),
      .moveSection(key: section, index: 0),
      .invalidate(items: [item]),
      .invalidate(sections: [section]),
      .rebalance(from: item),
      .rebalance(section: section),
    ].randomElement(using: &generator)!
  }

  /// A key that was never used, or one that was deleted.
  private mutating func missingItem(
    in feed: OracleFeed, using generator: inout SeededGenerator
  ) -> String {
    let missing = deletedItems.filter { feed.position(ofItem: $0) == nil }
    if generator.oneIn(2), let key = missing.randomElement(using: &generator) { return key }
    return source.key(prefix: "x", using: &generator)
  }

  private mutating func missingSection(
    in feed: OracleFeed, using generator: inout SeededGenerator
  ) -> String {
    let missing = deletedSections.filter { feed.index(ofSection: $0) == nil }
    if generator.oneIn(2), let key = missing.randomElement(using: &generator) { return key }
    return source.key(prefix: "x", using: &generator)
  }
}
