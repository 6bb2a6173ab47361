/// A value from outside that breaks one of ``Limits``. Always the caller's fault;
/// nothing has been changed when it is thrown.
public struct LimitError: Error, Hashable, Sendable {
  /// What was wrong with the value.
  public enum Code: String, Hashable, Sendable {
    case tooShort, tooLong, controlCharacter
    case notFinite, notPositive, tooSmall, tooLarge
  }

  /// What the value was, in the words of an error message: "key", "width",
  /// "columns".
  public struct Subject: Hashable, Sendable, ExpressibleByStringLiteral {
    public var name: String

    public init(_ name: String) { self.name = name }

    public init(stringLiteral value: String) { name = value }
  }

  public var code: Code
  public var subject: Subject
  /// The limit that was broken, in bytes for names, in points for lengths, in degrees
  /// for angles.
  public var limit: Double
  /// The value that broke it.
  public var value: Double

  public init(_ code: Code, _ subject: Subject, limit: Double, value: Double) {
    self.code = code
    self.subject = subject
    self.limit = limit
    self.value = value
  }
}

extension LimitError: CustomStringConvertible {
  public var description: String {
    let name = subject.name
    return switch code {
    case .tooShort: "\(name) is empty"
    case .tooLong: "\(name) has \(plain(value)) bytes; the limit is \(plain(limit))"
    case .controlCharacter: "\(name) has a control character"
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
