import CollectionLayout
import LayoutGeometry
import SumTree

extension LayoutState {
  /// Takes over another configuration, by laying out again the sections whose own options
  /// have come out different.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's trees, at the layout's revision.
  ///   - work: Receives the items and columns that were placed.
  /// - Returns: `false`, and nothing is changed, where that is more than should be
  ///   held in memory.
  /// - Throws: `LimitError` where the content would become too long.
  /// - Complexity: O(sections), and O(items · columns) of those that differ.
  mutating func reconfigure(
    to plan: LayoutPlan, _ dataset: DatasetTrees, _ shapes: TreeShapes,
    in session: TreeSession, work: inout LayoutWork
  ) throws -> Bool {
    guard self.plan.isComparable(with: plan),
      let changed = try changedSections(under: plan, dataset, in: session)
    else { return false }
    var edits = self.edits
    let results = try session.adding(to: &edits) {
      var results = self.results
      for section in changed {
        let found = try results.place(at: section.index, in: session)
        var result = found.leaf.entries[found.index]
        let sectionPlan = plan.section(section.key)
        if section.isPlacedAnew {
          result.content.kept?.drop(&session.edits)
          let items = SectionItems(
            dataset, in: section.items, for: sectionPlan, view, shapes, in: session)
          result = try sectionPlan.laidOut(
            items, measured: result.measured, into: nil, work: &work)
        } else {
          result = try result.taken(
            over: self.plan.section(section.key), by: sectionPlan, key: section.key)
        }
        try results.updateLeaf(containing: section.index, in: session) { leaf, first in
          leaf.entries[section.index - first] = result
        }
      }
      return results
    }
    try Limits.checkContent(plan.mainLength(of: results))
    (self.edits, self.results, self.plan) = (edits, results, plan)
    return true
  }

  private struct ChangedSection {
    var index: Int
    var key: String
    /// Its items, counted from the dataset's first.
    var items: Range<Int>
    /// Whether its items are, or only what stands around them or when they are evened out
    /// differs.
    var isPlacedAnew: Bool
  }

  /// The sections that another plan lays out otherwise; `nil` for too many.
  private func changedSections(
    under plan: LayoutPlan, _ dataset: DatasetTrees, in session: TreeSession
  ) throws -> [ChangedSection]? {
    var changed: [ChangedSection] = []
    var items = 0
    var firstItem = 0
    try dataset.sections.forEachLeaf(in: session) { leaf, start in
      for (offset, entry) in leaf.entries.enumerated() {
        let range = firstItem..<(firstItem + entry.itemCount)
        firstItem = range.upperBound
        let isPlacedAnew = !self.plan.places(entry.key, as: plan)
        let measured = entry.measured(in: view.layout)
        let old = self.plan.section(entry.key).measured(measured)
        let new = plan.section(entry.key).measured(measured)
        guard
          isPlacedAnew || old.fixedLength != new.fixedLength
            || old.kind.maximumSkew != new.kind.maximumSkew
        else { continue }
        if isPlacedAnew { items += range.count }
        guard items <= Budgets.reconfiguredItems, changed.count < Budgets.reconfiguredSections
        else { continue }
        changed.append(
          ChangedSection(
            index: start + offset, key: entry.key, items: range, isPlacedAnew: isPlacedAnew))
      }
    }
    return items <= Budgets.reconfiguredItems && changed.count < Budgets.reconfiguredSections
      ? changed : nil
  }
}
