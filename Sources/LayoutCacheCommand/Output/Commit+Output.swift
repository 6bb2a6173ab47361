import LayoutCache
import TextFormats

extension Commit {
  /// Prints the outcome of a change to a dataset.
  ///
  /// - Parameter isPreview: Whether it was not committed.
  func print(asJSON isJSON: Bool, isPreview: Bool = false) throws {
    if isJSON { return try StandardOutput.printJSON { write(to: &$0) } }
    if isRepeated {
      return try StandardOutput.printLine(
        "batch already applied at revision \(revision) of dataset '\(dataset)'; nothing changed")
    }
    var output = StandardOutput()
    try output.writeLine(
      "dataset '\(dataset)' is at revision \(revision)"
        + (isPreview ? "; preview, nothing was changed" : ""))
    if let undone {
      try output.writeLine(
        undone.summary + (undone.placesColumns ? "; columns were chosen as for inserted items" : "")
      )
    }
    for layout in behind {
      try output.writeLine("layout '\(layout.layout)' was not updated: \(layout.reason)")
    }
    if layouts.isEmpty {
      try output.writeLine(isPreview ? "no layout changes" : "no layout was brought up to date")
    } else {
      try output.write(Table(layouts, LayoutChange.fields).lines(.of()))
    }
    try output.flush()
  }
}
