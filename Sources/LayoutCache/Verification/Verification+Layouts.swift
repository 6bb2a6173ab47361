import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension Verification {
  /// Checks a layout's nodes, and every value in them against a fresh placement.
  ///
  /// - Parameter trees: The dataset's trees; `nil` where they are damaged, and then
  ///   there is nothing to compare with.
  mutating func check(_ row: LayoutRow, of dataset: DatasetRow, trees: DatasetTrees?) {
    let place = "layout \(row.name) of dataset \(dataset.name)"
    guard let result = row.result else { return }
    report.layoutCount += 1
    attempt(place) { verification in
      guard let results = try row.results() else { return }
      let plan = try row.plan(path: verification.path)
      let nodes = TreeReader(verification.reader, keepsNodes: false)
      var isSound = verification.check(place, "sections", results, nodes)
      if isSound {
        let walk = TreeReader(verification.reader, keepsNodes: false)
        try results.forEachLeaf(reader: walk) { leaf, start in
          for (offset, entry) in leaf.entries.enumerated() {
            isSound =
              verification.check(place, "section \(start + offset)", entry.waterfall, nodes)
              && isSound
          }
        }
      }
      try verification.checkSpace(
        result.space, of: place, nodeCount: nodes.nodesVisited, isSound: isSound)
      guard isSound, let trees, result.revision == dataset.revision else { return }
      try verification.compare(results, plan, with: trees, place)
    }
  }

  /// Compares each section with one placed from scratch.
  private mutating func compare(
    _ results: SumTree<SectionResultLeaf>, _ plan: LayoutPlan, with trees: DatasetTrees,
    _ place: String
  ) throws {
    guard results.count == trees.sections.count else {
      return note(
        place, "it has \(results.count) sections instead of \(trees.sections.count)")
    }
    let nodes = TreeReader(reader, keepsNodes: false)
    var sections = Cursor(trees.sections, at: SectionPlace(), reader: nodes)
    try results.forEachLeaf(reader: nodes) { leaf, start in
      for (offset, result) in leaf.entries.enumerated() {
        _ = try sections.seek(toElement: start + offset)
        let place = sections.before
        let index = start + offset - place.section
        let section = sections.leaf.entries[index]
        let firstItem = sections.leaf.entries[..<index].reduce(place.item) {
          $0 + $1.itemCount
        }
        let difference = try Self.difference(
          of: result, section: plan.section(section.key), space: plan.space,
          items: trees.items, in: firstItem..<(firstItem + section.itemCount), nodes)
        if let difference { note(placeName(section.key), difference) }
      }
    }
    func placeName(_ key: String) -> String { "\(place), section \(key)" }
  }

  /// How a section's result differs from a fresh one: its first difference, or
  /// `nil`.
  private static func difference(
    of result: SectionResult, section: SectionPlan, space: LayoutSpace,
    items: SumTree<ItemLeaf>, in range: Range<Int>, _ nodes: TreeReader
  ) throws -> String? {
    switch section.kind {
    case .waterfall(let plan):
      guard result.waterfall.count == range.count else {
        return "\(result.waterfall.count) items are placed instead of \(range.count)"
      }
      var placement = WaterfallPlacement(plan: plan)
      var placed = Cursor(result.waterfall, at: ElementOffset(), reader: nodes)
      var item = 0
      var difference: String?
      try items.forEachRun(in: range, reader: nodes) { run in
        for index in 0..<run.count where difference == nil {
          let span = plan.columnSpan(run.columnSpan(at: index))
          let length = plan.length(of: space.oriented(run.size(at: index)), columnSpan: span)
          let column = try placement.place(length: length, columnSpan: span)
          _ = try placed.seek(toElement: item)
          let leaf = placed.leaf
          let at = item - placed.offset
          if leaf.advances[at] != (length + plan.lineSpacing).units {
            difference =
              "item \(item) has length \(Length(units: leaf.advances[at]) - plan.lineSpacing) "
              + "instead of \(length)"
          } else if Int(leaf.columns[at]) != column || leaf.columnSpan(at: at) != span {
            difference = "item \(item) starts in column \(leaf.columns[at]) instead of \(column)"
          }
          item += 1
        }
      }
      if difference == nil, result.length != section.fixedLength + placement.contentLength {
        difference =
          "its length is \(result.length) instead of "
          + "\(section.fixedLength + placement.contentLength)"
      }
      return difference
    }
  }
}
