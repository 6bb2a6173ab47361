import LayoutCache
import TextFormats

extension DatasetChanges {
  /// The maximum number of rows of each table for people.
  private static let rowsMax = 20

  func print(asJSON isJSON: Bool) throws {
    if isJSON { return try StandardOutput.printJSON { write(to: &$0) } }
    let style = TextStyle.of()
    var output = StandardOutput()
    try output.writeLine(
      """
      dataset '\(dataset)' is at revision \(revision), \(plural(revision - since, "revision")) \
      after \(since)
      """)
    if updates.everything {
      try output.writeLine(
        updates.reason == .temporary
          ? "changes of a view are not recorded; query everything"
          : "the log no longer has these changes; query everything")
    } else {
      try Self.write(
        updates.sections, DatasetUpdates.Section.fields, "sections", to: &output, style)
      try Self.write(updates.items, DatasetUpdates.Item.fields, "items", to: &output, style)
    }
    if !layouts.isEmpty {
      try output.write(Table(layouts, Commit.LayoutChange.fields).lines(style))
    }
    try output.flush()
  }

  private static func write<Row>(
    _ rows: [Row], _ fields: [AnswerField<Row>], _ noun: String, to output: inout StandardOutput,
    _ style: TextStyle
  ) throws {
    if rows.isEmpty { return }
    try output.write(Table(Array(rows.prefix(rowsMax)), fields).lines(style))
    if rows.count > rowsMax {
      try output.writeLine(style.note("\(rows.count - rowsMax) more \(noun); --json prints all"))
    }
  }
}
