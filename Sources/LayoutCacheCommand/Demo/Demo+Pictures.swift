import LayoutCache
import TextFormats

extension Demo {
  /// The pictures, with their file names without extension.
  var pictures: [(name: String, sheet: PictureSheet)] {
    [
      (
        "demo",
        PictureSheet(
          title: "One feed, two layouts",
          panels: scenes.map { scene in
            let start = Int(scene.picture.rect.minY.points)
            let length = Int(scene.contentSize.height.points)
            return PictureSheet.Panel(
              scene.picture,
              caption: "\(scene.layout): \(scene.columns) columns",
              note: "at \(start) of \(length) points, \(outcome.summary.itemCount) works")
          })
      ),
      (
        "demo-edit",
        PictureSheet(
          title: "One edit",
          panels: [
            PictureSheet.Panel(
              scenes[0].picture, caption: "before", note: "revision \(scenes[0].picture.revision)"),
            PictureSheet.Panel(
              edit.picture, caption: "one work becomes twice as tall", note: editNote),
          ])
      ),
    ]
  }

  /// The effect of the edit on the phone's layout.
  private var editNote: String {
    guard let change = edit.report.layouts.first(where: { $0.layout == scenes[0].layout })
    else { return "" }
    let work = change.context.work
    return """
      recomputed: \(work.recomputedItems) of \(outcome.summary.itemCount) items, \
      \(work.recomputedColumns) of \(scenes[0].columns) columns
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
