extension RandomBatch {
  /// - Precondition: The feed has sections.
  mutating func sectionOperation(
    for feed: OracleFeed, using generator: inout SeededGenerator
  ) -> OracleOperation {
    let key = feed.sections.randomElement(using: &generator)!.key
    switch Int.random(in: 0..<7, using: &generator) {
    case 0...2 where feed.sections.count < sectionCountMax:
      return sectionInsertion(for: feed, using: &generator)
    case 3: return .deleteSection(key: key)
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
    return .insertSection(key: key, index: index)
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
