import CollectionLayout
import LayoutGeometry
import SumTree

extension LayoutState {
  /// Applies another configuration by laying out the sections again whose options differ.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's trees, at the layout's revision.
  ///   - work: Receives the items and columns that were placed.
  /// - Returns: `false` if that needs too much memory; nothing has changed then.
  /// - Throws: `LimitError` if the content would become too long.
  /// - Complexity: O(sections), plus O(items · columns) of the sections that differ.
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
        if section.isPlacedAgain {
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
    /// The section's items, counted from the dataset's first.
    var items: Range<Int>
    /// Whether the items are placed again. Otherwise only the elements around the items differ,
    /// or the skew at which they are rebalanced.
    var isPlacedAgain: Bool
  }

  /// Returns the sections that another plan lays out differently; `nil` for too many.
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
        let isPlacedAgain = !self.plan.places(entry.key, as: plan)
        let measured = entry.measured(in: view.layout)
        let old = self.plan.section(entry.key).measured(measured)
        let new = plan.section(entry.key).measured(measured)
        guard
          isPlacedAgain || old.fixedLength != new.fixedLength
            || old.kind.maximumSkew != new.kind.maximumSkew
        else { continue }
        if isPlacedAgain { items += range.count }
        guard items <= Budgets.reconfiguredItems, changed.count < Budgets.reconfiguredSections
        else { continue }
        changed.append(
          ChangedSection(
            index: start + offset, key: entry.key, items: range, isPlacedAgain: isPlacedAgain))
      }
    }
    return items <= Budgets.reconfiguredItems && changed.count < Budgets.reconfiguredSections
      ? changed : nil
  }
}
