extension OracleFeed {
  /// Nil where no item has the key.
  func position(ofItem key: String) -> OraclePosition? {
    for section in sections.indices {
      if let item = sections[section].items.firstIndex(where: { $0.key.hasBytes(of: key) }) {
        return OraclePosition(section: section, item: item)
      }
    }
    return nil
  }

  func knownPosition(ofItem key: String) throws(OracleRefusal) -> OraclePosition {
    guard let position = position(ofItem: key) else { throw OracleRefusal(.unknownItem, key) }
    return position
  }

  /// The number of items before a position that are not collapsed.
  func place(of position: OraclePosition) -> Int {
    sections[position.section].items[..<position.item].count { $0.visibility != .collapsed }
  }

  /// Nil where no section has the key.
  func index(ofSection key: String) -> Int? {
    sections.firstIndex { $0.key.hasBytes(of: key) }
  }

  func knownIndex(ofSection key: String) throws(OracleRefusal) -> Int {
    guard let index = index(ofSection: key) else { throw OracleRefusal(.unknownSection, key) }
    return index
  }

  func position(of destination: OracleDestination) throws(OracleRefusal) -> OraclePosition {
    switch destination {
    case .end(let key):
      let section = try knownIndex(ofSection: key)
      return OraclePosition(section: section, item: sections[section].items.count)
    case .index(let item, let key):
      let section = try knownIndex(ofSection: key)
      guard (0...sections[section].items.count).contains(item) else {
        throw OracleRefusal(.outOfRange, key)
      }
      return OraclePosition(section: section, item: item)
    case .before(let key): return try knownPosition(ofItem: key)
    case .after(let key):
      var position = try knownPosition(ofItem: key)
      position.item += 1
      return position
    }
  }
}
