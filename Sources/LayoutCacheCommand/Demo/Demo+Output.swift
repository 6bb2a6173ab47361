import LayoutCache
import LayoutGeometry
import TextFormats

extension Demo {
  /// What the user is told, with line breaks.
  func description(_ style: TextStyle) -> String {
    var text = style.heading("Import") + "\n"
    text += outcome.description(dataset: Self.dataset, style)
    text += "\n" + style.heading("Layouts") + "\n"
    var layouts = Table([
      .text("layout"), .number("columns"), .number("width"), .number("height"),
      .number("laid out in"), .number("query, file"), .number("query, memory"), .text("picture"),
    ])
    for scene in scenes {
      layouts.add([
        scene.layout, String(scene.columns), scene.contentSize.width.description,
        scene.contentSize.height.description, scene.layOutDuration.inMilliseconds,
        "\(scene.queryDurations.fromFile.wholeMicroseconds) us",
        "\(scene.queryDurations.fromMemory.wholeMicroseconds) us", scene.pictureFile,
      ])
    }
    text += layouts.lines(style)
    if let phone = scenes.first {
      text +=
        "\n" + style.heading("What the phone shows at \(phone.picture.rect.minY) points") + "\n"
      text += Table(elements: visible.page.elements).lines(style)
    }
    text += "\n" + style.heading("What making item '\(edit.key)' square recomputed") + "\n"
    text += Table(changes: edit.report.layouts).lines(style)
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
    json.nullableMember("bytesPerItem", bytesPerItem)
    json.member("layouts", of: scenes) { json, scene in
      json.beginObject()
      json.member("layout", scene.layout)
      json.member("columns", scene.columns)
      json.member("contentSize", scene.contentSize)
      json.member("layOutMicroseconds", scene.layOutDuration.wholeMicroseconds)
      json.member("queryFromFileMicroseconds", scene.queryDurations.fromFile.wholeMicroseconds)
      json.member(
        "queryFromMemoryMicroseconds", scene.queryDurations.fromMemory.wholeMicroseconds)
      json.member("picture", scene.pictureFile)
      json.endObject()
    }
    json.member("visible")
    visible.write(to: &json, explains: true)
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
