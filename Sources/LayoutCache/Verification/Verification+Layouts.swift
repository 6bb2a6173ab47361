import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension Verification {
  /// Checks a layout's nodes, and, if it can catch up with its dataset, every value in them
  /// against one placed from scratch.
  ///
  /// - Parameter state: The dataset's state; `nil` if it is damaged, so that there is nothing
  ///   to compare with.
  mutating func check(_ row: LayoutRow, of dataset: DatasetRow, state: DatasetState?) throws {
    let place = "layout \(row.name) of dataset \(dataset.name)"
    try attempt(place, "definitions") {
      let last = try $0.reader.definitions(of: row.id).first
      if row.template != nil || last?.configuration.isExactly(row.configuration) ?? true { return }
      throw Damage(detail: "the last one is not the layout's configuration")
    }
    guard let result = row.result else { return }
    report.layoutCount += 1
    guard row.hasReadableResult else {
      // It will be laid out from scratch before it is used.
      return try checkSpace(result.space, of: place, nodeCount: 0, isSound: false)
    }
    try attempt(place, "contexts") {
      let (reader, first) = ($0.reader, try $0.reader.firstLogRevision(of: dataset.id) ?? 1)
      let head = try reader.logHead(of: dataset.id)
      let begin = max(first - 1, result.historyBegin)
      let logged = try reader.loggedContexts(after: begin, upTo: head)
      try ContextPath(of: result, [], logged, after: begin, upTo: head, reader)
        .forEachStep(path: reader.path) { _, _, _ in }
    }
    try attempt(place) { verification in
      guard let results = try row.results(verification.shapes)?.tree else { return }
      let plan = try row.plan(
        of: result.configuration, verification.reader, kinds: verification.kinds)
      let session = TreeSession(verification.reader, keepsNodes: false)
      var isSound = try verification.check(place, "sections", results, session)
      if isSound {
        let walk = TreeSession(verification.reader, keepsNodes: false)
        // Each element takes at least a byte, unless its node is referenced twice.
        var elementsLeft = try verification.reader.fileBytes()
        try results.forEachLeaf(in: walk) { leaf, start in
          for (offset, entry) in leaf.entries.enumerated() {
            elementsLeft -= entry.content.kept?.elementCount ?? 0
            guard elementsLeft >= 0 else {
              throw Damage(detail: "it has more elements than the file has bytes")
            }
            isSound =
              try verification.attempt(place, "section \(start + offset)") {
                try entry.content.kept?.checkInvariants($0.shapes, in: session)
              } && isSound
          }
        }
      }
      try verification.checkSpace(
        result.space, of: place, nodeCount: session.nodesVisited, isSound: isSound)
      guard isSound, var state else { return }
      switch try state.bring(
        row.name, mayLag: true, reader: verification.reader, kinds: verification.kinds)
      {
      case .ready: break
      case .rejected(let error):
        // A layout that can't follow reports that to its callers.
        if case .cannotLayOut = error.code { return }
        throw error
      case .damaged(let detail): throw Damage(detail: detail)
      // It will be laid out from scratch before it is used.
      case .needsLayout, .behindCheckpoint: return
      }
      guard let layout = state.layout(named: row.name) else { return }
      try verification.compare(layout, plan, with: state.trees, place)
    }
  }

  /// Compares each section with one placed from scratch, given the columns of a stable
  /// waterfall's items.
  private mutating func compare(
    _ layout: LayoutState, _ plan: LayoutPlan, with trees: DatasetTrees, _ place: String
  ) throws {
    let ofLayout = trees.layoutLengths[layout.row.id] ?? SupplementaryLengths.none
    if SupplementaryLengths(layout.plan.frame) != ofLayout {
      note(place, "its header or footer length differs from the measured one")
    }
    let session = TreeSession(reader, keepsNodes: false)
    var sections = ElementFinger(trees.sections, from: SectionPosition(), in: session)
    try layout.results.forEachLeaf(in: session) { leaf, start in
      for (offset, result) in leaf.entries.enumerated() {
        guard try sections.seek(toElement: start + offset) else { return }
        let section = sections.leaf.entries[sections.index]
        let first = sections.before.item
        let measured = section.measured(in: layout.row.id)
        if result.measured != measured {
          note(
            "\(place), section \(section.key)",
            "its header or footer length differs from the measured one")
        }
        guard result.style.isExactly(section.style) else {
          note("\(place), section \(section.key)", "its style differs from the dataset's")
          continue
        }
        let sectionPlan = plan.section(section.key, style: section.style).measured(measured)
        let items = try SectionItems(
          trees, in: first..<(first + section.itemCount), for: sectionPlan, layout.view, shapes,
          in: session)
        let difference = try sectionPlan.kind.placing.difference(
          of: result.content, length: result.length - sectionPlan.fixedLength, items)
        if let difference { note("\(place), section \(section.key)", difference) }
        if difference == nil,
          try result.overdueKey
            != (sectionPlan.kind.placing.isOverdue(result.content) ? section.key : nil)
        {
          note("\(place), section \(section.key)", "its rebalance flag is wrong")
        }
      }
    }
  }
}
