/// A filter as a tree, evaluated as the documentation of filters words it. Its numbers and instants
/// come from lists in ascending order, so that no arithmetic decides about them.
public indirect enum OracleFilter: Sendable {
  public enum Value: Sendable {
    case null
    case bool(Bool)
    /// A spelling, and the position among all numbers.
    case number(String, rank: Int)
    /// A text, and the position among all instants if it is one.
    case text(String, rank: Int?)
    case list([Value])
    case object(isEmpty: Bool)
  }

  case test(field: String, String, [Value])
  case not(OracleFilter)
  case joined(all: Bool, [OracleFilter])

  // MARK: - Evaluation

  public func matches(_ item: [String: Value]) -> Bool {
    switch self {
    case .not(let filter): !filter.matches(item)
    case .joined(let all, let filters): filters.contains { $0.matches(item) != all } != all
    case .test(let field, "!=", let operands):
      !OracleFilter.test(field: field, "=", operands).matches(item)
    case .test(let field, let test, let operands) where test.contains("NOT "):
      !OracleFilter.test(field: field, test.replacing("NOT ", with: ""), operands).matches(item)
    case .test(let field, let test, let operands):
      item[field].map { Self.passes($0, test, operands) } ?? false
    }
  }

  private static func passes(_ value: Value, _ test: String, _ operands: [Value]) -> Bool {
    switch (test, value) {
    case ("EXISTS", _), ("IS NULL", .null), ("IS EMPTY", .object(isEmpty: true)): true
    case ("IS EMPTY", .text(let text, _)): text.isEmpty
    case ("IS EMPTY", .list(let values)): values.isEmpty
    case ("IS NULL", _), ("IS EMPTY", _): false
    case (_, .list(let values)): values.contains { passes($0, test, operands) }
    case ("=", _), ("IN", _): operands.contains { isEqual($0, value) }
    case ("<", _): isBefore(value, operands[0])
    case ("<=", _): isBefore(value, operands[0], orSame: true)
    case (">", _): isBefore(operands[0], value)
    case (">=", _): isBefore(operands[0], value, orSame: true)
    case ("TO", _):
      isBefore(operands[0], value, orSame: true) && isBefore(value, operands[1], orSame: true)
    case ("STARTS WITH", .text(let text, _)): text.utf8.starts(with: operands[0].written.utf8)
    case ("CONTAINS", .text(let text, _)):
      isPart(Array(operands[0].written.lowercased().utf8), of: Array(text.lowercased().utf8))
    default: false
    }
  }

  private static func isPart(_ part: [UInt8], of text: [UInt8]) -> Bool {
    text.indices.contains { text[$0...].starts(with: part) } || part.isEmpty
  }

  private static func isEqual(_ one: Value, _ other: Value) -> Bool {
    switch (one, other) {
    case (.bool(let one), .bool(let other)): one == other
    case (.number(_, let one), .number(_, let other)): one == other
    case (.text(let one, _), .text(let other, _)): one.utf8.elementsEqual(other.utf8)
    default: false
    }
  }

  /// Whether a value is before another in the order of values.
  public static func isOrdered(_ one: Value, before other: Value) -> Bool {
    one.kind == other.kind ? isBefore(one, other) : one.kind < other.kind
  }

  private static func isBefore(_ one: Value, _ other: Value, orSame: Bool = false) -> Bool {
    switch (one, other) {
    case (.number(_, let one), .number(_, let other)), (.text(_, let one?), .text(_, let other?)):
      one < other || orSame && one == other
    case (.text(let one, nil), .text(let other, nil)):
      one.utf8.lexicographicallyPrecedes(other.utf8) || orSame && one.utf8.elementsEqual(other.utf8)
    default: false
    }
  }

  // MARK: - Texts

  /// The filter with random spaces, quotes and parentheses.
  public func text(using random: inout some RandomNumberGenerator) -> String {
    switch self {
    case .not(let filter): "NOT \(filter.inner(using: &random))"
    case .joined(let all, let filters):
      filters.map { $0.inner(using: &random) }.joined(separator: all ? " AND\n" : "  OR ")
    case .test(let field, let test, let operands):
      Self.condition(field, test, operands.map { $0.literal(using: &random) }, using: &random)
    }
  }

  private func inner(using random: inout some RandomNumberGenerator) -> String {
    let text = text(using: &random)
    let isTest = if case .test = self { true } else { false }
    return isTest && !random.oneIn(4) ? text : "(\(text))"
  }

  private static func condition(
    _ field: String, _ test: String, _ operands: [String],
    using random: inout some RandomNumberGenerator
  ) -> String {
    let isNamed = ["key", "section", "width", "height"].contains(field)
    let name =
      isNamed || (field.allSatisfy(\.isLowercase) && random.oneIn(2)) ? field : "'\(field)'"
    return switch test {
    case "TO": "\(name) \(operands[0]) TO \(operands[1])"
    case "IN", "NOT IN": "\(name) \(test) [\(operands.joined(separator: " ,"))]"
    case "=", "!=", "<", "<=", ">", ">=":
      random.oneIn(2) ? "\(name)\(test)\(operands[0])" : "\(name) \(test)  \(operands[0])"
    default: "\(name) \(test) \(operands.joined())"
    }
  }
}

extension OracleFilter.Value {
  /// The text, or the spelling of a number.
  fileprivate var written: String {
    switch self {
    case .text(let text, _), .number(let text, _): text
    case .bool(let bool): "\(bool)"
    case .null, .list, .object: ""
    }
  }

  public var json: String {
    switch self {
    case .null: "null"
    case .bool, .number: written
    case .text(let text, _): JSONValue.string(text).text
    case .list(let values): "[\(values.map(\.json).joined(separator: ","))]"
    case .object(let isEmpty): isEmpty ? "{}" : #"{"a":[1]}"#
    }
  }

  fileprivate var kind: Int {
    switch self {
    case .number: 0
    case .text(_, let rank): rank == nil ? 2 : 1
    default: 3
    }
  }

  fileprivate func literal(using random: inout some RandomNumberGenerator) -> String {
    guard case .text(let text, let rank) = self else { return written }
    let isWord = !text.isEmpty && text.allSatisfy { $0.isLowercase && $0.isASCII } && text != "true"
    if isWord || rank != nil, random.oneIn(2) { return text }
    let quote = random.oneIn(2) ? "'" : "\""
    let escaped = text.replacing("\\", with: "\\\\").replacing(quote, with: "\\" + quote)
    return quote + escaped + quote
  }

  // MARK: - Random values

  /// Spellings of the same number, in ascending order of the numbers.
  private static let numbers = [
    ["-1e300"], ["-9223372036854777856"], ["-9223372036854775808"], ["-9007199254740993"],
    ["-9007199254740992"], ["-1.5", "-15e-1"], ["0", "-0", "0.0", "0e9"], ["5e-324"], ["0.1"],
    ["9.75"], ["10", "1e1", "10.0"], ["10.000000000000002"], ["9007199254740992"],
    ["9007199254740993"], ["9223372036854775806"], ["9223372036854775807"],
    ["9223372036854775808", "9.223372036854775808e18"], ["1e19"], ["1e300", "10E+299"],
  ]
  /// The same of instants.
  private static let instants = [
    ["0000-01-01"], ["1969-12-31T23:59:59.999Z"], ["1970-01-01", "1970-01-01T00:00:00-00:00"],
    ["1970-01-01T00:00:00.000000001z"], ["2023-12-31t23:59:60Z", "2024-01-01"],
    ["2024-02-28T23:59:59.5+00:00"],
    ["2024-02-29", "2024-02-29T05:30:00.000+05:30", "2024-02-28T16:00:00-08:00"],
    ["2024-02-29T00:00:00.25Z", "2024-02-29T00:00:00.2500000000Z"], ["2024-03-01"], ["2100-03-01"],
    ["9999-12-31T23:59:59-23:59"],
  ]
  private static let texts = [
    "", "aab", "aaab", "red", "Red", "redder", "é", "e\u{301}", "É", "10", "true", "it's \"x\" \\",
    "AND",
    "2100-02-29",
    "2024-02-30", "1970-1-1", "2024-01-01T00:00Z", "2024-01-01T00:00:00", "2024-01-01 00:00:00Z",
    "2024-01-01T24:00:00Z", "2024-01-01T00:00:00.Z", "z", "\u{10000}", "\u{FFFD}", "red, RED redd",
  ]

  /// A value that filters can have, if not `isAny`.
  public static func random(
    isAny: Bool, using random: inout some RandomNumberGenerator
  ) -> OracleFilter.Value {
    switch Int.random(in: 0..<(isAny ? 12 : 7), using: &random) {
    case 0, 1:
      let rank = numbers.indices.randomElement(using: &random)!
      return .number(numbers[rank].randomElement(using: &random)!, rank: rank)
    case 2, 3:
      let rank = instants.indices.randomElement(using: &random)!
      return .text(instants[rank].randomElement(using: &random)!, rank: rank)
    case 4, 5: return .text(texts.randomElement(using: &random)!, rank: nil)
    case 6: return .bool(random.oneIn(2))
    case 7: return .null
    case 8: return .object(isEmpty: random.oneIn(2))
    default:
      let count = Int.random(in: 0...3, using: &random)
      return .list((0..<count).map { _ in Self.random(isAny: true, using: &random) })
    }
  }
}

extension OracleFilter {
  /// A filter over some fields.
  public static func random(
    over fields: [String], depth: Int = 3, using random: inout some RandomNumberGenerator
  ) -> OracleFilter {
    let kind = depth == 0 ? 6 : Int.random(in: 0..<7, using: &random)
    if kind < 5 {
      let filters = (0..<max(1, kind)).map { _ in
        Self.random(over: fields, depth: depth - 1, using: &random)
      }
      return kind == 0 ? .not(filters[0]) : .joined(all: random.oneIn(2), filters)
    }
    let tests = [
      "=", "!=", "<", "<=", ">", ">=", "TO", "IN", "NOT IN", "EXISTS", "NOT EXISTS", "CONTAINS",
      "NOT CONTAINS", "STARTS WITH", "NOT STARTS WITH", "IS NULL", "IS NOT NULL", "IS EMPTY",
      "IS NOT EMPTY",
    ]
    let test = tests.randomElement(using: &random)!
    var operands: [Value] = []
    let counts = ["TO": 2, "IN": 3, "NOT IN": 1]
    let count = test.hasSuffix("EXISTS") || test.hasPrefix("IS") ? 0 : counts[test] ?? 1
    while operands.count < count {
      let value = Value.random(isAny: false, using: &random)
      let isOrder = ["<", "<=", ">", ">=", "TO"].contains(test)
      // Booleans have no order, and a range has two ends of one class.
      if case .bool = value, isOrder { continue }
      if let first = operands.first, isOrder, first.kind != value.kind { continue }
      operands.append(value)
    }
    return .test(field: fields.randomElement(using: &random)!, test, operands)
  }
}
