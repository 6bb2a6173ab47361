/// A feed that is edited in batches and laid out under one configuration: plain arrays, every
/// key found by a scan, and the whole feed laid out after each batch.
///
/// A stable waterfall's items store their columns. An operation only edits the arrays and
/// clears the column of the items to be placed; the ordinary placement of the section then
/// assigns one, and all others keep theirs.
public struct OracleFeed {
  /// In order; items with their stored columns, in stable waterfalls only, and preferred lengths.
  public internal(set) var sections: [OracleSection]
  /// The feed laid out.
  public private(set) var oracle: Oracle
  /// 1 at first, incremented by each batch that changes something or places something again.
  public private(set) var revision = 1
  /// The measured lengths of the layout's header and footer.
  public internal(set) var frameLengths = OracleFrameLengths()
  var configuration: OracleConfiguration
  /// The stored configuration, until the feed is laid out by it.
  var nextConfiguration: OracleConfiguration?
  /// Whether the feed is laid out and need not be laid out from scratch on the next request.
  public internal(set) var hasResult = true
  /// The number of items that a batch places again when it continues a rebalance.
  public var instalment = 1024
  /// The number of items that a batch's operations place again immediately, and the size of a
  /// large instalment.
  public var placedAgainMax = 32_768
  /// The remainder of that number in the current batch.
  var placedAgainRest = 0
  /// By the bytes of the key of each stable waterfall that the current batch edits, the number of
  /// items after all edits.
  var unedited: [[UInt8]: Int] = [:]

  /// Places everything from scratch. Stored columns are left out, preferred lengths are kept.
  ///
  /// - Precondition: No two sections have the same key, and no two items.
  /// - Throws: `OracleRefusal` for input that `Oracle` rejects.
  public init(
    configuration text: String, sections: [OracleSection]
  ) throws(OracleRefusal) {
    configuration = try OracleConfiguration(text: text)
    self.sections = sections
    oracle = try Oracle(configuration: configuration, sections: [])
    try layOutFromScratch()
  }

  /// Applies all operations, or none.
  ///
  /// - Throws: `OracleRefusal` with the number of the first rejected operation and the offending
  ///   key; without a number if the resulting content is too long. The feed is then unchanged.
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
    // Without a commit there is no instalment.
    guard makesRevision else { return }
    try changed.endBatch(isLarge: batch.contains(.continueRebalance))
    self = changed
  }

  mutating func beginBatch() {
    placedAgainRest = placedAgainMax
    unedited = [:]
  }

  /// Applies one operation of a batch.
  ///
  /// - Returns: Whether it creates a revision.
  mutating func carryOut(_ operation: OracleOperation) throws(OracleRefusal) -> Bool {
    let before = sections
    let makesRevision = try perform(operation)
    try noteEdits(operation, since: before)
    // Removes rebalances of sections that are now empty.
    for section in sections.indices { forgetRebalanceIfEmpty(section) }
    return makesRevision
  }

  /// Ends a batch that creates a revision.
  ///
  /// - Parameter isLarge: Whether its instalment is a large one.
  mutating func endBatch(isLarge: Bool) throws(OracleRefusal) {
    revision += 1
    try correctEditedPlaces()
    try goOnRebalancing(isLarge: isLarge)
    try layOut()
  }

  /// Forgets every stored column and places all items again. Preferred lengths are kept.
  public mutating func layOutFromScratch() throws(OracleRefusal) {
    var changed = self
    try changed.placeAllItemsAgain()
    try changed.layOut()
    self = changed
  }

  /// The section's waterfall if its items keep their columns.
  func stableWaterfall(ofSection section: Int) -> OracleWaterfall? {
    configuration.settings(of: sections[section]).content.stableWaterfall
  }

  /// Whether a measured length of the section's items is used.
  func takesPreferredLengths(section: Int) -> Bool {
    storedSettings(ofSection: section).content.takesPreferredLengths
  }

  /// The section's settings in the stored configuration.
  func storedSettings(ofSection section: Int) -> OracleSectionSettings {
    (nextConfiguration ?? configuration).settings(of: sections[section])
  }

  /// An item's sizes along the axes of the layout.
  func natural(_ item: OracleItem) throws(OracleRefusal) -> OracleNaturalItem {
    try OracleNaturalItem(item, isVertical: configuration.container.isVertical)
  }

  mutating func layOut() throws(OracleRefusal) {
    let numbers = numbers
    oracle = try Oracle(configuration: configuration.measured(frameLengths), sections: sections)
    self.numbers = numbers
  }

  /// As ``Oracle/numbers``.
  var numbers: [[UInt8]: Double] {
    get { oracle.numbers }
    set { oracle.numbers = newValue }
  }

  /// The elements of the layout in the stored configuration.
  var storedFrame: OracleFrame { (nextConfiguration ?? configuration).frame }
}
