/// Whether an item has a cell, and if not, whether it keeps its place.
public enum OracleVisibility: Codable, Hashable, Sendable, CaseIterable {
  case shown, hidden, collapsed
}
