import LayoutGeometry

/// A text that is not a filter. Always the caller's fault.
package struct ItemFilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The Unicode scalars before the position at fault.
  package var offset: Int
  /// A description of valid text there.
  package var expected: String
  /// The text there instead.
  package var found: String

  /// One sentence: "character 9 of the filter: expected a value, found ')'".
  package var description: String {
    "character \(offset + 1) of the filter: expected \(expected), found \(found)"
  }
}

/// Words that need quotes as names and values.
private let keywords: Set = [
  "AND", "OR", "NOT", "IN", "TO", "EXISTS", "CONTAINS", "STARTS", "WITH", "IS", "NULL", "EMPTY",
]

private let escapes: [Unicode.Scalar: Unicode.Scalar] = [
  "\\": "\\", "'": "'", "\"": "\"", "n": "\n", "r": "\r", "t": "\t",
]

private func isWordScalar(_ scalar: Unicode.Scalar) -> Bool {
  scalar.properties.isIDContinue || "-.+:".unicodeScalars.contains(scalar)
}

/// Returns whether a text can be a name or a value without quotes.
private func isWord(_ text: String) -> Bool {
  !text.isEmpty && text.unicodeScalars.allSatisfy(isWordScalar) && !keywords.contains(text)
}

private func quoted(_ text: String) -> String {
  var quoted = "\""
  for scalar in text.unicodeScalars {
    if scalar == "\"" || scalar == "\\" { quoted += "\\" }
    quoted.unicodeScalars.append(scalar)
  }
  return quoted + "\""
}

extension ItemFilter.Field {
  private static let named: [ExactKey: Self] = [
    "key": .key, "section": .section, "width": .width, "height": .height,
  ]

  init(word: ExactKey) { self = Self.named[word] ?? .member(word) }

  /// The normal form: without quotes if possible.
  var text: String {
    guard case .member(let member) = self else { return "\(self)" }
    let isPlain = isWord(member.string) && Self(word: member) == self
    return isPlain ? member.string : quoted(member.string)
  }
}

extension FilterValue {
  package init(word: String) {
    var word = word
    let number = word.withUTF8 { FilterNumber(UnsafeRawBufferPointer($0)) }
    self =
      word == "true" || word == "false"
      ? .bool(word == "true") : number.map(Self.number) ?? .text(ExactKey(word))
  }

  /// The normal form in a filter: without quotes if possible.
  var literal: String {
    switch self {
    case .bool(let bool): return String(bool)
    case .number(.integer(let number)): return String(number)
    case .number(.double(let number)): return String(number)
    case .text(let text):
      let isPlain = isWord(text.string) && Self(word: text.string) == self
      return isPlain ? text.string : quoted(text.string)
    case .null, .array, .object: preconditionFailure("filters have no such values")
    }
  }
}

/// A recursive descent through the grammar:
///
///     or     = and ("OR" and)*
///     and    = not ("AND" not)*
///     not    = "NOT"* ("(" or ")" | field test)
///     test   = ("=" | "!=" | "<" | "<=" | ">" | ">=") value | value "TO" value
///            | "NOT"? ("IN" "[" (value ("," value)* ","?)? "]" | "EXISTS" | "CONTAINS" value
///                     | "STARTS" "WITH" value)
///            | "IS" "NOT"? ("NULL" | "EMPTY")
struct FilterParser {
  private let scalars: [Unicode.Scalar]
  private var position = 0
  /// The next token: a word, a symbol, or the contents of quotes; empty at the end.
  private var token = ""
  private var isQuoted = false
  private var start = 0
  private var termCount = 0
  private var depth = 0
  private(set) var fields: Set<ItemFilter.Field> = []

  init(_ text: String) throws(ItemFilterError) {
    try Self.check(text)
    scalars = Array(text.unicodeScalars)
    try advance()
  }

  static func check(_ text: String) throws(ItemFilterError) {
    let (bytes, limit) = (text.utf8.count, ItemFilter.textBytesMax)
    guard bytes > limit else { return }
    throw ItemFilterError(offset: 0, expected: "at most \(limit) bytes", found: "\(bytes)")
  }

  mutating func takeFilter() throws(ItemFilterError) -> FilterNode {
    let filter = try takeJoined(by: .or)
    guard token.isEmpty, !isQuoted else { throw error("AND, OR or the end") }
    return filter
  }

  private mutating func takeJoined(
    by junction: FilterNode.Junction
  ) throws(ItemFilterError) -> FilterNode {
    var nodes: [FilterNode] = []
    repeat {
      let node = junction == .or ? try takeJoined(by: .and) : try takeNot()
      if case .joined(junction, let inner) = node { nodes += inner } else { nodes.append(node) }
    } while try take(junction.rawValue)
    return .joining(nodes, by: junction)
  }

  private mutating func takeNot() throws(ItemFilterError) -> FilterNode {
    var isNegated = false
    while try take("NOT") { isNegated.toggle() }
    guard isNext("(") else { return try takeTerm().negated(isNegated) }
    let limit = ItemFilter.depthMax
    guard depth < limit else { throw error("at most \(limit) levels of parentheses") }
    depth += 1
    try advance()
    let node = try takeJoined(by: .or)
    try require(")", "AND, OR or ')'")
    depth -= 1
    return node.negated(isNegated)
  }

  private mutating func takeTerm() throws(ItemFilterError) -> FilterNode {
    let isName = isQuoted
    let name = ExactKey(try takeText("a condition"))
    let field = isName ? .member(name) : ItemFilter.Field(word: name)
    termCount += 1
    guard termCount <= ItemFilter.termsMax else {
      throw error("at most \(ItemFilter.termsMax) conditions")
    }
    fields.insert(field)
    let hasNot = try take("NOT")
    var isNegated = hasNot
    let test: FilterTest
    if try take("IN") {
      test = .isOneOf(try takeList())
    } else if try take("EXISTS") {
      test = .exists
    } else if try take("CONTAINS") {
      test = .contains(FoldedText(try takeText("a text")))
    } else if try take("STARTS") {
      try require("WITH", "WITH")
      test = .startsWith(ExactKey(try takeText("a text")))
    } else if hasNot {
      throw error("IN, EXISTS, CONTAINS or STARTS WITH")
    } else if try take("IS") {
      isNegated = try take("NOT")
      let isNull = try take("NULL")
      if !isNull { try require("EMPTY", "NULL or EMPTY") }
      test = isNull ? .isNull : .isEmpty
    } else {
      isNegated = isNext("!=")
      test = try takeComparison()
    }
    return FilterNode.term(field, test).negated(isNegated)
  }

  private mutating func takeComparison() throws(ItemFilterError) -> FilterTest {
    let failure = error("an operator, such as =")
    let symbol = isQuoted ? "" : token
    switch symbol {
    case "=", "!=":
      try advance()
      return .isOneOf([try takeValue()])
    case "<", "<=", ">", ">=":
      try advance()
      let bound = try takeBound()
      return .isWithin(
        lower: symbol.first == ">" ? bound : nil, upper: symbol.first == "<" ? bound : nil,
        isClosed: symbol.last == "=")
    default:
      guard isQuoted || isWord(token) else { throw failure }
      let lower = try takeBound()
      guard try take("TO") else { throw failure }
      let mismatch = error("a value comparable with \(lower.literal)")
      let upper = try takeBound()
      guard SortKey(lower).kind == SortKey(upper).kind else { throw mismatch }
      return .isWithin(lower: lower, upper: upper, isClosed: true)
    }
  }

  private mutating func takeList() throws(ItemFilterError) -> Set<FilterValue> {
    var values: Set<FilterValue> = []
    try require("[", "'['")
    while try !take("]") {
      values.insert(try takeValue())
      if !isNext("]") { try require(",", "',' or ']'") }
    }
    return values
  }

  private mutating func takeValue() throws(ItemFilterError) -> FilterValue {
    let (isText, failure) = (isQuoted, error("a smaller number"))
    let text = try takeText("a value")
    let value = isText ? .text(ExactKey(text)) : FilterValue(word: text)
    if case .number(.double(let number)) = value, number.isInfinite { throw failure }
    return value
  }

  private mutating func takeBound() throws(ItemFilterError) -> FilterValue {
    let failure = error("a number or a text")
    let value = try takeValue()
    if case .bool = value { throw failure }
    return value
  }

  /// Consumes a name or a value as it is written.
  private mutating func takeText(_ expected: String) throws(ItemFilterError) -> String {
    guard isQuoted || isWord(token) else { throw error(expected) }
    let text = token
    try advance()
    return text
  }

  private func isNext(_ wanted: String) -> Bool { !isQuoted && token == wanted }

  private mutating func take(_ wanted: String) throws(ItemFilterError) -> Bool {
    guard isNext(wanted) else { return false }
    try advance()
    return true
  }

  private mutating func require(_ wanted: String, _ expected: String) throws(ItemFilterError) {
    guard try take(wanted) else { throw error(expected) }
  }

  private func error(_ expected: String) -> ItemFilterError {
    let isKeyword = !isQuoted && keywords.contains(token)
    let isNear = !isQuoted && !isKeyword && keywords.contains(token.uppercased())
    let found = isQuoted || !token.isEmpty ? "'\(excerpt(token))'" : "the end"
    return ItemFilterError(
      offset: start, expected: expected,
      found: (isKeyword ? "the keyword " : "") + found
        + (isNear ? "; keywords are in upper case" : ""))
  }

  /// Reads the next token. Characters without a meaning are symbols, which no rule expects.
  private mutating func advance() throws(ItemFilterError) {
    while position < scalars.count, " \t\r\n".unicodeScalars.contains(scalars[position]) {
      position += 1
    }
    start = position
    (token, isQuoted) = ("", false)
    guard position < scalars.count else { return }
    position += 1
    switch scalars[start] {
    case "'", "\"":
      token = try takeQuoted()
      isQuoted = true
      return
    case "<", ">", "!":
      if position < scalars.count, scalars[position] == "=" { position += 1 }
    case let scalar where isWordScalar(scalar):
      while position < scalars.count, isWordScalar(scalars[position]) { position += 1 }
    default: break
    }
    token.unicodeScalars.append(contentsOf: scalars[start..<position])
  }

  /// Consumes the rest of a text in quotes.
  private mutating func takeQuoted() throws(ItemFilterError) -> String {
    var text = String.UnicodeScalarView()
    while position < scalars.count {
      var scalar = scalars[position]
      position += 1
      if scalar == scalars[start] { return String(text) }
      if scalar == "\\" {
        guard position < scalars.count, let meant = escapes[scalars[position]] else {
          throw ItemFilterError(
            offset: position - 1, expected: #"\\, \', \", \n, \r or \t"#, found: "another escape")
        }
        scalar = meant
        position += 1
      }
      text.append(scalar)
    }
    throw ItemFilterError(offset: start, expected: "a closing quote", found: "none")
  }
}
