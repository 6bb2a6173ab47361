package import LayoutGeometry

/// A condition on items, in the filter language of Meilisearch:
///
///     price < 100 AND (color = red OR tags IN [new, sale]) AND NOT sold EXISTS
///
/// **Fields.** `key` and `section` are texts, `width` and `height` the natural size in points; any
/// other name, and any name in quotes, is a member of the item's data, also with a dot in it.
///
/// **Values.** A word that is a JSON number is a number, `true` and `false` are Booleans; other
/// words, and everything in quotes, are texts. A value matches only values of its type: nothing
/// is converted. Words consist of letters, digits, `_`, `-`, `.`, and, unlike in Meilisearch, `+`
/// and `:`, for numbers and instants. Quotes are `'` or `"`; `\` escapes both and itself, and `\n`,
/// `\r` and `\t` are control characters.
///
/// **Conditions.** An array matches if one of its elements does, at any depth.
/// - `=`, `IN [..]`: the same Boolean, number, or bytes of a text. `!=` and `NOT IN` are their
///   negations: no element is equal, or the member is missing.
/// - `<`, `<=`, `>`, `>=`, and `TO`, which includes both ends: by ``SortKey``, only among numbers,
///   among instants, and among other texts.
/// - `STARTS WITH`: the bytes of texts. `CONTAINS`: texts in lower case, by Unicode's mapping of
///   each scalar, without a locale. Their value is a text, also without quotes.
/// - `EXISTS`: the member exists, even if it is `null`. `IS NULL`, `IS EMPTY`: it is `null`; it is
///   `""`, `[]` or `{}`. These are about the member itself, not about elements.
/// - `NOT` before any condition, before `IN`, `EXISTS`, `CONTAINS` and `STARTS`, and after `IS`;
///   so it matches items without the member. `AND` binds tighter than `OR`.
///
/// Keywords are in upper case, as in Meilisearch, and need quotes as names or values; `and` is a
/// word. There are no `_geoRadius` and its kin, and no paths into objects.
///
/// Filters are equal if their normal forms are: white space, quotes, superfluous parentheses,
/// double negations, repetitions, and the order of values in `IN` and of conditions joined by `AND` or
/// `OR` do not matter; equalities of one field joined by `OR` are one `IN`.
package struct ItemFilter: Hashable, Sendable {
  /// A property of items that a condition reads.
  package enum Field: Hashable, Sendable {
    case key, section, width, height
    /// A member of the data, by its name.
    case member(ExactKey)
  }

  /// The bytes of a filter in UTF-8, as written and in normal form.
  package static let textBytesMax = 4096
  /// The conditions of a filter. A list of values is one.
  package static let termsMax = 64
  /// The levels of parentheses.
  package static let depthMax = 64

  let root: FilterNode
  /// The fields that ``matches(_:)`` may ask for.
  package let reads: Set<Field>

  /// Parses a filter.
  ///
  /// - Throws: ``ItemFilterError``, also for an empty text and beyond the limits.
  /// - Complexity: O(bytes); the call stack is bounded by ``depthMax``.
  package init(_ text: String) throws(ItemFilterError) {
    var parser = try FilterParser(text)
    root = try parser.takeFilter()
    reads = parser.fields
    members = reads.compactMap { if case .member(let name) = $0 { name } else { nil } }
      .sorted { $0.string.utf8.lexicographicallyPrecedes($1.string.utf8) }
    try FilterParser.check(description)
  }

  /// The names of the data's members that the filter reads.
  package let members: [ExactKey]

  /// The members that conditions compare with a number.
  package var numericMembers: Set<ExactKey> { root.numericMembers }

  /// Returns whether an item matches.
  ///
  /// - Parameter value: Returns the item's value of a field of ``reads``; `nil` for a missing
  ///   member. It may be called several times for a field.
  /// - Complexity: O(conditions + bytes of the filter and of the values that are read).
  package func matches<E: Error>(
    _ value: (Field) throws(E) -> FilterValue?
  ) throws(E) -> Bool {
    try root.matches(value)
  }
}

extension ItemFilter: CustomStringConvertible {
  /// The normal form, which is a filter equal to this one.
  package var description: String { root.text }
}

/// A filter's syntax tree.
indirect enum FilterNode: Hashable, Sendable {
  enum Junction: String, Sendable {
    case and = "AND"
    case or = "OR"
  }

  case term(ItemFilter.Field, FilterTest)
  /// The negation of a node that is not one itself.
  case not(FilterNode)
  /// At least two nodes, none with the same junction.
  case joined(Junction, [FilterNode])

  func matches<E: Error>(
    _ value: (ItemFilter.Field) throws(E) -> FilterValue?
  ) throws(E) -> Bool {
    switch self {
    case .term(let field, let test): return test.matches(try value(field))
    case .not(let node): return try !node.matches(value)
    case .joined(let junction, let nodes):
      for node in nodes where try node.matches(value) == (junction == .or) {
        return junction == .or
      }
      return junction == .and
    }
  }

  fileprivate var numericMembers: Set<ExactKey> {
    switch self {
    case .term(.member(let name), let test) where test.hasNumber: [name]
    case .term: []
    case .not(let node): node.numericMembers
    case .joined(_, let nodes): nodes.reduce(into: []) { $0.formUnion($1.numericMembers) }
    }
  }

  /// Returns nodes joined by a junction, in normal form.
  ///
  /// - Parameter nodes: At least one; none with the same junction.
  static func joining(_ nodes: [FilterNode], by junction: Junction) -> FilterNode {
    var values: [ItemFilter.Field: Set<FilterValue>] = [:]
    var own = Set(nodes)
    if junction == .or {
      for case .term(let field, .isOneOf(let some)) in nodes {
        own.remove(.term(field, .isOneOf(some)))
        values[field, default: []].formUnion(some)
      }
      for (field, all) in values { own.insert(.term(field, .isOneOf(all))) }
    }
    if let only = own.first, own.count == 1 { return only }
    return .joined(
      junction, own.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) })
  }

  func negated(_ isNegated: Bool) -> FilterNode {
    if !isNegated { return self }
    return if case .not(let node) = self { node } else { .not(self) }
  }

  /// The normal form.
  var text: String {
    switch self {
    case .term(let field, let test): "\(field.text) \(test.text)"
    case .not(.joined(let junction, let nodes)):
      "NOT (\(FilterNode.joined(junction, nodes).text))"
    case .not(let node): "NOT \(node.text)"
    case .joined(let junction, let nodes):
      nodes.map { if case .joined(.or, _) = $0 { "(\($0.text))" } else { $0.text } }
        .joined(separator: " \(junction.rawValue) ")
    }
  }
}

/// The test of a field's value.
enum FilterTest: Hashable, Sendable {
  case isOneOf(Set<FilterValue>)
  /// A range with one or two bounds, which are numbers, instants or other texts.
  case isWithin(lower: FilterValue?, upper: FilterValue?, isClosed: Bool)
  case startsWith(ExactKey)
  case contains(FoldedText)
  case exists, isNull, isEmpty

  /// Whether values are compared with a number.
  fileprivate var hasNumber: Bool {
    let operands: [FilterValue] =
      switch self {
      case .isOneOf(let values): Array(values)
      case .isWithin(let lower, let upper, _): [lower, upper].compactMap(\.self)
      default: []
      }
    return operands.contains { if case .number = $0 { true } else { false } }
  }

  func matches(_ value: FilterValue?) -> Bool {
    switch (self, value) {
    case (_, nil): false
    case (.exists, _): true
    case (.isNull, let value?): value == .null
    case (.isEmpty, let value?):
      [.text(""), .array([]), .object(isEmpty: true)].contains(value)
    case (_, .array(let elements)): elements.contains(where: matches)
    case (.isOneOf(let values), let value?): values.contains(value)
    case (.isWithin(let lower, let upper, let isClosed), let value?):
      (lower.map { SortKey($0).precedes(SortKey(value), orEquals: isClosed) } ?? true)
        && (upper.map { SortKey(value).precedes(SortKey($0), orEquals: isClosed) } ?? true)
    case (.startsWith(let start), .text(let text)):
      text.string.utf8.starts(with: start.string.utf8)
    case (.contains(let wanted), .text(let text)): wanted.isIn(text.string)
    case (.startsWith, _), (.contains, _): false
    }
  }

  /// The normal form after the field.
  var text: String {
    switch self {
    case .isOneOf(let values):
      let texts = values.map(\.literal).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      return texts.count == 1 ? "= \(texts[0])" : "IN [\(texts.joined(separator: ", "))]"
    case .isWithin(let lower?, let upper?, _): return "\(lower.literal) TO \(upper.literal)"
    case .isWithin(let lower?, nil, let isClosed):
      return "\(isClosed ? ">=" : ">") \(lower.literal)"
    case .isWithin(nil, let upper, let isClosed):
      return "\(isClosed ? "<=" : "<") \(upper?.literal ?? "")"
    case .startsWith(let start): return "STARTS WITH \(FilterValue.text(start).literal)"
    case .contains(let wanted): return "CONTAINS \(FilterValue.text(wanted.text).literal)"
    case .exists: return "EXISTS"
    case .isNull: return "IS NULL"
    case .isEmpty: return "IS EMPTY"
    }
  }
}
