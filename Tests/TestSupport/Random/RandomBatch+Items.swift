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
      return .delete(
        keys: neighbours.filter { $0.storedColumn == item.storedColumn }.map(\.key))
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
      return OracleUpsertedItem(key: item.key, width: size.0, height: size.1, span: span)
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
      return .prefer(
        key: key, length: item.preferredLength, crossLength: item.preferredCrossLength)
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
    let section =
      feed.sections[section ?? Int.random(in: feed.sections.indices, using: &generator)]
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
}
