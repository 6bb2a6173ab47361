/// One operation of a batch. Each sees the result of those before it.
///
/// Keys are compared by their bytes.
public enum OracleOperation: Codable, Hashable, Sendable {
  /// Inserts items, in order, at a position between others. Their stored columns and preferred
  /// lengths are ignored.
  case insert(items: [OracleItem], at: OracleDestination)
  /// - Parameter ignoresMissing: Whether missing keys are ignored.
  case delete(keys: [String], ignoresMissing: Bool = false)
  /// Updates items from a source of changes; new ones go to the section's end, and with
  /// `moving` the others too.
  case upsert(items: [OracleUpsertedItem], section: String, moving: Bool)
  /// Moves an item to another position; an index is counted after its removal.
  case move(key: String, to: OracleDestination)
  /// Gives an item another natural size in points, and another span unless that is nil.
  case resize(key: String, width: Double, height: Double, span: Int? = nil)
  /// Hides items, collapses them or shows them.
  case hide(keys: [String], OracleVisibility)
  /// Gives an item a length in units along the main axis; nil resets it.
  case prefer(key: String, length: Int64?, crossLength: Int64? = nil)
  /// Sets the lengths of items in order.
  case preferLengths([OracleLength], ignoresMissing: Bool)
  /// Resets all lengths of items, headers and footers.
  case resetLengths
  /// Gives a section's header or footer a length in units; nil resets it.
  case preferSupplementary(isHeader: Bool, section: String, length: Int64?)
  /// Gives the layout's header or footer a length in units; nil resets it.
  case preferLayout(isHeader: Bool, length: Int64?)
  /// Puts an empty section before the one at an index; nil puts it last.
  case insertSection(key: String, index: Int? = nil, style: String? = nil)
  /// Gives a section another style; nil removes it.
  case style(section: String, style: String?)
  case deleteSection(key: String, ignoresMissing: Bool = false)
  /// Moves a section to an index that is counted after its removal.
  case moveSection(key: String, index: Int)
  /// Places whole sections again, or everything. Naming items changes no frame.
  case invalidate(items: [String] = [], sections: [String] = [], everything: Bool = false)
  /// Names elements of sections, or without sections of the whole layout; changes no frame.
  case invalidateElements(kinds: [String], sections: [String] = [])
  /// Places a section's items again from one on: from the first without `from`, in that item's
  /// section without `section`, and in all sections without both.
  case rebalance(section: String? = nil, from: String? = nil)
  /// Makes the batch's instalment a large one.
  case continueRebalance
}

/// A length in units for an item; nil resets it.
public struct OracleLength: Codable, Hashable, Sendable {
  public var key: String
  public var length: Int64?
  public var crossLength: Int64?

  public init(key: String, length: Int64?, crossLength: Int64? = nil) {
    (self.key, self.length, self.crossLength) = (key, length, crossLength)
  }
}
