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
      let plan = try row.plan(
        of: result.configuration, verification.reader, kinds: verification.kinds)
      let nodes = TreeReader(verification.reader, keepsNodes: false)
      var isSound = verification.check(place, "sections", results, nodes)
      if isSound {
        let walk = TreeReader(verification.reader, keepsNodes: false)
        try results.forEachLeaf(reader: walk) { leaf, start in
          for (offset, entry) in leaf.entries.enumerated() {
            isSound =
              verification.check(place, "section \(start + offset)", entry.content, nodes)
              && isSound
          }
        }
      }
      try verification.checkSpace(
        result.space, of: place, nodeCount: nodes.nodesVisited, isSound: isSound)
      guard isSound, var state else { return }
      do {
        _ = try state.bring(
          row.name, mayBeBehind: true, reader: verification.reader, kinds: verification.kinds)
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
        let fresh = FreshSection(
          plan: plan.section(section.key), itemCount: section.itemCount,
          items: SectionItems(
            trees.items, from: firstItem, layout: layout.row.id, space: plan.space,
            reader: nodes),
          reader: nodes)
        let difference = try fresh.difference(of: result)
        if let difference { note(placeName(section.key), difference) }
      }
    }
    func placeName(_ key: String) -> String { "\(place), section \(key)" }
  }

  /// Checks the nodes of a section's own tree.
  private mutating func check(
    _ place: String, _ what: String, _ content: SectionContent, _ nodes: TreeReader
  ) -> Bool {
    switch content {
    case .computed: true
    case .waterfall(let tree, _): check(place, what, tree, nodes)
    case .lines(let tree): check(place, what, tree, nodes)
    case .custom(let tree): check(place, what, tree, nodes)
    }
  }
}
