import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

extension Demo {
  /// The maximum number of rows shown of the visible rectangle.
  private static let rowsMax = 6

  /// Returns the text printed for the user, with line breaks.
  ///
  /// - Parameters:
  ///   - pictureFiles: The written files.
  ///   - program: The command line that runs this program.
  func description(_ style: TextStyle, pictureFiles: [String], program: String) -> String {
    var text = style.heading("Import, in \(importDuration.inMilliseconds)") + "\n"
    text += Self.lines(outcome.description(dataset: Self.dataset, style))
    text += "\n" + style.heading("A home feed at three widths") + "\n"
    text += Table(scenes, Scene.fields).lines(style)
    text += "\(oneDecimal(bytesPerItem)) bytes of file per work, with titles and all widths\n"
    text += visibleElements(style)
    text += "\n" + style.heading("One edit: '\(edit.title)' becomes twice as tall") + "\n"
    text += Table(edit.report.layouts, Commit.LayoutChange.demoFields).lines(style)
    text += Self.lines(
      """
      durable, with all widths up to date, in \(edit.duration.wholeMicroseconds) us; all other \
      columns are unchanged, bit for bit\n
      """)
    if let trial {
      text += "\n" + style.heading("At scale, on this machine") + "\n"
      text += Table([trial], ManyItemsTrial.fields).lines(style)
      text += "medians at random positions, for a phone's screen\n"
    }
    text += "\n" + style.heading("Pictures") + "\n"
    text += pictureFiles.map { $0 + "\n" }.joined()
    if !PictureFile.canWrite(.png) {
      text += "(also as PNG if rsvg-convert is installed: apt-get install librsvg2-bin)\n"
    }
    return text + "\n" + style.heading("Next steps") + "\n" + suggestions(program)
  }

  /// Wraps lines for the narrowest usual terminal.
  private static func lines(_ text: String) -> String {
    text.split(separator: "\n").flatMap { wrapped(String($0), toColumns: 80) }
      .map { $0 + "\n" }.joined()
  }

  /// The elements in the phone's visible rectangle, up to `rowsMax`.
  private func visibleElements(_ style: TextStyle) -> String {
    let rect = picture.rect
    let elements = visible.page.elements
    let shown = elements.prefix(Self.rowsMax)
    var text = "\n" + style.heading("Visible on the phone at \(rect.minY) points") + "\n"
    let fields = LayoutAttributes.fields.filter { $0.column?.heading != "z" }
    text += Table(Array(shown), fields).lines(style)
    if elements.count > shown.count { text += "and \(elements.count - shown.count) more\n" }
    return text
  }

  private func suggestions(_ program: String) -> String {
    var rows: [(aim: String, line: String)] = []
    #if Service
      rows.append(("browse the feed", "\(program) serve --database \(path)"))
      rows.append(
        ("", "then open http://127.0.0.1:8080/?dataset=\(Self.dataset)&layout=\(Self.layout)"))
    #else
      rows.append(
        ("browse the feed", "make demo again after make release, which builds the service"))
    #endif
    rows.append(("inspect the file", "\(program) inspect --database \(path)"))
    rows.append(
      ("import your feed", "\(program) import FILE.csv --dataset NAME --key COLUMN"))
    rows.append(("all commands", "\(program) --help"))
    let width = rows.map(\.aim.count).max() ?? 0
    return rows.map { row in
      row.aim + String(repeating: " ", count: width - row.aim.count) + "  " + row.line + "\n"
    }.joined()
  }

  /// Appends the object printed by `demo --json`.
  func write(to json: inout JSONWriter, pictureFiles: [String]) {
    json.beginObject()
    json.member("database", path)
    json.member("import")
    json.value(outcome, dataset: Self.dataset)
    json.member("importMicroseconds", importDuration.wholeMicroseconds)
    json.member("fileBytes", file.fileBytes)
    json.member("bytesPerItem", bytesPerItem)
    json.member("layouts")
    json.value(scenes, Scene.fields)
    json.member("visible")
    visible.write(to: &json)
    json.member("edit")
    edit.report.write(to: &json)
    json.member("editMicroseconds", edit.duration.wholeMicroseconds)
    if let trial {
      json.member("trial")
      json.value(trial, ManyItemsTrial.fields)
    }
    json.member("pictures", pictureFiles)
    json.endObject()
  }

  private var bytesPerItem: Double? {
    return itemCount == 0 ? nil : Double(file.fileBytes) / Double(itemCount)
  }
}

extension Commit.LayoutChange {
  /// The fields that a reader at rest needs: nothing visible moves.
  fileprivate static var demoFields: [AnswerField<Self>] {
    fields.filter { !["content offset", "invalid"].contains($0.column?.heading) }
  }
}

extension Demo.Scene {
  /// The fields of each layout.
  fileprivate static var fields: [AnswerField<Self>] {
    [
      AnswerField("device", \.device), .json("layout", \.layout),
      AnswerField("columns", \.columns),
      AnswerField("contentSize", as: "content size", \.contentSize),
      AnswerField(
        "layOutMicroseconds", as: "laid out in", \.layOutDuration.wholeMicroseconds,
        shown: \.layOutDuration.inMilliseconds),
      AnswerField(
        "queryFromFileMicroseconds", as: "query, file", \.queryDurations.fromFile.wholeMicroseconds,
        shown: { "\($0.queryDurations.fromFile.wholeMicroseconds) us" }),
      AnswerField(
        "queryFromMemoryMicroseconds", as: "query, memory",
        \.queryDurations.fromMemory.wholeMicroseconds,
        shown: { "\($0.queryDurations.fromMemory.wholeMicroseconds) us" }),
    ]
  }
}
