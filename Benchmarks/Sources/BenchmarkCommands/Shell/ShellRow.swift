/// The commands started from a shell. The names are those of the JSON rows.
enum ShellOperation: String, CaseIterable {
  case query
  case queryJSON
  case version
  case sqlite3
  case nothing

  var title: String {
    switch self {
    case .query: "layoutcache query"
    case .queryJSON: "layoutcache query --json"
    case .version: "layoutcache --version"
    case .sqlite3: "sqlite3, the same items"
    case .nothing: "true"
    }
  }
}

/// The time of running a program from start to end.
struct ShellRow {
  var operation: ShellOperation
  var figures: Figures
}

/// The measurements of `shell` at one size.
struct ShellSize {
  /// The target for the median of a query, in microseconds.
  static let queryMicrosecondsMax = 5000.0

  var items: Int
  var rows: [ShellRow] = []
}

extension ShellSize {
  /// The size's figures as a table.
  var text: String {
    var table = Table([
      .text("program"), .number("samples"), .number("median us"), .number("p99 us"),
      .number("mean us"), .text("target"),
    ])
    for row in rows {
      table.add([
        row.operation.title, String(row.figures.sampleCount), microseconds(row.figures.median),
        microseconds(row.figures.p99), microseconds(row.figures.mean),
        row.isMet.map { $0 ? "met" : "missed: at most \(Int(Self.queryMicrosecondsMax)) us" } ?? "",
      ])
    }
    return TextStyle.heading(plural(items, "item")) + "\n" + table.lines + "\n"
  }

  /// The object that `shell --json` prints. Times are microseconds.
  static func json(_ sizes: [ShellSize]) -> JSONValue {
    .object(Machine.members + [("sizes", .array(sizes.map(\.json)))])
  }

  private var json: JSONValue {
    .object([("items", .integer(items)), ("rows", .array(rows.map(\.json)))])
  }
}

extension ShellRow {
  /// Whether a query meets its target; `nil` for other operations.
  fileprivate var isMet: Bool? {
    operation == .query || operation == .queryJSON
      ? figures.median <= ShellSize.queryMicrosecondsMax : nil
  }

  fileprivate var json: JSONValue {
    .object(
      [("row", .text(operation.rawValue))] + figures.members + [("met", .optional(isMet))])
  }
}
