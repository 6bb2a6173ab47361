import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

extension Demo {
  /// Writes the pictures to the current directory, and returns the names of the files.
  func writePictures() throws -> [String] {
    let work = edit.commit.layouts["phone"]?.context.work ?? LayoutWork()
    let note = """
      recomputed: \(work.recomputedItems) of \(itemCount) items, \(work.recomputedColumns) of 2 \
      columns
      """
    let widths = scenes.map {
      PictureSheet.Panel(
        $0.picture, caption: "\($0.device): \($0.layout)",
        note: "\($0.columns) columns, \(Int($0.contentSize.height.points)) points")
    }
    let edits = [
      PictureSheet.Panel(pictures[0], caption: "before", note: "revision \(pictures[0].revision)"),
      PictureSheet.Panel(pictures[1], caption: "one work becomes twice as tall", note: note),
    ]
    let sheets = [
      ("demo", PictureSheet(title: "One feed, three widths", panels: widths)),
      ("demo-edit", PictureSheet(title: "One edit", panels: edits)),
    ]
    return try PictureFile.Form.allCases.filter(PictureFile.canWrite).flatMap { form in
      try sheets.compactMap { name, sheet in
        let file = PictureFile(path: "\(name).\(form)")
        try file?.write(svg: sheet.svg)
        return file?.path
      }
    }
  }

  /// Returns the text for people; its lines up to the next steps have at most 80 characters.
  func description(_ style: TextStyle, pictureFiles: [String], program: String) -> String {
    func part(_ title: String, _ lines: String...) -> String {
      style.heading(title) + "\n" + lines.joined()
    }
    func prose(_ text: String) -> String {
      text.split(separator: "\n").flatMap { wrapped(String($0), toColumns: 80) }
        .map { $0 + "\n" }.joined()
    }
    let cells = scenes[0].visible.page.elements
    let editFields = Commit.LayoutChange.fields.filter {
      !["content offset", "invalid"].contains($0.column?.heading)
    }
    var parts = [
      part(
        "Import, in \(importDuration.inMilliseconds)",
        prose(outcome.description(dataset: Self.dataset, style))),
      part(
        "A home feed at three widths, each with a window in its middle",
        Table(scenes, Scene.fields).lines(style),
        "\(oneDecimal(bytesPerItem)) bytes of file per work, with titles and all widths\n"),
      part(
        "Visible on the phone at \(scenes[0].window.minY) points",
        Table(
          Array(cells.prefix(6)), LayoutAttributes.fields.filter { $0.column?.heading != "z" }
        ).lines(style), "and \(max(0, cells.count - 6)) more\n"),
      part(
        "One edit: '\(edit.title)' becomes twice as tall",
        Table(edit.commit.layouts, editFields).lines(style),
        prose(
          """
          durable, with all widths up to date, in \(edit.duration.wholeMicroseconds) us; all other \
          columns are unchanged, bit for bit
          """)),
    ]
    if let trial {
      parts.append(
        part(
          "At scale, on this machine", Table([trial], DemoTrial.fields).lines(style),
          "medians at random positions, for a phone's screen\n"))
    }
    let hint = "(also as PNG if rsvg-convert is installed: apt-get install librsvg2-bin)\n"
    parts += [
      part(
        "Pictures", pictureFiles.map { $0 + "\n" }.joined(),
        PictureFile.canWrite(.png) ? "" : hint),
      part("Next steps", nextSteps(program)),
    ]
    return parts.joined(separator: "\n")
  }

  private func nextSteps(_ program: String) -> String {
    #if Service
      let browsing = """
        browse the feed   \(program) serve --database \(path)
                          then open http://127.0.0.1:8080/?dataset=\(Self.dataset)&layout=feed
        """
    #else
      let browsing =
        "browse the feed   make demo again after make release, which builds the service"
    #endif
    return [
      browsing, "inspect the file  \(program) inspect --database \(path)",
      "import your feed  \(program) import FILE.csv --dataset NAME --key COLUMN",
      "all commands      \(program) --help", "",
    ].joined(separator: "\n")
  }

  /// Appends the object printed by `demo --json`.
  func write(to json: inout JSONWriter, pictureFiles: [String]) {
    json.beginObject()
    json.member("database", path)
    json.member("import")
    json.value(outcome, dataset: Self.dataset)
    json.member("importMicroseconds", importDuration.wholeMicroseconds)
    json.member("fileBytes", fileBytes)
    json.member("bytesPerItem", bytesPerItem)
    json.member("layouts")
    json.value(scenes, Scene.fields)
    json.member("visible")
    scenes[0].visible.write(to: &json)
    json.member("edit")
    edit.commit.write(to: &json)
    json.member("editMicroseconds", edit.duration.wholeMicroseconds)
    if let trial {
      json.member("trial")
      json.value(trial, DemoTrial.fields)
    }
    json.member("pictures", pictureFiles)
    json.endObject()
  }

  private var bytesPerItem: Double { Double(fileBytes) / Double(max(1, itemCount)) }
}

extension Demo.Scene {
  fileprivate static var fields: [AnswerField<Self>] {
    [
      AnswerField("device", \.device), .json("layout", \.layout),
      AnswerField("columns", \.columns),
      AnswerField("contentSize", as: "content size", \.contentSize),
      .duration("layOutMicroseconds", as: "laid out", \.layOutDuration),
      AnswerField("visibleElements", as: "visible", \.visible.page.elements.count),
      .duration("queryFromFileMicroseconds", as: "file", \.visible.duration),
      .duration("queryFromMemoryMicroseconds", as: "memory", \.warmDuration),
    ]
  }
}

extension DemoTrial {
  fileprivate static var fields: [AnswerField<Self>] {
    [
      AnswerField("items", \.itemCount),
      .duration("importMicroseconds", as: "imported in", \.importDuration),
      .duration("layOutMicroseconds", as: "laid out in", \.layOutDuration),
      AnswerField("bytesPerItem", as: "bytes/item", \.bytesPerItem),
      .duration("queryMicroseconds", as: "visible rect", \.query),
      AnswerField("nodesVisited", as: "nodes", \.queryNodes),
      .duration("editMicroseconds", as: "durable edit", \.edit),
    ]
  }
}

extension AnswerField {
  /// A duration: in microseconds for programs, and in milliseconds from 10 ms for people.
  fileprivate static func duration(
    _ name: String, as heading: String, _ value: @escaping @Sendable (Row) -> Duration
  ) -> AnswerField {
    AnswerField(
      name, as: heading, { value($0).wholeMicroseconds },
      shown: {
        let duration = value($0)
        return duration < .milliseconds(10)
          ? "\(duration.wholeMicroseconds) us" : duration.inMilliseconds
      })
  }
}
