import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

extension Demo {
  /// What the user is told, with line breaks.
  func description(_ style: TextStyle) -> String {
    var text = style.heading("Import") + "\n"
    text += outcome.description(dataset: Self.dataset, style)
    text += "\n" + style.heading("Layouts") + "\n"
    text += Table(scenes, Scene.fields).lines(style)
    if let phone = scenes.first {
      text +=
        "\n" + style.heading("What the phone shows at \(phone.picture.rect.minY) points") + "\n"
      text += Table(visible.page.elements, LayoutAttributes.fields).lines(style)
    }
    text += "\n" + style.heading("What making item '\(edit.key)' square recomputed") + "\n"
    text += Table(edit.report.layouts, Commit.LayoutChange.fields).lines(style)
    text += """

      imported in \(importDuration.inMilliseconds)
      \(path) has \(file.fileBytes) bytes, \(oneDecimal(bytesPerItem)) an item with both layouts
      the edit was durable, and both layouts up to date, in \(edit.duration.wholeMicroseconds) us
      wrote \(scenes.map(\.pictureFile).joined(separator: " and ")) to the current folder

      """
    return text
  }

  /// Appends the object that `demo --json` prints.
  func write(to json: inout JSONWriter) {
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
      AnswerField("picture", \.pictureFile),
    ]
  }
}
