/// Where an item is, or where one is to be put.
struct OraclePosition {
  var section: Int
  /// Index in the section.
  var item: Int
}
