/// An item as a source of changes describes it; a nil span leaves the span unchanged.
public struct OracleUpsertedItem: Codable, Hashable, Sendable {
  public var key: String
  public var width: Double
  public var height: Double
  public var span: Int?
  /// Nil leaves it unchanged.
  public var visibility: OracleVisibility?

  public init(key: String, width: Double, height: Double, span: Int? = nil) {
    (self.key, self.width, self.height, self.span) = (key, width, height, span)
  }
}
