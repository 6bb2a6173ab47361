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
  /// Of a carousel only.
  public var carousel: Carousel?

  /// How far a carousel can be scrolled, and is: units from the leading edge.
  public struct Carousel: Hashable, Sendable {
    public var contentLength: Int64
    public var offset: Int64
    public var maximumOffset: Int64

    public init(contentLength: Int64, offset: Int64, maximumOffset: Int64) {
      (self.contentLength, self.offset, self.maximumOffset) = (contentLength, offset, maximumOffset)
    }
  }

  public init(
    key: String, firstItem: Int, count: Int, start: Int64, length: Int64,
    carousel: Carousel? = nil
  ) {
    (self.key, self.firstItem, self.count, self.start) = (key, firstItem, count, start)
    (self.length, self.carousel) = (length, carousel)
  }
}
