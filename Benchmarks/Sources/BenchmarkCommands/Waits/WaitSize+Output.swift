extension WaitSize {
  /// The size's figures as a table.
  var text: String {
    var table = Table([
      .text("work"), .number("rounds"), .number("ms"), .text("writer in"),
      .number("commits"), .number("median us"), .number("p99 us"), .number("longest us"),
      .number("longest at"), .text("target"),
    ])
    for row in rows {
      table.add([
        row.operation.title, String(row.work.sampleCount), oneDecimal(row.work.median / 1000),
        row.location.title, String(row.waits.sampleCount), microseconds(row.waits.median),
        microseconds(row.waits.p99), microseconds(row.waits.longest), twoDigits(row.longestAt),
        isJudged ? (row.meetsTarget ? "met" : "missed") : "",
      ])
    }
    return TextStyle.heading(
      "\(plural(items, "item")), \(operations) operations behind, \(plural(edits, "resize"))")
      + "\n" + table.lines + "\n"
  }

  /// The object that `waits --json` prints. Times are microseconds.
  static func json(_ sizes: [WaitSize]) -> JSONValue {
    .object(
      Machine.members + [
        ("longestAtMost", .number(WaitOperation.longestMax)),
        ("sizes", .array(sizes.map(\.json))),
      ])
  }

  private var json: JSONValue {
    .object([
      ("items", .integer(items)), ("operations", .integer(operations)),
      ("edits", .integer(edits)),
      ("rows", .array(rows.map { $0.json(isJudged: isJudged) })),
    ])
  }
}

extension WaitRow {
  fileprivate func json(isJudged: Bool) -> JSONValue {
    .object(
      [("row", .text(operation.rawValue)), ("writer", .text(location.rawValue))] + waits.members + [
        ("longestAt", .number(longestAt)),
        ("workTimes", .integer(work.sampleCount)), ("work", .number(work.median)),
        ("met", .optional(isJudged ? meetsTarget : nil)),
      ])
  }
}
