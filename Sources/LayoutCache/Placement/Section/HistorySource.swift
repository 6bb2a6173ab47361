/// What of a layout does not follow from the items, as it comes from elsewhere: of one section
/// after the other, of those that have items which have chosen their places.
struct HistorySource {
  /// Continues to the next section: the bytes that ``ImmediatePlacing/encodeHistory(of:into:)``
  /// has written.
  let beginSection: () throws -> [UInt8]
  /// The first column of the section's next item.
  let nextColumn: () throws -> Int
}
