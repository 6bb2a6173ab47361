/// What an ``ItemReader`` has seen.
///
/// Both counts are 0 for CSV and TSV that consist of a header alone.
package struct ReadSummary: Hashable, Sendable {
  /// The number of records that state an item.
  package internal(set) var recordCount = 0
  /// The number of records that state none.
  package internal(set) var problemCount = 0
}
