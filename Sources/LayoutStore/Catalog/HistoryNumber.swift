/// A random name of a history: of a dataset, or of a layout's result. Together with a
/// revision it names an answer.
package struct HistoryNumber: Hashable, Sendable, RawRepresentable {
  package var rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// A name that nothing has had.
  package static func random() -> HistoryNumber {
    HistoryNumber(rawValue: Int64.random(in: 0...Int64.max))
  }
}

extension HistoryNumber: CustomStringConvertible {
  /// As answers give it: hexadecimal digits.
  package var description: String { String(UInt64(bitPattern: rawValue), radix: 16) }
}
