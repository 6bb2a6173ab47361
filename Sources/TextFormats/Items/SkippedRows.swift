import LayoutCache
import LayoutGeometry

extension RecordProblem {
  /// - Parameter field: The column or member with the key.
  init(_ duplicate: DuplicateKey, field: String) {
    self.init(
      line: duplicate.lines.first ?? 0, code: .duplicateKey, field: field,
      message: "item '\(excerpt(duplicate.key))' already exists")
  }

  /// - Parameter field: The column or member with the key.
  init(repeating record: ItemRecord, field: String) {
    self.init(
      line: record.line, code: .duplicateKey, field: field,
      message: "an earlier row has the key '\(excerpt(record.key))'")
  }

  /// Creates the problem of a row without a section.
  init(sectionless record: ItemRecord, _ fields: FieldNames) {
    let field = fields.section.name ?? "section"
    self.init(
      line: record.line, code: .emptyField, field: field, message: "\(excerpt(field)) is empty")
  }

  /// - Parameters:
  ///   - other: The earlier row that states another style.
  ///   - field: The column or member with the style.
  init(
    style: String, of section: String, _ other: StatedStyles.Statement, line: Int, field: String?
  ) {
    let field = field ?? "style"
    self.init(
      line: line, code: .otherStyle, field: field,
      message: """
        \(field) is '\(excerpt(style))', but line \(other.line) gives section \
        '\(excerpt(section))' the style '\(excerpt(other.style))'; a section has one style
        """)
  }

  /// - Parameter field: The column or member with the value.
  init(_ error: LimitError, line: Int, field: String?) {
    self.init(
      line: line, code: .beyondLimit, field: field, message: error.description,
      limitGroup: "\(error.subject.name) \(error.group)")
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
  package private(set) var rows: [RecordProblem] = []

  /// Adds rows skipped for one reason, with the first of them.
  package mutating func add(_ first: [RecordProblem], count: Int) {
    for row in first { add(row) }
    guard let group = groups.firstIndex(where: { $0.reason == first.last?.group }) else { return }
    self.count += count - first.count
    groups[group].count += count - first.count
    rows.sort { $0.line < $1.line }
  }

  package mutating func add(_ row: RecordProblem) { add([row]) }

  /// Adds a row with all its problems; without any, it is not a skipped one.
  mutating func add(_ problems: [RecordProblem]) {
    guard let first = problems.first else { return }
    count += 1
    if rows.count < Self.rowsKept { rows.append(first) }
    for problem in problems { addToGroup(problem) }
  }

  private mutating func addToGroup(_ row: RecordProblem) {
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
  /// The problem, without the value: the key by which rows are counted.
  fileprivate var group: String {
    switch code {
    case .beyondLimit: limitGroup ?? message
    case .duplicateKey: "duplicate key"
    case .otherStyle: "\(field ?? "style") contradicts an earlier row"
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
