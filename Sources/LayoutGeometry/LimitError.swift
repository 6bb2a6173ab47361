/// An input value that violates one of ``Limits``. Always the caller's fault; nothing has been
/// changed when it is thrown.
public struct LimitError: Error, Hashable, Sendable {
  /// The kind of violation.
  @nonexhaustive
  public enum Code: String, Hashable, Sendable {
    /// For names and keys: an invalid length, or an invalid character.
    case tooShort, tooLong, controlCharacter
    /// For data: not a JSON object.
    case notAnObject
    /// For numbers: not a number, or out of range.
    case notFinite, notPositive, tooSmall, tooLarge
  }

  /// The name of the value in error messages: "key", "width", "columns".
  public struct Subject: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name.
    public var name: String

    /// Creates a subject from a computed name.
    public init(_ name: String) { self.name = name }

    /// Creates a subject from a literal name.
    public init(stringLiteral value: String) { name = value }
  }

  /// The kind of violation.
  public var code: Code
  /// The name of the value.
  public var subject: Subject
  /// The violated limit, in bytes for names, in points for lengths, in degrees for angles.
  public var limit: Double
  /// The invalid value.
  public var value: Double

  /// Creates the error for a value that violates a limit.
  public init(_ code: Code, _ subject: Subject, limit: Double, value: Double) {
    self.code = code
    self.subject = subject
    self.limit = limit
    self.value = value
  }
}

extension LimitError: CustomStringConvertible {
  /// One sentence with the limit and the value: "columns is 300; the limit is 256".
  public var description: String {
    let name = subject.name
    return switch code {
    case .tooShort: "\(name) is empty"
    case .tooLong: "\(name) has \(plain(value)) bytes; the limit is \(plain(limit))"
    case .controlCharacter: "\(name) has a control character"
    case .notAnObject: "\(name) is not a JSON object"
    case .notFinite: "\(name) is \(value), not a finite number"
    case .notPositive:
      "\(name) is \(plain(value)); it must be \(limit > 0 ? "at least 1/64" : "above 0")"
    case .tooSmall: "\(name) is \(plain(value)); the minimum is \(plain(limit))"
    case .tooLarge: "\(name) is \(plain(value)); the limit is \(plain(limit))"
    }
  }

  private func plain(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? String(number)
  }
}
