extension OracleFeed {
  /// Assigns a column to the items of stable waterfalls that have none. The placement sees the
  /// columns as the previous items leave them; later items keep their columns.
  mutating func placeItemsWithoutColumn() throws(OracleRefusal) {
    for section in sections.indices {
      guard let waterfall = stableWaterfall(ofSection: section),
        sections[section].placed.contains(where: { $0.storedColumn == nil })
      else { continue }
      let cells = try waterfall.place(naturalItems(ofSection: section)).cells
      var placed = sections[section].placed
      for item in cells.indices { placed[item].storedColumn = cells[item].column }
      sections[section].placed = placed
    }
  }

  mutating func placeAllItemsAgain() throws(OracleRefusal) {
    for section in sections.indices { forgetColumns(ofSection: section) }
    try placeItemsWithoutColumn()
    for section in sections.indices { try settle(section) }
  }

  mutating func forgetColumns(ofSection section: Int) {
    for item in sections[section].items.indices { sections[section].items[item].storedColumn = nil }
    sections[section].rebalance = nil
  }

  /// Gives a section another style. Its items are placed as from scratch, unless a stable
  /// waterfall becomes one that places them alike.
  ///
  /// - Returns: Whether it had another style.
  mutating func restyle(_ key: String, to style: String?) throws(OracleRefusal) -> Bool {
    let section = try knownIndex(ofSection: key)
    if let style { try refuseUnlessValid(key: style) }
    let old = sections[section].style
    if old.map({ Array($0.utf8) }) == style.map({ Array($0.utf8) }) { return false }
    let before = stableWaterfall(ofSection: section)
    sections[section].style = style
    if let before, let after = stableWaterfall(ofSection: section), before.places(as: after) {
      return true
    }
    forgetColumns(ofSection: section)
    try placeItemsWithoutColumn()
    try settle(section)
    return true
  }

  func naturalItems(ofSection section: Int) throws(OracleRefusal) -> [OracleNaturalItem] {
    var items: [OracleNaturalItem] = []
    for item in sections[section].placed { items.append(try natural(item)) }
    return items
  }
}
