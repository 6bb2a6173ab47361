/// A JSON value that only a custom kind interprets: one of its options in a configuration, or a
/// member of an item's data.
public enum ConfigurationValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([ConfigurationValue])
  case object([String: ConfigurationValue])

  /// The number, if the value is one.
  public var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// The string, if the value is one.
  public var string: String? { if case .string(let string) = self { string } else { nil } }

  /// The Boolean, if the value is one.
  public var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
}

extension ConfigurationValue: Codable {
  /// Decodes any JSON value.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    // A failed attempt only means that the value is of another type; the last attempt's error
    // is thrown.
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([ConfigurationValue].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: ConfigurationValue].self))
    }
  }

  /// Encodes the JSON value.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .bool(let bool): try value.encode(bool)
    case .number(let number): try value.encode(number)
    case .string(let string): try value.encode(string)
    case .array(let array): try value.encode(array)
    case .object(let object): try value.encode(object)
    }
  }
}

extension ConfigurationValue {
  /// A number in the value that is infinite or none, and so no JSON; `nil` if there is none.
  var infinite: Double? {
    switch self {
    case .number(let number): number.isFinite ? nil : number
    case .array(let array): array.lazy.compactMap(\.infinite).first
    case .object(let object): object.values.lazy.compactMap(\.infinite).first
    case .null, .bool, .string: nil
    }
  }

  /// The value as JSON without white space, with members by name. Its numbers must be finite.
  package var json: String {
    switch self {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    case .string(let string): Self.quoted(string)
    case .array(let array): "[\(array.map(\.json).joined(separator: ","))]"
    case .object(let object): Self.json(of: object)
    }
  }

  private static func json(of object: [String: ConfigurationValue]) -> String {
    let members = object.sorted { $0.key < $1.key }.map { "\(quoted($0)):\($1.json)" }
    return "{\(members.joined(separator: ","))}"
  }

  private static func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\0"..<" ":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
