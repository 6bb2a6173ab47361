import LayoutCache
import LayoutGeometry

/// A row that is not a valid item.
package struct BadRow: Error, Hashable, Sendable {
  package var line: Int
  /// The column or member at fault; `nil` for the row as a whole.
  package var field: String?
  /// The problem, with the value.
  package var reason: String
  /// The problem, without the value: the key by which rows are counted.
  package var group: String
  /// The kind of problem of the text; `nil` for others.
  package var code: RecordProblem.Code?

  init(_ problem: RecordProblem) {
    code = problem.code
    line = problem.line
    field = problem.field
    reason = problem.message
    group = problem.group
  }

  init(_ duplicate: DuplicateKey, field: String) {
    line = duplicate.lines.first ?? 0
    self.field = field
    reason = "item '\(excerpt(duplicate.key))' already exists"
    group = "duplicate key"
  }

  /// - Parameter field: The column or member with the key.
  init(repeating record: ItemRecord, field: String) {
    line = record.line
    self.field = field
    reason = "an earlier row has the key '\(excerpt(record.key))'"
    group = "duplicate key"
  }

  /// Creates the problem of a row without a section.
  init(sectionless record: ItemRecord, _ fields: FieldNames) {
    line = record.line
    field = fields.section.name
    reason = "\(excerpt(field ?? "section")) is empty"
    group = reason
  }

  /// - Parameters:
  ///   - other: The earlier row that states another style.
  ///   - field: The column or member with the style.
  init(
    style: String, of section: String, _ other: StatedStyles.Statement, line: Int, field: String?
  ) {
    self.line = line
    self.field = field
    reason = """
      \(field ?? "style") is '\(excerpt(style))', but line \(other.line) gives section \
      '\(excerpt(section))' the style '\(excerpt(other.style))'; a section has one style
      """
    group = "\(field ?? "style") contradicts an earlier row"
  }

  /// - Parameter field: The column or member with the value.
  init(_ error: LimitError, line: Int, field: String?) {
    self.line = line
    self.field = field
    reason = error.description
    group = "\(error.subject.name) \(error.group)"
  }
}

/// The rows that an import has skipped, counted by reason.
package struct SkippedRows {
  package struct Group {
    package var reason: String
    package var count = 0
    /// The lines of the first rows.
    package var lines: [Int] = []
  }

  private static let rowsKept = 20
  private static let linesKept = 5

  package private(set) var count = 0
  /// By reason, in order of first appearance.
  package private(set) var groups: [Group] = []
  /// The first rows.
  package private(set) var rows: [BadRow] = []

  /// Adds rows skipped for one reason, with the first of them.
  package mutating func add(_ first: [BadRow], count: Int) {
    for row in first { add(row) }
    guard let group = groups.firstIndex(where: { $0.reason == first.last?.group }) else { return }
    self.count += count - first.count
    groups[group].count += count - first.count
    rows.sort { $0.line < $1.line }
  }

  package mutating func add(_ row: BadRow) { add([row]) }

  /// Adds a row with all its problems; without any, it is not a skipped one.
  mutating func add(_ problems: [BadRow]) {
    guard let first = problems.first else { return }
    count += 1
    if rows.count < Self.rowsKept { rows.append(first) }
    for problem in problems { addToGroup(problem) }
  }

  private mutating func addToGroup(_ row: BadRow) {
    let index: Int
    if let known = groups.firstIndex(where: { $0.reason == row.group }) {
      index = known
    } else {
      index = groups.count
      groups.append(Group(reason: row.group))
    }
    groups[index].count += 1
    if groups[index].lines.count < Self.linesKept { groups[index].lines.append(row.line) }
  }
}

extension RecordProblem {
  fileprivate var group: String {
    switch code {
    case .tooFewFields: "row with too few fields"
    case .tooManyFields: "row with too many fields"
    case .notText: "row with a NUL byte"
    case .invalidUTF8: "row that is not UTF-8"
    case .misplacedQuote: "row with a misplaced quote"
    case .tooLong: "row that is too long"
    case .malformedJSON: "line that is not JSON"
    case .notAnObject where field == nil: "line that is not an object"
    default: "\(field ?? "row") \(code.clause ?? message)"
    }
  }
}

extension LimitError {
  fileprivate var group: String {
    switch code {
    case .tooShort: "is empty"
    case .tooLong: "is too long"
    case .notAnObject: "is not a JSON object"
    case .controlCharacter: "has a control character"
    case .notFinite: "is not finite"
    case .notPositive: "is not above 0"
    case .tooSmall: "is too small"
    case .tooLarge: "is too large"
    }
  }
}
