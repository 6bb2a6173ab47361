import LayoutStore

/// The identity of a history: of a dataset, of a layout's result, or of both.
///
/// Answers with equal incarnations and revisions are equal. A dataset that is deleted and created
/// again has another incarnation, and so has a layout that is computed from scratch. The text is
/// opaque: store it, compare it, pass it back.
public struct Incarnation: RawRepresentable, Hashable, Sendable, Codable {
  /// Letters, digits and hyphens; empty for a layout that has not been computed.
  public var rawValue: String

  /// Creates an incarnation from the text in an answer.
  public init(rawValue: String) { self.rawValue = rawValue }

  init(_ number: HistoryNumber) { self.init(rawValue: number.description) }
}

extension Incarnation: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) { self.init(rawValue: text) }
}

extension Incarnation: CustomStringConvertible {
  /// The text, as in answers.
  public var description: String { rawValue }
}
