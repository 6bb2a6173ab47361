import LayoutCache
import TextFormats

extension ItemImport.Outcome {
  /// Returns the text printed for the user, with line breaks.
  func description(
    dataset: String, options: ImportOptions = ImportOptions(), _ style: TextStyle
  ) -> String {
    var text = "imported \(plural(summary.importedCount, "item")) into dataset '\(dataset)'"
    if updatedCount > 0 { text += ", updated \(plural(updatedCount, "item"))" }
    if let matched = summary.matched {
      for (verb, count) in [
        ("deleted", matched.deletedCount), ("moved", matched.movedCount),
        ("changed", matched.changedCount),
      ] where count > 0 {
        text += ", \(verb) \(plural(count, "item"))"
      }
    }
    text += "; it holds \(plural(summary.itemCount, "item"))"
    text += " in \(plural(summary.sectionCount, "section")) at revision \(summary.revision)\n"
    if sectionlessCount > 0 { text += sectionlessText(sectionlessCount) }
    if ignoresSections { text += "sections of rows are ignored: the dataset derives its own\n" }
    text += sizeText(sizelessCount, proportions, options)
    guard skipped.count > 0 else { return text }
    return text + "skipped \(plural(skipped.count, "row")):\n" + skipped.description(style)
  }
}

/// Returns the line about rows without a section.
func sectionlessText(_ count: Int) -> String {
  "\(plural(count, "row")) without a section: section \"\(Importer.defaultSection)\"\n"
}

/// Returns the lines about rows without a size, and about shapes that rounding changes.
func sizeText(
  _ sizelessCount: Int, _ proportions: Proportions, _ options: ImportOptions
) -> String {
  var text = ""
  if sizelessCount > 0, let size = options.values[.size] {
    text += "\(plural(sizelessCount, "row")) without a size: \(size)\n"
  }
  if proportions.offCount > 0 {
    text += "the shape of \(plural(proportions.offCount, "item")) changes by more than 0.5 %, "
    text += "because sizes are rounded to 1/64 point"
    text += proportions.mendingScale.map { "; --scale \($0) keeps it" } ?? ""
    text += "\n"
  }
  return text
}

extension SkippedRows {
  /// Returns a table of the reasons, with line breaks.
  func description(_ style: TextStyle) -> String {
    var table = Table([.number("rows"), .text("reason"), .text("lines")])
    for group in groups {
      let lines = group.lines.map(String.init).joined(separator: ", ")
      table.add([
        String(group.count), group.reason,
        group.count > group.lines.count ? lines + ", …" : lines,
      ])
    }
    return table.lines(style)
  }
}
