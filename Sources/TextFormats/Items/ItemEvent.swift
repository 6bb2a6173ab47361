/// What an ``ItemReader`` makes of one record.
package enum ItemEvent: Hashable, Sendable {
  /// A record that states an item.
  case record(ItemRecord)
  /// A record that states none. The records after it are not affected.
  case problem(RecordProblem)
}
