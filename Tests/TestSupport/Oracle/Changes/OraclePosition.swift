/// The position of an item, existing or to be inserted.
struct OraclePosition {
  var section: Int
  /// Index in the section.
  var item: Int
}
