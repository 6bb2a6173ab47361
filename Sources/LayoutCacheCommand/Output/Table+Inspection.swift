import LayoutCache
import LayoutGeometry

extension Table {
  init(trees: [TreeInspection]) {
    self.init([.text("tree"), .number("elements"), .number("depth")])
    for tree in trees { add([tree.name, String(tree.elementCount), String(tree.depth)]) }
  }

  init(layouts: [LayoutInspection]) {
    self.init([
      .text("layout"), .number("prepared at"), .number("pending"), .number("width"),
      .number("height"), .number("depth"), .number("nodes"), .number("bytes"),
      .number("bytes/item"),
    ])
    for layout in layouts {
      add([
        layout.name, layout.preparedRevision.map { "revision \($0)" } ?? "never",
        String(layout.pendingContexts), layout.contentSize?.width.description ?? "",
        layout.contentSize?.height.description ?? "", String(layout.tree.depth),
        String(layout.nodeCount), String(layout.nodeBytes), oneDecimal(layout.bytesPerItem),
      ])
    }
  }

  /// A table of sections; how columns end is left out where no section has any that
  /// differ.
  init(sections: [SectionInspection]) {
    let showsEnds = sections.contains { !$0.columnEnds.isEmpty }
    self.init(
      [.text("section"), .number("items"), .number("depth")]
        + (showsEnds ? [.number("skew"), .text("column ends")] : []))
    for section in sections {
      let ends = section.columnEnds.map(\.description).joined(separator: ", ")
      add(
        [section.key, String(section.itemCount), String(section.treeDepth)]
          + (showsEnds ? [ends.isEmpty ? "" : section.skew.description, ends] : []))
    }
  }
}

/// A number rounded to one decimal; empty without a number.
func oneDecimal(_ number: Double?) -> String {
  guard let number else { return "" }
  let tenths = Int((number * 10).rounded())
  return "\(tenths / 10).\(tenths % 10)"
}
