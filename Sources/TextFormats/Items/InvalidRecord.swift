/// A record that is not a valid item.
package struct InvalidRecord: Hashable, Sendable {
  /// The problems, in the order record, key, width, height, section, style, span, data. Not empty.
  package var problems: [RecordProblem]
  /// The values that could be parsed, with valid ones instead of the others; `nil` if the record
  /// as a whole is invalid.
  package var readable: ItemRecord?
}

extension [RecordProblem] {
  /// Returns a value of a record. If it is invalid, adds its problem, and returns a valid one, so
  /// that the other values can be parsed.
  @inline(__always)
  mutating func value<Value>(
    or placeholder: Value, _ parse: () throws(RecordProblem) -> Value
  ) -> Value {
    do throws(RecordProblem) { return try parse() } catch {
      append(error)
      return placeholder
    }
  }
}
