import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension Verification {
  /// Checks a layout's nodes, and, where it can catch up with its dataset, every value
  /// in them against one placed from scratch.
  ///
  /// - Parameter state: The dataset's state; `nil` where it is damaged, and then
  ///   there is nothing to compare with.
  mutating func check(_ row: LayoutRow, of dataset: DatasetRow, state: DatasetState?) {
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
      guard isSound, var state else { return }
      do {
        _ = try state.bring(
          row.name, mayBeBehind: true, reader: verification.reader, path: verification.path)
      } catch is DatasetState.Hindrance {
        // It will be laid out from scratch before anybody sees it.
        return
      }
      guard let layout = state.layout(named: row.name) else { return }
      try verification.compare(layout, plan, with: state.trees, place)
    }
  }

  /// Compares each section with one placed from scratch, given the columns that a stable
  /// waterfall's items have.
  private mutating func compare(
    _ layout: LayoutState, _ plan: LayoutPlan, with trees: DatasetTrees, _ place: String
  ) throws {
    let results = layout.results
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
          layout: layout.row.id, items: trees.items,
          in: firstItem..<(firstItem + section.itemCount), nodes)
        if let difference { note(placeName(section.key), difference) }
      }
    }
    func placeName(_ key: String) -> String { "\(place), section \(key)" }
  }

  /// How a section's result differs from a fresh one: its first difference, or
  /// `nil`.
  private static func difference(
    of result: SectionResult, section: SectionPlan, space: LayoutSpace, layout: Int64,
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
          let wanted = plan.measure(index, of: run, layout: layout, in: space)
          _ = try placed.seek(toElement: item)
          let leaf = placed.leaf
          let at = item - placed.offset
          let covered = leaf.columnRange(at: at)
          guard covered.count == wanted.columnSpan, covered.upperBound <= plan.tracks.count else {
            difference = "item \(item) covers columns \(covered)"
            return
          }
          // A stable section's columns are data: only its lengths follow from the items.
          let column: Int
          if plan.assignment == .stable {
            column = covered.lowerBound
            try placement.advance(
              column: column, columnSpan: covered.count, length: wanted.length)
          } else {
            column = try placement.place(length: wanted.length, columnSpan: covered.count)
          }
          if leaf.advances[at] != (wanted.length + plan.lineSpacing).units {
            difference =
              "item \(item) has length \(Length(units: leaf.advances[at]) - plan.lineSpacing) "
              + "instead of \(wanted.length)"
          } else if column != covered.lowerBound {
            difference = "item \(item) starts in column \(covered.lowerBound) instead of \(column)"
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
