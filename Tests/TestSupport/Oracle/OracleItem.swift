/// One item of a feed, and the layout's stored values for it.
public struct OracleItem: Codable, Hashable, Sendable {
  public var key: String
  /// Natural size in points.
  public var width: Double
  public var height: Double
  /// Columns it covers; 0 means all, more than there are means all.
  public var span: Int
  /// The first column that a stable waterfall has stored for the item;
  /// nil lets the placement choose.
  public var storedColumn: Int?
  /// Units along the main axis that replace the computed length in a waterfall or in a flow
  /// without a fixed size; nil without a preferred length.
  public var preferredLength: Int64?
  /// Preferred units across, used by a flow without a fixed size.
  public var preferredCrossLength: Int64?
  public var visibility = OracleVisibility.shown

  public init(
    key: String, width: Double, height: Double, span: Int = 1, storedColumn: Int? = nil,
    preferredLength: Int64? = nil
  ) {
    (self.key, self.width, self.height, self.span) = (key, width, height, span)
    (self.storedColumn, self.preferredLength) = (storedColumn, preferredLength)
  }
}
