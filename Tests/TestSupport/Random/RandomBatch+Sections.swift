extension RandomBatch {
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
    let items = feed.sections.flatMap(\.items).map(\.key)
    let count = Int.random(in: 0...5, using: &generator)
    let sections = feed.sections.map(\.key)
    return .invalidate(
      items: Array(items.shuffled(using: &generator).prefix(count)),
      sections: Array(sections.shuffled(using: &generator).prefix(count / 2)),
      everything: generator.oneIn(5))
  }

  /// - Precondition: The feed has sections.
  func rebalancing(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let section = feed.sections.randomElement(using: &generator)!
    let item = section.items.randomElement(using: &generator)
    return .rebalance(
      section: generator.oneIn(3) ? nil : section.key,
      from: generator.oneIn(3) ? nil : item?.key)
  }
}
