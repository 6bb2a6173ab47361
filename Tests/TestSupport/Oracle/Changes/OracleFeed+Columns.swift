extension OracleFeed {
  /// Gives a column to the items of stable waterfalls that have none. The
  /// placement sees the columns as the items before leave them; what comes after
  /// keeps its column.
  mutating func placeItemsWithoutColumn() throws(OracleRefusal) {
    for section in sections.indices {
      guard let waterfall = stableWaterfall(ofSection: section),
        sections[section].items.contains(where: { $0.storedColumn == nil })
      else { continue }
      let cells = try waterfall.place(naturalItems(ofSection: section)).cells
      for item in cells.indices {
        sections[section].items[item].storedColumn = cells[item].column
      }
    }
  }

  mutating func placeEverythingAnew() throws(OracleRefusal) {
    for section in sections.indices { try placeAnew(section: section, from: 0) }
  }

  /// Places the items from an index on as if they came one after the other.
  mutating func placeAnew(section: Int, from first: Int) throws(OracleRefusal) {
    for item in first..<sections[section].items.count {
      sections[section].items[item].storedColumn = nil
    }
    try placeItemsWithoutColumn()
    let (skews, limit) = try skewsAndLimit(ofSection: section)
    let skew = skews.last ?? 0
    sections[section].settledSkew = skew > limit ? skew : 0
  }

  /// Evens out the sections that are too skewed at their end, unless they were no
  /// better when placed anew last: from a place where they begin to be, found by
  /// halves, 1, 2, 4, 8 … items are placed anew, until the columns' ends differ by no
  /// more than the longest item and half the skew that is configured.
  ///
  /// All sections are looked at: in one that no operation touched, the answer is
  /// what it was after the batch before.
  mutating func rebalanceSkewedSections() throws(OracleRefusal) {
    for section in sections.indices {
      let (skews, limit) = try skewsAndLimit(ofSection: section)
      guard let skew = skews.last, skew > limit, skew > 2 * sections[section].settledSkew
      else { continue }
      var (low, high) = (0, skews.count)
      while high - low > 1 {
        let middle = low + (high - low) / 2
        if skews[middle - 1] > limit { high = middle } else { low = middle }
      }
      try evenOut(section: section, from: low)
    }
  }

  private mutating func evenOut(section: Int, from first: Int) throws(OracleRefusal) {
    guard let waterfall = stableWaterfall(ofSection: section) else { return }
    let columns = sections[section].items.map(\.storedColumn)
    var count = 1
    while true {
      for item in columns.indices {
        let isPlaced = item >= first && item < first + count
        sections[section].items[item].storedColumn = isPlaced ? nil : columns[item]
      }
      try placeItemsWithoutColumn()
      let longest = waterfall.longest(
        try waterfall.place(naturalItems(ofSection: section)).cells)
      let (skews, limit) = try skewsAndLimit(ofSection: section)
      let skew = skews.last ?? 0
      if skew <= longest + (limit - longest) / 2 || first + count >= columns.count {
        sections[section].settledSkew = skew > limit ? skew : 0
        return
      }
      count *= 2
    }
  }

  /// How far the columns of a stable waterfall differ after each item, and by how
  /// much they may at the section's end. All else has no skews.
  private func skewsAndLimit(
    ofSection section: Int
  ) throws(OracleRefusal) -> (skews: [Int64], limit: Int64) {
    guard let waterfall = stableWaterfall(ofSection: section) else { return ([], 0) }
    let items = try naturalItems(ofSection: section)
    let cells = try waterfall.place(items).cells
    return (waterfall.skews(items, placed: cells), waterfall.skewLimit(cells))
  }

  private func naturalItems(ofSection section: Int) throws(OracleRefusal) -> [OracleNaturalItem] {
    var items: [OracleNaturalItem] = []
    for item in sections[section].items { items.append(try natural(item)) }
    return items
  }
}
