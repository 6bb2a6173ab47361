extension OracleFeed {
  /// Applies one operation and assigns a column to every item that needs one. A rejected
  /// operation may leave partial changes.
  ///
  /// - Returns: Whether it creates a revision.
  @discardableResult
  mutating func perform(_ operation: OracleOperation) throws(OracleRefusal) -> Bool {
    var counts = true
    switch operation {
    case .insert(let items, let destination):
      try insert(items, at: destination)
      counts = !items.isEmpty
    case .delete(let keys, let ignoresMissing):
      counts = try delete(keys, ignoresMissing: ignoresMissing)
    case .upsert(let items, let section, let moving):
      counts = try upsert(items, section: section, moving: moving)
    case .move(let key, let destination): counts = try move(key, to: destination)
    case .resize(let key, let width, let height, let span):
      counts = try resize(key, width: width, height: height, span: span)
    case .hide(let keys, let visibility):
      counts = false
      for key in keys { if try show(key, visibility) { counts = true } }
    case .prefer(let key, let length, let crossLength):
      counts = try prefer(length, crossLength, for: key)
    case .preferLengths(let lengths, let ignoresMissing):
      counts = try prefer(lengths, ignoresMissing: ignoresMissing)
    case .resetLengths: counts = resetLengths()
    case .preferSupplementary(let isHeader, let section, let length):
      counts = try prefer(length, isHeader: isHeader, section: section)
    case .preferLayout(let isHeader, let length):
      counts = try prefer(length, ofLayoutHeader: isHeader)
    case .insertSection(let key, let index, let style):
      try insertSection(key, at: index, style: style)
    case .style(let key, let style): counts = try restyle(key, to: style)
    case .deleteSection(let key, let ignoresMissing):
      counts = !ignoresMissing || index(ofSection: key) != nil
      if counts { sections.remove(at: try knownIndex(ofSection: key)) }
    case .moveSection(let key, let index): counts = try moveSection(key, to: index)
    case .invalidate(let items, let sections, let everything):
      try invalidate(items: items, sections: sections, everything: everything)
      counts = everything || !items.isEmpty || !sections.isEmpty
    case .invalidateElements(let kinds, let sections):
      try refuseUnlessPresent(kinds, sections: sections)
      counts = !kinds.isEmpty
    case .rebalance(let section, let from): try rebalance(section, from: from)
    case .continueRebalance: break
    }
    try placeItemsWithoutColumn()
    return counts
  }

  private mutating func insert(
    _ items: [OracleItem], at destination: OracleDestination
  ) throws(OracleRefusal) {
    let first = try position(of: destination)
    for (offset, item) in items.enumerated() {
      guard position(ofItem: item.key) == nil else { throw OracleRefusal(.itemExists, item.key) }
      var inserted = OracleItem(
        key: item.key, width: item.width, height: item.height, span: item.span)
      inserted.visibility = item.visibility
      try refuseUnlessValid(key: inserted.key)
      _ = try natural(inserted)
      sections[first.section].items.insert(inserted, at: first.item + offset)
      // The data of an item of this key that was removed do not return with it.
      numbers[Array(item.key.utf8)] = nil
    }
  }

  private mutating func delete(
    _ keys: [String], ignoresMissing: Bool
  ) throws(OracleRefusal) -> Bool {
    var hasChanged = false
    for key in keys {
      if ignoresMissing, position(ofItem: key) == nil { continue }
      let position = try knownPosition(ofItem: key)
      passRebalance(over: position)
      sections[position.section].items.remove(at: position.item)
      hasChanged = true
    }
    return hasChanged
  }

  private mutating func move(
    _ key: String, to destination: OracleDestination
  ) throws(OracleRefusal) -> Bool {
    let old = try knownPosition(ofItem: key)
    switch destination {
    case .before(let other), .after(let other):
      if other.hasBytes(of: key) { throw OracleRefusal(.relativeToItself, key) }
    case .end, .index: break
    }
    let before = self
    passRebalance(over: old)
    var item = sections[old.section].items.remove(at: old.item)
    item.storedColumn = nil
    // Moving a section's only item leaves it empty for a moment, even if the item returns.
    forgetRebalanceIfEmpty(old.section)
    let new = try position(of: destination)
    if new.section == old.section && new.item == old.item {
      self = before
      return false
    }
    sections[new.section].items.insert(item, at: new.item)
    return true
  }

  private mutating func resize(
    _ key: String, width: Double, height: Double, span: Int?
  ) throws(OracleRefusal) -> Bool {
    let position = try knownPosition(ofItem: key)
    var item = sections[position.section].items[position.item]
    let (old, oldSpan) = (try natural(item), item.span)
    item.width = width
    item.height = height
    item.span = span ?? oldSpan
    let new = try natural(item)
    let isResized = new.mainLength != old.mainLength || new.crossLength != old.crossLength
    // It was measured for another size.
    if isResized {
      item.preferredLength = nil
      item.preferredCrossLength = nil
    }
    if let waterfall = stableWaterfall(ofSection: position.section),
      waterfall.clamped(span: item.span) != waterfall.clamped(span: oldSpan)
    {
      item.storedColumn = nil
    }
    sections[position.section].items[position.item] = item
    return isResized || item.span != oldSpan
  }

  /// An item that collapses leaves its column, and one that comes back chooses one.
  private mutating func show(
    _ key: String, _ visibility: OracleVisibility
  ) throws(OracleRefusal) -> Bool {
    let position = try knownPosition(ofItem: key)
    if sections[position.section].items[position.item].visibility == visibility { return false }
    if visibility == .collapsed {
      passRebalance(over: position)
      sections[position.section].items[position.item].storedColumn = nil
    }
    sections[position.section].items[position.item].visibility = visibility
    forgetRebalanceIfEmpty(position.section)
    try placeItemsWithoutColumn()
    return true
  }

  private mutating func insertSection(
    _ key: String, at index: Int?, style: String?
  ) throws(OracleRefusal) {
    guard self.index(ofSection: key) == nil else { throw OracleRefusal(.sectionExists, key) }
    try refuseUnlessValid(key: key)
    if let style { try refuseUnlessValid(key: style) }
    let index = index ?? sections.count
    guard (0...sections.count).contains(index) else { throw OracleRefusal(.outOfRange, key) }
    sections.insert(OracleSection(key: key, style: style, items: []), at: index)
  }

  private mutating func moveSection(
    _ key: String, to index: Int
  ) throws(OracleRefusal) -> Bool {
    let old = try knownIndex(ofSection: key)
    let section = sections.remove(at: old)
    guard (0...sections.count).contains(index) else { throw OracleRefusal(.outOfRange, key) }
    sections.insert(section, at: index)
    return index != old
  }

  private mutating func invalidate(
    items: [String], sections keys: [String], everything: Bool
  ) throws(OracleRefusal) {
    for key in items { _ = try knownPosition(ofItem: key) }
    for key in keys { try placeAgain(section: knownIndex(ofSection: key), from: 0) }
    if everything { try placeAllItemsAgain() }
  }

  private func refuseUnlessPresent(
    _ kinds: [String], sections keys: [String]
  ) throws(OracleRefusal) {
    var owners = keys.isEmpty ? [storedFrame.elementKinds] : []
    for key in keys {
      owners.append(storedSettings(ofSection: try knownIndex(ofSection: key)).elementKinds)
    }
    for kind in kinds where !owners.allSatisfy({ $0.contains(kind) }) {
      throw OracleRefusal(.noElement, kind)
    }
  }

  private mutating func rebalance(
    _ key: String?, from item: String?
  ) throws(OracleRefusal) {
    let section: Int? = if let key { try knownIndex(ofSection: key) } else { nil }
    if let item {
      let position = try knownPosition(ofItem: item)
      guard section == nil || section == position.section else {
        throw OracleRefusal(.inOtherSection, item)
      }
      try placeAgain(section: position.section, from: place(of: position))
    } else if let section {
      try placeAgain(section: section, from: 0)
    } else {
      for section in sections.indices { try placeAgain(section: section, from: 0) }
    }
  }

  /// 1 to 255 bytes of UTF-8 without control characters.
  func refuseUnlessValid(key: String) throws(OracleRefusal) {
    guard (1...OracleLimits.keyBytesMax).contains(key.utf8.count),
      key.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { throw OracleRefusal(.outOfRange, key) }
  }
}
