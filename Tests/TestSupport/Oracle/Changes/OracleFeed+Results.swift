// The result that a layout answers from. It follows the batches under the configuration that it
// was laid out by, until the layout is next requested.
extension OracleFeed {
  /// Gives the layout another configuration. A result remains and follows batches until the
  /// layout is prepared.
  public mutating func set(configuration text: String) throws(OracleRefusal) {
    nextConfiguration = try OracleConfiguration(text: text)
  }

  /// Whether measured lengths are kept under another configuration.
  func keepsLengths(setting text: String) throws(OracleRefusal) -> Bool {
    let next = try OracleConfiguration(text: text)
    let present = (nextConfiguration ?? configuration).container
    return next.keepsMeasuredLengths
      || (next.container.isVertical == present.isVertical
        && next.container.crossLength == present.crossLength)
  }

  /// Discards the result: the next preparation lays everything out from scratch.
  public mutating func discardResult() { hasResult = false }

  /// Deletes all stored values of items and sections: a new layout of the same name has none.
  public mutating func forgetEverything() {
    for section in sections.indices {
      for item in sections[section].items.indices {
        sections[section].items[item].preferredLength = nil
        sections[section].items[item].preferredCrossLength = nil
      }
      sections[section].preferredHeader = nil
      sections[section].preferredFooter = nil
    }
    frameLengths = OracleFrameLengths()
    discardResult()
  }

  /// Whether columns of items do not follow from the items.
  public var hasColumns: Bool { sections.contains { $0.items.contains { $0.storedColumn != nil } } }

  /// Replaces all items.
  public mutating func replace(sections: [OracleSection]) throws(OracleRefusal) {
    self.sections = sections
    discardResult()
    try layOutFromScratch()
  }

  /// Updates the layout to its configuration: from scratch without a result, otherwise the
  /// sections whose options change the placement.
  public mutating func prepare() throws(OracleRefusal) {
    var changed = self
    let old = configuration
    changed.configuration = nextConfiguration ?? configuration
    changed.nextConfiguration = nil
    changed.hasResult = true
    if !hasResult {
      try changed.layOutFromScratch()
    } else if nextConfiguration != nil {
      try changed.takeOver(from: old)
    }
    self = changed
  }

  private mutating func takeOver(from old: OracleConfiguration) throws(OracleRefusal) {
    let isComparable =
      old.container.isVertical == configuration.container.isVertical
      && old.container.crossLength == configuration.container.crossLength
    var placed: [Int] = []
    for section in sections.indices {
      let (before, after) = (
        old.settings(of: sections[section]).content.stableWaterfall,
        stableWaterfall(ofSection: section)
      )
      if isComparable, let before, let after, before.places(as: after) { continue }
      forgetColumns(ofSection: section)
      placed.append(section)
    }
    try placeItemsWithoutColumn()
    for section in placed { try settle(section) }
    try layOut()
  }
}
