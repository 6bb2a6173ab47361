/// The layouts that catch up. The names are those of the JSON rows.
enum CatchUpLayout: String, CaseIterable {
  /// Depends only on the items.
  case flow
  /// Its columns depend on the history.
  case stableWaterfall

  var title: String {
    switch self {
    case .flow: "flow"
    case .stableWaterfall: "stable waterfall"
    }
  }
}

/// The cost of catching up with a number of operations.
struct CatchUpRow {
  var layout: CatchUpLayout
  var operations: Int
  /// Whether the operations were replayed; otherwise the library laid the layout out from scratch.
  var isReplayed: Bool
  var catchUp: Figures
  var scratch: Figures

  var ratio: Double? { BenchTarget.ratio(catchUp.median, scratch.median) }
}

/// The measurements of `catch-up` at one size.
struct CatchUpSize {
  var items: Int
  var rows: [CatchUpRow] = []
}

extension CatchUpSize {
  /// The size's figures as a table.
  var text: String {
    var table = Table([
      .text("layout"), .number("operations"), .text("method"), .number("catch up ms"),
      .number("from scratch ms"), .number("ratio"),
    ])
    for row in rows {
      table.add([
        row.layout.title, String(row.operations), row.isReplayed ? "replayed" : "from scratch",
        twoDigits(row.catchUp.median / 1000), twoDigits(row.scratch.median / 1000),
        row.ratio.map(twoDigits) ?? "",
      ])
    }
    return TextStyle.heading(plural(items, "item")) + "\n" + table.lines + "\n"
  }

  /// The object that `catch-up --json` prints. Times are microseconds.
  static func json(_ sizes: [CatchUpSize]) -> JSONValue {
    .object(Machine.members + [("sizes", .array(sizes.map(\.json)))])
  }

  private var json: JSONValue {
    .object([("items", .integer(items)), ("rows", .array(rows.map(\.json)))])
  }
}

extension CatchUpRow {
  fileprivate var json: JSONValue {
    .object(
      [
        ("layout", .text(layout.rawValue)), ("operations", .integer(operations)),
        ("isReplayed", .bool(isReplayed)),
      ] + catchUp.members + [
        ("scratch", .number(scratch.median)), ("scratchRatio", .optional(ratio)),
      ])
  }
}
