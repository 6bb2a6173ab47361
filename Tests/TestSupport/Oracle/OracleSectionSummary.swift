/// One section's position in the content.
public struct OracleSectionSummary: Hashable, Sendable {
  public var key: String
  /// Number of items in all sections before.
  public var firstItem: Int
  public var count: Int
  /// Units along the main axis from the content's leading edge, not mirrored.
  public var start: Int64
  /// Units along the main axis, header and footer included.
  public var length: Int64

  public init(key: String, firstItem: Int, count: Int, start: Int64, length: Int64) {
    self.key = key
    self.firstItem = firstItem
    self.count = count
    self.start = start
    self.length = length
  }
}
