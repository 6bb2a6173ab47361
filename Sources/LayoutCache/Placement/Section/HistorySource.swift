/// A reader of the history of a layout, which is not derivable from the items: the sections
/// with chosen columns, in order.
struct HistorySource {
  /// Advances to the next section, and returns the bytes written by
  /// ``ImmediatePlacing/encodeHistory(of:into:)``.
  let beginSection: () throws -> [UInt8]
  /// Returns the first column of the section's next item.
  let nextColumn: () throws -> Int
}
