import CollectionLayout
import LayoutGeometry
import SumTree

extension DatasetState {
  /// Checks the invariants that every operation preserves: those of the trees, that their counts
  /// and indexes agree, and that each active layout has its dataset's sections and items.
  ///
  /// - Throws: `TreeError`; read errors.
  /// - Complexity: O(items · log items).
  func checkInvariants(_ source: any NodeSource) throws {
    let session = TreeSession(source)
    try trees.checkInvariants(in: session)
    for layout in layouts.values { try layout.checkInvariants(trees, shapes, in: session) }
  }

  /// Checks the invariants after each commit in debug builds, for small datasets; compile with
  /// `-D SUMTREE_INVARIANTS` for all.
  func holdsInvariantsIfChecked(_ source: any NodeSource) -> Bool {
    #if SUMTREE_INVARIANTS
      let itemCountMax = Int.max
    #else
      let itemCountMax = 64
    #endif
    guard trees.items.count <= itemCountMax, InvariantChecks.areOn else { return true }
    // The file may be damaged, which is not a programming error.
    try? checkInvariants(source)
    return true
  }
}

extension DatasetTrees {
  /// Checks the trees' invariants, and that their counts and indexes agree.
  func checkInvariants(in session: TreeSession) throws {
    try items.checkInvariants(in: session)
    try data.checkInvariants(in: session)
    try sections.checkInvariants(in: session)
    try itemKeys.tree.checkInvariants(in: session)
    try sectionKeys.tree.checkInvariants(in: session)
    require(sections.summary.itemCount == items.count, "the sections' item count differs")
    require(data.summary.itemCount <= items.count, "there are data without items")
    require(itemKeys.tree.count == items.count, "the key index and the items differ in count")
    require(
      sectionKeys.tree.count == sections.count, "the key index and the sections differ in count")
    try items.forEachLeaf(in: session) { leaf, start in
      for index in 0..<leaf.count {
        let found = try itemIndex(ofKey: leaf.key(at: index), in: session)
        require(found == start + index, "item \(start + index) is not found by its key")
      }
    }
    try sections.forEachLeaf(in: session) { leaf, start in
      for (index, entry) in leaf.entries.enumerated() {
        let found = try sectionIndex(ofKey: entry.key, in: session)
        require(found == start + index, "section \(start + index) is not found by its key")
      }
    }
  }
}

extension LayoutState {
  /// Checks the results' invariants, and that they match the dataset's sections.
  func checkInvariants(
    _ dataset: DatasetTrees, _ shapes: TreeShapes, in session: TreeSession
  ) throws {
    try results.checkInvariants(in: session)
    require(results.count == dataset.sections.count, "the layout's section count differs")
    var sections = ElementFinger(dataset.sections, from: SectionPosition(), in: session)
    try results.forEachLeaf(in: session) { leaf, start in
      for (index, result) in leaf.entries.enumerated() {
        guard try sections.seek(toElement: start + index) else { return }
        let section = sections.leaf.entries[sections.index]
        try result.content.kept?.checkInvariants(shapes, in: session)
        try require(
          result.content.itemCount
            == dataset.placedCount(of: section, from: sections.before.item, session),
          "section \(start + index) has another item count")
        require(
          result.measured == section.measured(in: view.layout),
          "section \(start + index) differs in measured lengths")
        require(
          result.style.isExactly(section.style), "section \(start + index) differs in its style")
        let plan = plan.section(section.key, style: section.style).measured(result.measured)
        require(
          result.length >= plan.fixedLength,
          "section \(start + index) is shorter than its header and insets")
      }
    }
  }
}

private func require(_ condition: Bool, _ detail: String) {
  if !condition { preconditionFailure(detail) }
}
