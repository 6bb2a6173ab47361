/// The part of a layout that does not follow from the items, read from another source: the
/// sections whose items have chosen their columns, one section after the other.
struct HistorySource {
  /// Continues to the next section: the bytes that ``ImmediatePlacing/encodeHistory(of:into:)``
  /// has written.
  let beginSection: () throws -> [UInt8]
  /// The first column of the section's next item.
  let nextColumn: () throws -> Int
}
