/// A JSON value, members of an object in written order.
///
/// A number keeps its value only: 2 and 2.0 are the same.
enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  struct Member: Sendable {
    var key: String
    var value: JSONValue
  }
}

extension JSONValue {
  /// The value as JSON text on one line. Whole numbers have no fraction.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let value): Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    case .string(let value): Self.quoted(value)
    case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
    case .object(let members):
      "{"
        + members.map { "\(Self.quoted($0.key)): \($0.value.text)" }.joined(separator: ", ")
        + "}"
    }
  }

  /// - Precondition: no control characters, as in every key and name.
  private static func quoted(_ string: String) -> String {
    var quoted = "\""
    for scalar in string.unicodeScalars {
      precondition(scalar.value >= 0x20, "control character in a key")
      if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}

extension JSONValue: Decodable {
  private struct MemberKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Members of objects come in no particular order.
  init(from decoder: any Decoder) throws {
    // A failed attempt only says that the value is of another type; the last
    // attempt's error is thrown.
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      self = .null
    } else if let value = try? single.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? single.decode(Double.self) {
      self = .number(value)
    } else if let value = try? single.decode(String.self) {
      self = .string(value)
    } else if let value = try? single.decode([JSONValue].self) {
      self = .array(value)
    } else {
      let container = try decoder.container(keyedBy: MemberKey.self)
      // The decoder's order changes from call to call; of several faults the same one is named.
      let keys = container.allKeys.sorted {
        $0.stringValue.utf8.lexicographicallyPrecedes($1.stringValue.utf8)
      }
      self = .object(
        try keys.map { key in
          Member(key: key.stringValue, value: try container.decode(JSONValue.self, forKey: key))
        })
    }
  }
}
