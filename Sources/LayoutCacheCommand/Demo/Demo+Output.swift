import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

extension Demo {
  /// The rows of the visible rectangle that are shown.
  private static let rowsMax = 6

  /// What the user is told, with line breaks.
  ///
  /// - Parameters:
  ///   - pictureFiles: The files that have been written.
  ///   - program: What to type to run this program.
  func description(_ style: TextStyle, pictureFiles: [String], program: String) -> String {
    var text = style.heading("Import, in \(importDuration.inMilliseconds)") + "\n"
    text += outcome.description(dataset: Self.dataset, style)
    text += "\n" + style.heading("Two layouts of the same works") + "\n"
    text += Table(scenes, Scene.fields).lines(style)
    text += "\(oneDecimal(bytesPerItem)) bytes of file a work, titles and both layouts included\n"
    text += visibleElements(style)
    text += "\n" + style.heading("One edit: '\(edit.title)' is made twice as tall") + "\n"
    text += Table(edit.report.layouts, Commit.LayoutChange.fields).lines(style)
    text += """
      durable, and both layouts up to date, in \(edit.duration.wholeMicroseconds) us; all other \
      columns are as they were, bit for bit\n
      """
    if let trial {
      text += "\n" + style.heading("More of it, on this machine") + "\n"
      text += Table([trial], ManyItemsTrial.fields).lines(style)
      text += "medians at random places, a phone's screen at a time\n"
    }
    text += "\n" + style.heading("To look at") + "\n"
    text += pictureFiles.map { $0 + "\n" }.joined()
    if !PictureFile.canWrite(.png) {
      text += "(as PNG too, once there is rsvg-convert: apt-get install librsvg2-bin)\n"
    }
    return text + "\n" + style.heading("What next") + "\n" + suggestions(program)
  }

  /// What lies in the phone's visible rectangle, as far as it is shown.
  private func visibleElements(_ style: TextStyle) -> String {
    let rect = scenes[0].picture.rect
    let elements = visible.page.elements
    let shown = elements.prefix(Self.rowsMax)
    var text = "\n" + style.heading("What the phone shows at \(rect.minY) points") + "\n"
    text += Table(Array(shown), LayoutAttributes.fields).lines(style)
    if elements.count > shown.count { text += "and \(elements.count - shown.count) more\n" }
    return text
  }

  private func suggestions(_ program: String) -> String {
    var rows: [(aim: String, line: String)] = []
    #if Service
      rows.append(("scroll through it", "\(program) serve --database \(path)"))
      rows.append(
        ("", "then open http://127.0.0.1:8080/?dataset=\(Self.dataset)&layout=\(scenes[0].layout)"))
    #endif
    rows.append(("look at the file", "\(program) inspect --database \(path)"))
    rows.append(
      ("your own feed", "\(program) import FILE.csv --dataset NAME --key COLUMN"))
    rows.append(("all commands", "\(program) --help"))
    let width = rows.map(\.aim.count).max() ?? 0
    return rows.map { row in
      row.aim + String(repeating: " ", count: width - row.aim.count) + "  " + row.line + "\n"
    }.joined()
  }

  /// Appends the object that `demo --json` prints.
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
    let count = outcome.summary.itemCount
    return count == 0 ? nil : Double(file.fileBytes) / Double(count)
  }
}

extension Demo.Scene {
  /// What is said of each layout.
  fileprivate static var fields: [AnswerField<Self>] {
    [
      AnswerField("layout", \.layout), AnswerField("columns", \.columns),
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
