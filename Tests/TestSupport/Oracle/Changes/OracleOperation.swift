/// One operation of a batch. Each sees the result of those before it.
///
/// Keys are compared by their bytes.
public enum OracleOperation: Hashable, Sendable {
  /// Puts items, in order, in a place between others. What they say of a stored
  /// column or a preferred length is left out.
  case insert(items: [OracleItem], at: OracleDestination)
  /// - Parameter ignoresMissing: Whether keys that are not there are ignored.
  case delete(keys: [String], ignoresMissing: Bool = false)
  /// What a source of changes says of items; new ones go to the section's end, and with
  /// `moving` the others too.
  case upsert(items: [OracleUpsertedItem], section: String, moving: Bool)
  /// Takes an item out and puts it in another place; an index is counted after
  /// its removal.
  case move(key: String, to: OracleDestination)
  /// Gives an item another natural size in points, and another span unless that
  /// is nil.
  case resize(key: String, width: Double, height: Double, span: Int? = nil)
  /// Gives an item a length in units along the main axis; nil takes it back.
  case prefer(key: String, length: Int64?, crossLength: Int64? = nil)
  /// Gives items lengths one after the other.
  case preferLengths([OracleLength], ignoresMissing: Bool)
  /// Resets all lengths of items, headers and footers.
  case resetLengths
  /// Gives a section's header or footer a length in units; nil takes it back.
  case preferSupplementary(isHeader: Bool, section: String, length: Int64?)
  /// Puts an empty section before the one at an index; nil puts it last.
  case insertSection(key: String, index: Int? = nil)
  case deleteSection(key: String, ignoresMissing: Bool = false)
  /// Moves a section to an index that is counted after its removal.
  case moveSection(key: String, index: Int)
  /// Places whole sections again, or everything. Naming items changes no frame.
  case invalidate(items: [String] = [], sections: [String] = [], everything: Bool = false)
  /// Places a section's items again from one on; from the first where there is no
  /// `from`, in that item's section where there is no `section`, and in all
  /// sections where there is neither.
  case rebalance(section: String? = nil, from: String? = nil)
  /// Makes the batch's instalment a large one.
  case continueRebalance
}

/// A length in units for an item; nil resets it.
public struct OracleLength: Hashable, Sendable {
  public var key: String
  public var length: Int64?
  public var crossLength: Int64?

  public init(key: String, length: Int64?, crossLength: Int64? = nil) {
    self.key = key
    self.length = length
    self.crossLength = crossLength
  }
}
