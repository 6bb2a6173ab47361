extension OracleFeed {
  /// Assigns a column to the items of stable waterfalls that have none. The placement sees the
  /// columns as the previous items leave them; later items keep their columns.
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
    for section in sections.indices {
      for item in sections[section].items.indices {
        sections[section].items[item].storedColumn = nil
      }
      sections[section].rebalance = nil
    }
    try placeItemsWithoutColumn()
    for section in sections.indices { try settle(section) }
  }

  func naturalItems(ofSection section: Int) throws(OracleRefusal) -> [OracleNaturalItem] {
    var items: [OracleNaturalItem] = []
    for item in sections[section].items { items.append(try natural(item)) }
    return items
  }
}
