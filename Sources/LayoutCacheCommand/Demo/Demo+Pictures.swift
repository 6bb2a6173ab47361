import LayoutCache
import LayoutGeometry
import TextFormats

extension Demo {
  /// The pictures, with their file names without extension.
  var pictures: [(name: String, sheet: PictureSheet)] {
    [
      (
        "demo",
        PictureSheet(
          title: "One feed, three widths",
          panels: scenes.map { scene in
            PictureSheet.Panel(
              scene.picture,
              caption: "\(scene.device): \(scene.layout)",
              note: "\(scene.columns) columns, \(Int(scene.contentSize.height.points)) points")
          })
      ),
      (
        "demo-edit",
        PictureSheet(
          title: "One edit",
          panels: [
            PictureSheet.Panel(
              picture, caption: "before", note: "revision \(picture.revision)"),
            PictureSheet.Panel(
              edit.picture, caption: "one work becomes twice as tall", note: editNote),
          ])
      ),
    ]
  }

  /// The effect of the edit on the phone's layout.
  private var editNote: String {
    guard
      let change = edit.report.layouts.first(where: { $0.layout.isExactly(Self.windows[0].name) })
    else { return "" }
    let work = change.context.work
    return """
      recomputed: \(work.recomputedItems) of \(itemCount) items, \
      \(work.recomputedColumns) of \(Self.windows[0].columns) columns
      """
  }

  /// Writes the pictures to the current directory.
  ///
  /// - Returns: The names of the files.
  func writePictures() throws -> [String] {
    var names: [String] = []
    for form in PictureFile.Form.allCases where PictureFile.canWrite(form) {
      for picture in pictures {
        guard let file = PictureFile(path: "\(picture.name).\(form)") else { continue }
        try file.write(svg: picture.sheet.svg)
        names.append(file.path)
      }
    }
    return names
  }
}
