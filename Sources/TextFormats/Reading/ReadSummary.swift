/// What an ``ItemReader`` has seen.
///
/// Both counts are 0 for CSV and TSV that consist of a header alone.
public struct ReadSummary: Hashable, Sendable {
  /// The number of records that state an item.
  public internal(set) var recordCount = 0
  /// The number of records that state none.
  public internal(set) var problemCount = 0
}
