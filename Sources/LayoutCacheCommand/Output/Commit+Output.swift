import LayoutCache
import TextFormats

extension Commit {
  /// Tells the user what a change of a dataset came to.
  func print(asJSON isJSON: Bool) throws {
    if isJSON { return try StandardOutput.printJSON { write(to: &$0) } }
    if isRepeated {
      return try StandardOutput.printLine(
        "the batch was carried out before, by revision \(revision) of dataset '\(dataset)'")
    }
    var output = StandardOutput()
    try output.writeLine("dataset '\(dataset)' is at revision \(revision)")
    for layout in behind {
      try output.writeLine("layout '\(layout.layout)' stays behind: \(layout.reason)")
    }
    if layouts.isEmpty {
      try output.writeLine("no layout was brought up to date")
    } else {
      try output.write(Table(layouts, LayoutChange.fields).lines(.of()))
    }
    try output.flush()
  }
}
