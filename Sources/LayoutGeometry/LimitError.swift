/// A value from outside that breaks one of ``Limits``. Always the caller's fault;
/// nothing has been changed when it is thrown.
public struct LimitError: Error, Hashable, Sendable {
  /// The kind of breach.
  @nonexhaustive
  public enum Code: String, Hashable, Sendable {
    /// Of a name or key: its length, or a character that it must not have.
    case tooShort, tooLong, controlCharacter
    /// Of data: they are no JSON object.
    case notAnObject
    /// Of a number: no number at all, or beyond what is allowed.
    case notFinite, notPositive, tooSmall, tooLarge
  }

  /// The name of the value, in the words of an error message: "key", "width",
  /// "columns".
  public struct Subject: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The words.
    public var name: String

    /// Creates a subject of words that are computed.
    public init(_ name: String) { self.name = name }

    /// Creates a subject of words that are written in the program.
    public init(stringLiteral value: String) { name = value }
  }

  /// The kind of breach.
  public var code: Code
  /// The name of the value.
  public var subject: Subject
  /// The limit that was broken, in bytes for names, in points for lengths, in degrees
  /// for angles.
  public var limit: Double
  /// The value that broke it.
  public var value: Double

  /// Creates the error of a value that breaks a limit.
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
    case .tooSmall: "\(name) is \(plain(value)); the least is \(plain(limit))"
    case .tooLarge: "\(name) is \(plain(value)); the limit is \(plain(limit))"
    }
  }

  private func plain(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? String(number)
  }
}
