/// A JSON value whose members keep their order.
enum JSONValue {
  case null
  case bool(Bool)
  case integer(Int)
  /// A finite number.
  case number(Double)
  /// A name or a version. Characters other than printable ASCII, quotation marks and backslashes
  /// are removed, so that no character needs an escape.
  case text(String)
  case array([JSONValue])
  case object([(name: String, value: JSONValue)])

  /// A number, or `null` for nil.
  static func optional(_ number: Double?) -> JSONValue { number.map { .number($0) } ?? .null }

  /// A text, or `null` for nil.
  static func optional(_ text: String?) -> JSONValue { text.map { .text($0) } ?? .null }

  /// `true` or `false`, or `null` for nil.
  static func optional(_ bool: Bool?) -> JSONValue { bool.map { .bool($0) } ?? .null }

  /// The value as JSON, without spaces.
  var encoded: String {
    switch self {
    case .null: "null"
    case .bool(let isTrue): isTrue ? "true" : "false"
    case .integer(let number): String(number)
    case .number(let number): Self.decimal(number)
    case .text(let text):
      "\"\(text.filter { $0.isASCII && $0 >= " " && $0 != "\"" && $0 != "\\" })\""
    case .array(let values): "[\(values.map(\.encoded).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\"\($0.name)\":\($0.value.encoded)" }.joined(separator: ","))}"
    }
  }

  /// The shortest decimal that reads back as the same number, without `.0`.
  private static func decimal(_ number: Double) -> String {
    precondition(number.isFinite, "JSON has only finite numbers")
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
