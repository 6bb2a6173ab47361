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
  mutating func check(_ row: LayoutRow, of dataset: DatasetRow, state: DatasetState?) throws {
    let place = "layout \(row.name) of dataset \(dataset.name)"
    guard let result = row.result else { return }
    report.layoutCount += 1
    guard row.hasReadableResult else {
      // It will be laid out from scratch before anybody sees it.
      return try checkSpace(result.space, of: place, nodeCount: 0, isSound: false)
    }
    try attempt(place) { verification in
      guard let results = try row.results(verification.shapes) else { return }
      let plan = try row.plan(
        of: result.configuration, verification.reader, kinds: verification.kinds)
      let session = TreeSession(verification.reader, keepsNodes: false)
      var isSound = try verification.check(place, "sections", results, session)
      if isSound {
        let walk = TreeSession(verification.reader, keepsNodes: false)
        // No element takes less than a byte, unless its node is there twice.
        var elementsLeft = try verification.reader.fileBytes()
        try results.forEachLeaf(in: walk) { leaf, start in
          for (offset, entry) in leaf.entries.enumerated() {
            elementsLeft -= entry.content.kept?.elementCount ?? 0
            guard elementsLeft >= 0 else {
              throw DamagedLayout(detail: "it has more elements than the file has bytes")
            }
            isSound =
              try verification.attempt(place, "section \(start + offset)") {
                try entry.content.kept?.checkInvariants($0.shapes, in: session)
              } && isSound
          }
        }
      }
      try verification.checkSpace(
        result.space, of: place, nodeCount: session.nodesVisited, result.trailing,
        isSound: isSound)
      guard isSound, var state else { return }
      switch try state.bring(
        row.name, mayBeBehind: true, reader: verification.reader, kinds: verification.kinds)
      {
      case .ready: break
      case .isRefused(let error):
        // A layout that can't follow says so to whoever asks for it.
        if case .cannotLayOut = error.code { return }
        throw error
      case .isDamaged(let detail): throw DamagedLayout(detail: detail)
      // It will be laid out from scratch before anybody sees it.
      case .needsLayout, .isBehindCheckpoint: return
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
    let session = TreeSession(reader, keepsNodes: false)
    var sections = ElementFinger(trees.sections, from: SectionPlace(), in: session)
    try layout.results.forEachLeaf(in: session) { leaf, start in
      for (offset, result) in leaf.entries.enumerated() {
        guard try sections.seek(toElement: start + offset) else { return }
        let section = sections.leaf.entries[sections.index]
        let first = sections.before.item
        let measured = section.measured(in: layout.row.id)
        if result.measured != measured {
          note("\(place), section \(section.key)", "its header or footer is not as measured")
        }
        let sectionPlan = plan.section(section.key).measured(measured)
        let items = SectionItems(
          trees, in: first..<(first + section.itemCount), for: sectionPlan, layout.view, shapes,
          in: session)
        let difference = try sectionPlan.kind.placing.difference(
          of: result.content, length: result.length - sectionPlan.fixedLength, items)
        if let difference { note("\(place), section \(section.key)", difference) }
        if difference == nil,
          try result.overdueKey
            != (sectionPlan.kind.placing.isOverdue(result.content) ? section.key : nil)
        {
          note("\(place), section \(section.key)", "whether it is to be evened out is wrong")
        }
      }
    }
  }
}
