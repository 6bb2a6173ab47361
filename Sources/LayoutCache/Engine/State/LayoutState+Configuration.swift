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
  /// - Complexity: O(items · columns) of the sections that differ, plus O(sections), or
  ///   O(overrides + changed overrides · log sections) if only overrides differ.
  mutating func reconfigure(
    to plan: LayoutPlan, _ dataset: DatasetTrees, _ shapes: TreeShapes,
    in session: TreeSession, work: inout LayoutWork
  ) throws -> Bool {
    let plan = plan.measured(dataset.layoutLengths[view.layout] ?? .none)
    guard self.plan.isComparable(with: plan),
      let changed = try changedSections(under: plan, dataset, in: session)
    else { return false }
    var edits = self.edits
    let results = try session.adding(to: &edits) {
      var results = self.results
      for section in changed {
        let found = try results.place(at: section.index, in: session)
        var result = found.leaf.entries[found.index]
        let sectionPlan = plan.section(section.key, style: result.style)
        if section.isPlacedAgain {
          result.content.kept?.drop(&session.edits)
          let items = try SectionItems(
            dataset, in: section.items, for: sectionPlan, view, shapes, in: session)
          let style = result.style
          result = try sectionPlan.laidOut(items, measured: result.measured, into: nil, work: &work)
          result.style = style
        } else {
          result = try result.taken(
            over: self.plan.section(section.key, style: result.style), by: sectionPlan,
            key: section.key)
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

  /// Returns the changes from a result of another configuration to this one.
  ///
  /// - Parameters:
  ///   - earlier: The earlier result, of the same items.
  ///   - dataset: The dataset's trees.
  ///   - session: A session that reads the nodes of this result.
  ///   - old: A session that reads the nodes of the earlier result and of the dataset.
  /// - Returns: The changes; `everything` if more than ``Budgets/invalidatedSections``
  ///   sections differ, or the items of all sections do. Without work.
  /// - Complexity: O(sections), or O(overrides + changed overrides · log sections) if only
  ///   overrides differ.
  func context(
    since earlier: LayoutState, _ dataset: DatasetTrees, in session: TreeSession,
    old: TreeSession
  ) throws -> InvalidationContext {
    var context = InvalidationContext.everything(.relaid)
    context.contentSizeAdjustment = contentSize - earlier.contentSize
    guard plan.differsInSections(from: earlier.plan) else { return context }
    context.reason = nil
    context.invalidateDataSourceCounts = false
    var before = ElementFinger(earlier.results, in: old)
    var after = ElementFinger(results, in: session)
    var count = 0
    var placedCount = 0
    try dataset.forEachSection(in: old, of: plan.changedOverrides(from: earlier.plan)) {
      index, _, entry in
      guard count <= Budgets.invalidatedSections else { return }
      let old = earlier.plan.section(entry.key, style: entry.style)
      let new = plan.section(entry.key, style: entry.style)
      let isPlacedAgain = !earlier.plan.places(entry.key, style: entry.style, as: plan)
      if !isPlacedAgain && old.hasFrame(of: new) { return }
      count += 1
      if isPlacedAgain { placedCount += 1 }
      guard try before.seek(toElement: index), try after.seek(toElement: index) else { return }
      let length = max(
        before.leaf.entries[before.index].length, after.leaf.entries[after.index].length)
      context.invalidate(
        SectionInvalidation(
          ofSection: index, itemCount: entry.itemCount, from: old, to: new, length: length))
    }
    if count > Budgets.invalidatedSections || placedCount == dataset.sections.count {
      context = .everything(.relaid)
      context.contentSizeAdjustment = contentSize - earlier.contentSize
      return context
    }
    if context.contentSizeAdjustment != .zero { context.nameEnd(of: plan.frame) }
    context.name(earlier.plan.frame, becoming: plan.frame)
    try context.setStarts { try plan.start(ofSection: $0, in: results, session) }
    return context
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
    try dataset.forEachSection(in: session, of: plan.changedOverrides(from: self.plan)) {
      index, first, entry in
      let isPlacedAgain = !self.plan.places(entry.key, style: entry.style, as: plan)
      let measured = entry.measured(in: view.layout)
      let old = self.plan.section(entry.key, style: entry.style).measured(measured)
      let new = plan.section(entry.key, style: entry.style).measured(measured)
      guard
        isPlacedAgain || old.fixedLength != new.fixedLength
          || old.kind.maximumSkew != new.kind.maximumSkew
      else { return }
      if isPlacedAgain { items += entry.itemCount }
      guard items <= Budgets.reconfiguredItems, changed.count < Budgets.reconfiguredSections
      else { return }
      changed.append(
        ChangedSection(
          index: index, key: entry.key, items: first..<(first + entry.itemCount),
          isPlacedAgain: isPlacedAgain))
    }
    return items <= Budgets.reconfiguredItems && changed.count < Budgets.reconfiguredSections
      ? changed : nil
  }
}

extension LayoutPlan {
  /// Returns whether two plans differ at most in the options of their sections: in sections with
  /// equal options, all elements are the same, except that they move with their section.
  fileprivate func differsInSections(from other: LayoutPlan) -> Bool {
    isComparable(with: other) && space.isMirrored == other.space.isMirrored
      && sectionSpacing == other.sectionSpacing && effect == other.effect
      // The z-indices of sections' pinned headers and footers depend on it.
      && frame.pins == other.frame.pins
      && (effects.isEmpty || space.container == other.space.container)
  }
}

extension DatasetTrees {
  /// Calls `body` with each section in order, or with those of some keys that exist.
  ///
  /// - Parameter body: Called with a section's index, the number of items before it, and its entry.
  fileprivate func forEachSection(
    in session: TreeSession, of keys: [String]?,
    _ body: (_ index: Int, _ firstItem: Int, _ entry: SectionLeaf.Entry) throws -> Void
  ) throws {
    // Beyond this share of the sections a pass is cheaper than searching each.
    if let keys, keys.count < sections.count / 16 {
      let indices = try keys.compactMap { try sectionIndex(ofKey: $0, in: session) }
      for index in indices.sorted() {
        let place = try sections.place(at: index, from: SectionPosition(), in: session)
        try body(index, place.before.item, place.leaf.entries[place.index])
      }
      return
    }
    var firstItem = 0
    try sections.forEachLeaf(in: session) { leaf, start in
      for (offset, entry) in leaf.entries.enumerated() {
        try body(start + offset, firstItem, entry)
        firstItem += entry.itemCount
      }
    }
  }
}
