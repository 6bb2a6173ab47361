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
    (self.source, self.itemCountMax) = (source, itemCountMax)
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
    case 72..<82: return resizing(for: feed, using: &generator)
    case 82..<88: return hiding(for: feed, using: &generator)
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

extension RandomBatch {
  /// A few items or a screenful, anywhere; often at a section's top.
  mutating func insertion(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let count = Int.random(in: 1...(generator.oneIn(4) ? 40 : 4), using: &generator)
    var items: [OracleItem] = []
    for _ in 0..<count {
      var item = source.item(using: &generator)
      if generator.oneIn(6), let key = deletedItems.randomElement(using: &generator),
        feed.position(ofItem: key) == nil, !items.contains(where: { $0.key.hasBytes(of: key) })
      {
        item.key = key
      }
      if generator.oneIn(8) { item.visibility = visibility(using: &generator) }
      items.append(item)
    }
    return .insert(items: items, at: destination(in: feed, using: &generator))
  }

  /// Mostly single items; also runs, and nearly everything.
  mutating func deletion(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let all = feed.sections.flatMap(\.items)
    let (section, item) = randomItem(of: feed, using: &generator)
    let neighbours = feed.sections[section].items
    switch Int.random(in: 0..<24, using: &generator) {
    case 0: return deletion(ofNearlyAll: all, using: &generator)
    case 1: return deletion(ofNearlyAll: neighbours, using: &generator)
    case 2...4 where item.storedColumn != nil:
      // Only from one column, so that the others become longer.
      return .delete(keys: neighbours.filter { $0.storedColumn == item.storedColumn }.map(\.key))
    case 5...8:
      // A run, also across sections.
      let first = Int.random(in: all.indices, using: &generator)
      let count = Int.random(in: 1...40, using: &generator)
      return .delete(keys: all[first...].prefix(count).map(\.key))
    case 9, 10:
      let count = Int.random(in: 0...8, using: &generator)
      return .delete(keys: all.shuffled(using: &generator).prefix(count).map(\.key))
    case 11, 12:
      // As when changes arrive twice.
      let keys = [item.key, source.key(prefix: "x", using: &generator), item.key]
      return .delete(
        keys: Array(keys.shuffled(using: &generator).prefix(generator.oneIn(3) ? 1 : 3)),
        ignoresMissing: true)
    default: return .delete(keys: [item.key])
    }
  }

  private func deletion(
    ofNearlyAll items: [OracleItem], using generator: inout SeededGenerator
  ) -> OracleOperation {
    let kept = Int.random(in: 0...3, using: &generator)
    return .delete(keys: items.shuffled(using: &generator).dropFirst(kept).map(\.key))
  }

  /// Known items with the same or another size, among new ones; often those at the section's
  /// end, in their order or another.
  mutating func upsert(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let target = feed.sections.randomElement(using: &generator)!
    var known: [OracleItem] = []
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: known = target.items.suffix(Int.random(in: 1...5, using: &generator))
    case 1: known = target.items.suffix(5).shuffled(using: &generator).suffix(3)
    default:
      let count = Int.random(in: 0...6, using: &generator)
      known = feed.sections.flatMap(\.items).shuffled(using: &generator).suffix(count)
    }
    var items = known.map { item in
      let size = generator.oneIn(2) ? (item.width, item.height) : RandomFeed.size(using: &generator)
      let span = generator.oneIn(2) ? nil : generator.oneIn(2) ? item.span : 2
      var upserted = OracleUpsertedItem(key: item.key, width: size.0, height: size.1, span: span)
      if generator.oneIn(6) { upserted.visibility = visibility(using: &generator) }
      return upserted
    }
    for _ in 0..<(generator.oneIn(2) ? 0 : Int.random(in: 1...4, using: &generator)) {
      let item = source.item(using: &generator)
      items.insert(
        OracleUpsertedItem(
          key: item.key, width: item.width, height: item.height,
          span: generator.oneIn(2) ? nil : item.span),
        at: generator.oneIn(2) ? items.count : Int.random(in: 0...items.count, using: &generator))
    }
    let makesSection = feed.sections.count < sectionCountMax && generator.oneIn(6)
    let section = makesSection ? source.key(prefix: "s", using: &generator) : target.key
    return .upsert(items: items, section: section, moving: generator.oneIn(2))
  }

  func move(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let (section, item) = randomItem(of: feed, using: &generator)
    let index = feed.position(ofItem: item.key)!.item
    // To its current position.
    if generator.oneIn(8) {
      let key = feed.sections[section].key
      return .move(key: item.key, to: .index(index, section: key))
    }
    // The destination is found in the feed without the item.
    var rest = feed
    rest.sections[section].items.removeAll { $0.key.hasBytes(of: item.key) }
    let target = generator.oneIn(2) ? section : nil
    return .move(key: item.key, to: destination(in: rest, section: target, using: &generator))
  }

  func resizing(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let item = randomItem(of: feed, using: &generator).item
    // To its current size, which changes nothing, or with a new span only.
    if generator.oneIn(5) {
      return .resize(
        key: item.key, width: item.width, height: item.height,
        span: [nil, item.span, RandomFeed.span(using: &generator)]
          .randomElement(using: &generator)!)
    }
    let size = RandomFeed.size(using: &generator)
    return .resize(
      key: item.key, width: size.width, height: size.height,
      span: generator.oneIn(2) ? RandomFeed.span(using: &generator) : nil)
  }

  /// A few items, or a run; one of them perhaps twice.
  func hiding(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let (section, item) = randomItem(of: feed, using: &generator)
    let items = feed.sections[section].items
    var keys = [item.key]
    switch Int.random(in: 0..<6, using: &generator) {
    case 0, 1:
      let first = feed.position(ofItem: item.key)!.item
      keys = items[first...].prefix(.random(in: 1...12, using: &generator)).map(\.key)
    case 2: keys = items.map(\.key)
    case 3: keys = items.shuffled(using: &generator).prefix(4).map(\.key) + [item.key]
    default: break
    }
    return .hide(keys: keys, visibility(using: &generator))
  }

  private func visibility(using generator: inout SeededGenerator) -> OracleVisibility {
    OracleVisibility.allCases.randomElement(using: &generator)!
  }

  func preference(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let (section, item) = randomItem(of: feed, using: &generator)
    let key = item.key
    let preferring = feed.sections.flatMap(\.items).filter { $0.preferredLength != nil }
    switch Int.random(in: 0..<12, using: &generator) {
    case 10: return generator.oneIn(3) ? .resetLengths : .prefer(key: key, length: nil)
    case 11: return preferences(for: feed, using: &generator)
    case 0: return .prefer(key: key, length: nil)
    case 1...3:
      let item = preferring.randomElement(using: &generator)
      return .prefer(key: item?.key ?? key, length: nil)
    case _ where !feed.takesPreferredLengths(section: section):
      return .prefer(key: key, length: nil)
    case 6 where item.preferredLength != nil:
      return .prefer(key: key, length: item.preferredLength, crossLength: item.preferredCrossLength)
    case 7...8 where feed.storedSettings(ofSection: section).content.takesPreferredCrossLengths:
      return .prefer(
        key: key, length: Int64.random(in: 1...64_000, using: &generator),
        crossLength: Int64.random(in: 1...64_000, using: &generator))
    case 4: return .prefer(key: key, length: 1)
    case 5: return .prefer(key: key, length: 64_000_000)
    default:
      return .prefer(key: key, length: Int64.random(in: 1...64_000, using: &generator))
    }
  }

  /// Lengths of several items: of some items twice, and of some that the feed doesn't have.
  private func preferences(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let ignoresMissing = generator.oneIn(2)
    var lengths: [OracleLength] = []
    for _ in 0..<Int.random(in: 0...8, using: &generator) {
      let (section, item) = randomItem(of: feed, using: &generator)
      let content = feed.storedSettings(ofSection: section).content
      let takesLengths = feed.takesPreferredLengths(section: section)
      // An earlier entry that would be rejected is ignored.
      if !takesLengths, generator.oneIn(2) {
        lengths.append(OracleLength(key: item.key, length: 77))
      }
      let length =
        takesLengths && !generator.oneIn(4)
        ? Int64.random(in: 1...64_000, using: &generator) : nil
      lengths.append(
        OracleLength(
          key: item.key, length: length,
          crossLength: length != nil && content.takesPreferredCrossLengths && generator.oneIn(2)
            ? Int64.random(in: 1...64_000, using: &generator) : nil))
      if ignoresMissing, generator.oneIn(4) {
        lengths.append(OracleLength(key: "missing \(lengths.count)", length: 64))
      }
    }
    return .preferLengths(lengths, ignoresMissing: ignoresMissing)
  }

  /// Any position in any form.
  ///
  /// - Parameter section: The section of the position; nil for any section.
  func destination(
    in feed: OracleFeed, section: Int? = nil, using generator: inout SeededGenerator
  ) -> OracleDestination {
    let section = feed.sections[section ?? Int.random(in: feed.sections.indices, using: &generator)]
    let items = section.items
    let form = Int.random(in: 0..<8, using: &generator)
    if form == 0 { return .end(section: section.key) }
    if form < 3 || items.isEmpty { return .index(0, section: section.key) }
    switch form {
    case 3: return .before(items[0].key)
    case 4: return .before(items.randomElement(using: &generator)!.key)
    case 5: return .after(items.randomElement(using: &generator)!.key)
    default:
      return .index(Int.random(in: 0...items.count, using: &generator), section: section.key)
    }
  }

  /// - Precondition: The feed has items.
  func randomItem(
    of feed: OracleFeed, using generator: inout SeededGenerator
  ) -> (section: Int, item: OracleItem) {
    let sections = feed.sections.indices.filter { !feed.sections[$0].items.isEmpty }
    let section = sections.randomElement(using: &generator)!
    return (section, feed.sections[section].items.randomElement(using: &generator)!)
  }

  /// - Precondition: The feed has sections.
  mutating func sectionOperation(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let key = feed.sections.randomElement(using: &generator)!.key
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...2 where feed.sections.count < sectionCountMax:
      return sectionInsertion(for: feed, using: &generator)
    case 3:
      let isMissing = generator.oneIn(4)
      return .deleteSection(
        key: isMissing ? source.key(prefix: "x", using: &generator) : key,
        ignoresMissing: isMissing || generator.oneIn(2))
    case 4...6: return restyling(for: feed, using: &generator)
    default:
      let index = Int.random(in: feed.sections.indices, using: &generator)
      return .moveSection(key: key, index: index)
    }
  }

  mutating func sectionInsertion(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    var key = source.key(prefix: "s", using: &generator)
    if generator.oneIn(2), let deleted = deletedSections.randomElement(using: &generator),
      feed.index(ofSection: deleted) == nil
    {
      key = deleted
    }
    let index =
      generator.oneIn(3) ? nil : Int.random(in: 0...feed.sections.count, using: &generator)
    let style = generator.oneIn(3) ? RandomStyle.name(using: &generator) : nil
    return .insertSection(key: key, index: index, style: style)
  }

  /// Another style of a section, mostly; sometimes its present one, which changes nothing.
  ///
  /// - Precondition: The feed has sections.
  func restyling(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let section = feed.sections.randomElement(using: &generator)!
    if generator.oneIn(6) { return .style(section: section.key, style: section.style) }
    let style = generator.oneIn(4) ? nil : RandomStyle.name(using: &generator)
    return .style(section: section.key, style: style)
  }

  /// A length of an existing header or footer, mostly; otherwise of a missing one.
  ///
  /// - Precondition: The feed has sections.
  func measurement(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let frame = feed.storedFrame
    if frame.header.length + frame.footer.length > 0, generator.oneIn(2) {
      let isHeader = frame.header.length > 0 && (frame.footer.length == 0 || generator.oneIn(2))
      return .preferLayout(
        isHeader: isHeader,
        length: generator.oneIn(4) ? nil : Int64.random(in: 1...6_400, using: &generator))
    }
    let section = feed.sections.indices.randomElement(using: &generator)!
    let settings = feed.storedSettings(ofSection: section)
    let isHeader = settings.header == 0 ? false : settings.footer == 0 || generator.oneIn(2)
    let isThere = (isHeader ? settings.header : settings.footer) > 0
    return .preferSupplementary(
      isHeader: isHeader, section: feed.sections[section].key,
      length: isThere && !generator.oneIn(4)
        ? Int64.random(in: 1...(generator.oneIn(2) ? 64 : 64_000), using: &generator) : nil)
  }

  func invalidation(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    if generator.oneIn(2) { return elementInvalidation(for: feed, using: &generator) }
    let items = feed.sections.flatMap(\.items).map(\.key)
    let count = Int.random(in: 0...5, using: &generator)
    let sections = feed.sections.map(\.key)
    return .invalidate(
      items: Array(items.shuffled(using: &generator).prefix(count)),
      sections: Array(sections.shuffled(using: &generator).prefix(count / 2)),
      everything: generator.oneIn(5))
  }

  /// Kinds that some sections have in common, or kinds of the layout; possibly none.
  public func elementInvalidation(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let sections = feed.sections.indices.shuffled(using: &generator)
      .prefix(Int.random(in: 0...3, using: &generator))
    var kinds = feed.storedFrame.elementKinds
    if let first = sections.first {
      kinds = feed.storedSettings(ofSection: first).elementKinds.filter { kind in
        sections.allSatisfy { feed.storedSettings(ofSection: $0).elementKinds.contains(kind) }
      }
    }
    return .invalidateElements(
      kinds: kinds.filter { _ in !generator.oneIn(3) },
      sections: sections.map { feed.sections[$0].key })
  }

  /// - Precondition: The feed has sections.
  func rebalancing(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let section = feed.sections.randomElement(using: &generator)!
    let item = section.items.randomElement(using: &generator)
    return .rebalance(
      section: generator.oneIn(3) ? nil : section.key, from: generator.oneIn(3) ? nil : item?.key)
  }

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
      return .move(key: section.items[0].key, to: .index(section.items.count, section: section.key))
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
    case 13 where generator.oneIn(2) && feed.storedFrame.header.length == 0:
      return .preferLayout(isHeader: true, length: 64)
    case 13 where settings.header == 0 || settings.footer == 0:
      return .preferSupplementary(isHeader: settings.header == 0, section: section.key, length: 64)
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
      .invalidateElements(kinds: [], sections: [section]),
      .invalidateElements(kinds: ["none"]),
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
