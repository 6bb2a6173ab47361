extension OracleFeed {
  /// Places the items from an index on as if they were inserted one after the other: as many as
  /// the batch may, the others in later batches.
  mutating func placeAgain(section: Int, from first: Int) throws(OracleRefusal) {
    guard stableWaterfall(ofSection: section) != nil else { return }
    let count = sections[section].placed.count
    let end = first + min(placedAgainRest, count - first)
    placedAgainRest -= end - first
    try placeAgain(section: section, first..<end)
    if let present = sections[section].rebalance, present.goesToEnd,
      itemIndex(of: present, inSection: section) < first
    {
      return
    }
    let isDone = end == count
    sections[section].rebalance =
      isDone
      ? nil : OracleRebalance(nextKey: sections[section].placed[end].key, goesToEnd: true)
    if isDone { try settle(section) }
  }

  /// Continues with one section that is too skewed at its end, or with several in turn, as far
  /// as a large instalment permits.
  ///
  /// All sections are checked: one that no operation touched may have had to wait.
  mutating func goOnRebalancing(isLarge: Bool) throws(OracleRefusal) {
    var rest = isLarge ? placedAgainMax : instalment
    while rest > 0, let section = try firstOverdueSection() {
      rest -= max(1, try goOn(section, atMost: rest))
      if !isLarge { return }
    }
  }

  /// The first section with a rebalance under way, or whose columns differ by more than the
  /// limit and by more than twice the difference that the last rebalance left.
  public func firstOverdueSection() throws(OracleRefusal) -> Int? {
    for section in sections.indices {
      if sections[section].rebalance != nil { return section }
      if try isSkewed(section) { return section }
    }
    return nil
  }

  private func isSkewed(_ section: Int) throws(OracleRefusal) -> Bool {
    let (skews, limit, _) = try skewsAndLimits(ofSection: section)
    let skew = skews.last ?? 0
    return skew > limit && skew > 2 * sections[section].settledSkew
  }

  /// - Returns: The number of items placed again.
  private mutating func goOn(_ section: Int, atMost most: Int) throws(OracleRefusal) -> Int {
    let (skews, limit, _) = try skewsAndLimits(ofSection: section)
    if let present = sections[section].rebalance {
      let first = itemIndex(of: present, inSection: section)
      return try goOn(section, from: first, atMost: most, toEnd: present.goesToEnd)
    }
    if skews.last! > 2 * limit {
      let first = firstSkewed(skews, above: limit)
      return try goOn(section, from: first, atMost: most, toEnd: false)
    }
    return try correct(section, atMost: most)
  }

  private mutating func goOn(
    _ section: Int, from first: Int, atMost most: Int, toEnd goesToEnd: Bool
  ) throws(OracleRefusal) -> Int {
    let count = sections[section].placed.count
    let end = min(count, first + most)
    try placeAgain(section: section, first..<end)
    let (skews, _, target) = try skewsAndLimits(ofSection: section)
    if end == count || (!goesToEnd && skews.last! <= target) {
      sections[section].rebalance = nil
      try settle(section)
    } else {
      sections[section].rebalance = OracleRebalance(
        nextKey: sections[section].placed[end].key, goesToEnd: goesToEnd)
    }
    return end - first
  }

  /// Corrects the ends of the columns, at up to 32 places.
  private mutating func correct(
    _ section: Int, atMost most: Int
  ) throws(OracleRefusal) -> Int {
    let count = sections[section].placed.count
    var placed = 0
    for _ in 0..<32 where placed < most {
      guard try isSkewed(section) else { break }
      let (_, limit, _) = try skewsAndLimits(ofSection: section)
      let corrected = try correct(section, before: count, to: limit, atMost: most - placed)
      placed += corrected.range.count
      if corrected.hasHelped { continue }
      if corrected.range.upperBound == count {
        try settle(section)
      } else {
        sections[section].rebalance = OracleRebalance(
          nextKey: sections[section].placed[corrected.range.upperBound].key, goesToEnd: false)
      }
      return placed
    }
    let (skews, limit, _) = try skewsAndLimits(ofSection: section)
    if skews.last! <= limit { sections[section].settledSkew = 0 }
    return placed
  }

  /// Places items one by one until the columns are even enough after one.
  ///
  /// - Returns: The items, and whether the columns are even there and one has a new column.
  mutating func correct(
    _ section: Int, before end: Int, to limit: Int64, atMost most: Int
  ) throws(OracleRefusal) -> (range: Range<Int>, hasHelped: Bool) {
    let before = sections[section].placed.map(\.storedColumn)
    let skews = try skewsAndLimits(ofSection: section).skews
    let first = firstSkewed(Array(skews[..<end]), above: limit)
    var next = first
    var isEven = false
    while !isEven && next < min(skews.count, first + most) {
      try placeAgain(section: section, next..<(next + 1))
      isEven = try skewsAndLimits(ofSection: section).skews[next] <= limit
      next += 1
    }
    let hasMoved = sections[section].placed.map(\.storedColumn) != before
    return (first..<next, isEven && hasMoved)
  }

  /// An item after which the columns differ too much, and before which they do not: found by
  /// bisection.
  private func firstSkewed(_ skews: [Int64], above limit: Int64) -> Int {
    var (low, high) = (0, skews.count)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if skews[middle - 1] > limit { high = middle } else { low = middle }
    }
    return low
  }

  private mutating func placeAgain(
    section: Int, _ items: Range<Int>
  ) throws(OracleRefusal) {
    for item in items { sections[section].placed[item].storedColumn = nil }
    try placeItemsWithoutColumn()
  }

  /// Stores the difference that the rebalance that has just ended could not even out.
  mutating func settle(_ section: Int) throws(OracleRefusal) {
    let (skews, limit, _) = try skewsAndLimits(ofSection: section)
    let skew = skews.last ?? 0
    sections[section].settledSkew = skew > limit ? skew : 0
  }

  /// If the next item of a rebalance leaves, the rebalance continues with the item after it.
  mutating func passRebalance(over position: OraclePosition) {
    let section = sections[position.section]
    guard let key = section.rebalance?.nextKey, key.hasBytes(of: section.items[position.item].key)
    else { return }
    let next = section.items[(position.item + 1)...].first { $0.visibility != .collapsed }
    sections[position.section].rebalance?.nextKey = next?.key
  }

  mutating func forgetRebalanceIfEmpty(_ section: Int) {
    guard sections[section].placed.isEmpty else { return }
    sections[section].settledSkew = 0
    sections[section].rebalance = nil
  }

  private func itemIndex(of rebalance: OracleRebalance, inSection section: Int) -> Int {
    let items = sections[section].placed
    guard let key = rebalance.nextKey else { return items.count }
    return items.firstIndex { $0.key.hasBytes(of: key) }!
  }

  /// The differences between the columns of a stable waterfall after each item, the limit at
  /// the section's end, and the difference at which they are considered even. Other kinds have
  /// no skews.
  func skewsAndLimits(
    ofSection section: Int
  ) throws(OracleRefusal) -> (skews: [Int64], limit: Int64, target: Int64) {
    guard let waterfall = stableWaterfall(ofSection: section) else { return ([], 0, 0) }
    let items = try naturalItems(ofSection: section)
    let cells = try waterfall.place(items).cells
    let (limit, longest) = (waterfall.skewLimit(cells), waterfall.longest(cells))
    return (waterfall.skews(items, placed: cells), limit, longest + (limit - longest) / 2)
  }
}
