import LayoutCache
import TextFormats

extension DatasetChanges {
  /// The rows of each table that people are shown.
  private static let rowsMax = 20

  /// Tells the user what has changed in a dataset.
  func print(asJSON isJSON: Bool) throws {
    if isJSON { return try StandardOutput.printJSON { write(to: &$0) } }
    let style = TextStyle.of()
    var output = StandardOutput()
    try output.writeLine(
      "dataset '\(dataset)' is at revision \(revision), \(plural(revision - since, "revision")) on")
    if updates.everything {
      try output.writeLine("the log does not say what became of its items: ask for everything")
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
      try output.writeLine(
        style.note("\(rows.count - rowsMax) more \(noun); --json has all of them"))
    }
  }
}
