/// A position between a section's items.
public enum OracleDestination: Codable, Hashable, Sendable {
  /// After the section's last item.
  case end(section: String)
  /// Before the section's item at an index, from 0 to their number.
  case index(Int, section: String)
  /// Before the item with a key.
  case before(String)
  /// After the item with a key.
  case after(String)
}
