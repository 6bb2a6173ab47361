extension OracleFeed {
  /// Resizes known items. Puts new items, and known ones that must move, at the section's end
  /// one by one, except those that would already be there.
  ///
  /// - Returns: Whether anything has changed.
  mutating func upsert(
    _ items: [OracleUpsertedItem], section key: String, moving: Bool
  ) throws(OracleRefusal) -> Bool {
    for (index, item) in items.enumerated()
    where items[..<index].contains(where: { $0.key.hasBytes(of: item.key) }) {
      throw OracleRefusal(.itemTwice, item.key)
    }
    var hasChanged = false
    for item in items where position(ofItem: item.key) != nil {
      let resizing = OracleOperation.resize(
        key: item.key, width: item.width, height: item.height, span: item.span)
      if try perform(resizing) { hasChanged = true }
      guard let visibility = item.visibility else { continue }
      if try perform(.hide(keys: [item.key], visibility)) { hasChanged = true }
    }
    let settled = moving ? settledCount(of: items.map(\.key), inSection: key) : 0
    for item in items[settled...] {
      let isKnown = position(ofItem: item.key) != nil
      if isKnown && !moving { continue }
      if index(ofSection: key) == nil { try perform(.insertSection(key: key)) }
      let end = OracleDestination.end(section: key)
      var new = OracleItem(
        key: item.key, width: item.width, height: item.height, span: item.span ?? 1)
      new.visibility = item.visibility ?? .shown
      let operation: OracleOperation =
        isKnown ? .move(key: item.key, to: end) : .insert(items: [new], at: end)
      if try perform(operation) { hasChanged = true }
    }
    return hasChanged
  }

  /// The largest number of first keys that are in the section in this order, followed only by
  /// items of later keys.
  private func settledCount(of keys: [String], inSection section: String) -> Int {
    guard let index = index(ofSection: section) else { return 0 }
    let present = sections[index].items.map(\.key)
    for count in stride(from: keys.count, to: 0, by: -1) {
      let first = keys[..<count]
      guard let start = present.firstIndex(where: { $0.hasBytes(of: first[0]) }) else { continue }
      let rest = present[start...]
      let settled = rest.filter { one in first.contains { $0.hasBytes(of: one) } }
      let isAlone = rest.allSatisfy { one in keys.contains { $0.hasBytes(of: one) } }
      if isAlone, settled.elementsEqual(first, by: { $0.hasBytes(of: $1) }) { return count }
    }
    return 0
  }
}
