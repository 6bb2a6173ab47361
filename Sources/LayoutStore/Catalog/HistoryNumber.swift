/// The random identifier of a history, of a dataset or of a layout's result. Together with a
/// revision it identifies an answer.
package struct HistoryNumber: Hashable, Sendable, RawRepresentable {
  package var rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// Changes bits.
  mutating func mask(_ mask: Int64) { rawValue ^= mask }

  /// Returns a new random identifier.
  package static func random() -> HistoryNumber {
    HistoryNumber(rawValue: Int64.random(in: 0...Int64.max))
  }
}

extension HistoryNumber: CustomStringConvertible {
  /// The hexadecimal digits, as in answers.
  package var description: String { String(UInt64(bitPattern: rawValue), radix: 16) }
}
