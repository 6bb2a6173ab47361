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
