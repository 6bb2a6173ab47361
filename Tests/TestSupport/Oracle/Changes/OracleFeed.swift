/// A feed that is edited in batches and laid out under one configuration: plain
/// arrays, every key found by a scan, and the whole feed laid out after each batch.
///
/// A stable waterfall's items carry their columns. An operation only edits the
/// arrays and takes the column from the items that are to be placed; the ordinary
/// placement of the section then gives them one, and all others keep theirs.
public struct OracleFeed {
  /// In order; items with their stored columns, in stable waterfalls only, and
  /// preferred lengths.
  public internal(set) var sections: [OracleSection]
  /// The feed laid out.
  public private(set) var oracle: Oracle
  /// 1 at first, and one more for each batch that changes something or places
  /// something again.
  public private(set) var revision = 1
  var configuration: OracleConfiguration
  /// The configuration that is stored, until the feed is laid out by it.
  var nextConfiguration: OracleConfiguration?
  /// Whether the feed is laid out, and not to be laid out from scratch once it is asked for.
  public internal(set) var hasResult = true
  /// The items that a batch places again when it continues with a rebalance.
  public var instalment = 1024
  /// The items that a batch's operations place again at once, and its instalment where it
  /// is a large one.
  public var placedAnewMax = 32_768
  /// What is left of that in the present batch.
  var placedAnewRest = 0

  /// Places everything from scratch. Stored columns are left out, preferred
  /// lengths are kept.
  ///
  /// - Precondition: No two sections have the same key, and no two items.
  /// - Throws: `OracleRefusal` for what `Oracle` refuses.
  public init(
    configuration text: String, sections: [OracleSection]
  ) throws(OracleRefusal) {
    configuration = try OracleConfiguration(text: text)
    self.sections = sections
    oracle = try Oracle(configuration: configuration, sections: [])
    try layOutFromScratch()
  }

  /// Carries out all operations, or none.
  ///
  /// - Throws: `OracleRefusal` with the number of the first operation that is
  ///   refused and the key at fault; without a number where the outcome's content
  ///   is too long. The feed is unchanged then.
  public mutating func apply(_ batch: [OracleOperation]) throws(OracleRefusal) {
    var changed = self
    var makesRevision = false
    changed.beginBatch()
    for (index, operation) in batch.enumerated() {
      do {
        if try changed.carryOut(operation) { makesRevision = true }
      } catch {
        var refusal = error
        refusal.operation = index + 1
        throw refusal
      }
    }
    // No commit, no instalment.
    guard makesRevision else { return }
    try changed.endBatch(isLarge: batch.contains(.continueRebalance))
    self = changed
  }

  mutating func beginBatch() { placedAnewRest = placedAnewMax }

  /// Carries out one operation of a batch.
  ///
  /// - Returns: Whether that makes a revision.
  mutating func carryOut(_ operation: OracleOperation) throws(OracleRefusal) -> Bool {
    let makesRevision = try perform(operation)
    // Nothing is left that a placement could not even out.
    for section in sections.indices { forgetRebalanceIfEmpty(section) }
    return makesRevision
  }

  /// Ends a batch that makes a revision.
  ///
  /// - Parameter isLarge: Whether its instalment is a large one.
  mutating func endBatch(isLarge: Bool) throws(OracleRefusal) {
    revision += 1
    try goOnRebalancing(isLarge: isLarge)
    try layOut()
  }

  /// Lays everything out from scratch under another configuration. Preferred
  /// lengths are kept.
  public mutating func replace(configuration text: String) throws(OracleRefusal) {
    var changed = self
    changed.configuration = try OracleConfiguration(text: text)
    try changed.layOutFromScratch()
    self = changed
  }

  /// Forgets every stored column and places all items again. Preferred lengths are
  /// kept.
  public mutating func layOutFromScratch() throws(OracleRefusal) {
    var changed = self
    try changed.placeEverythingAnew()
    try changed.layOut()
    self = changed
  }

  /// The section's waterfall if its items keep their columns.
  func stableWaterfall(ofSection section: Int) -> OracleWaterfall? {
    configuration.settings(forSection: sections[section].key).content.stableWaterfall
  }

  /// Whether a length that was measured for an item of the section counts.
  func takesPreferredLengths(section: Int) -> Bool {
    storedSettings(ofSection: section).content.takesPreferredLengths
  }

  /// The section's settings in the configuration as it is stored.
  func storedSettings(ofSection section: Int) -> OracleSectionSettings {
    (nextConfiguration ?? configuration).settings(forSection: sections[section].key)
  }

  /// An item's sizes along the axes of the layout.
  func natural(_ item: OracleItem) throws(OracleRefusal) -> OracleNaturalItem {
    try OracleNaturalItem(item, isVertical: configuration.container.isVertical)
  }

  mutating func layOut() throws(OracleRefusal) {
    oracle = try Oracle(configuration: configuration, sections: sections)
  }
}
