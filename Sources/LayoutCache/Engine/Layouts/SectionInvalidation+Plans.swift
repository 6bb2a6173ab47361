import CollectionLayout
import LayoutGeometry

extension SectionInvalidation {
  /// Creates the invalidation of a section that is laid out by another plan: all of its elements
  /// may have changed.
  ///
  /// - Parameter length: The section's length before or after, whichever is greater.
  init(
    ofSection section: Int, itemCount: Int, from old: SectionPlan, to new: SectionPlan,
    length: Length
  ) {
    self.init(
      section: section, items: RangeSet(0..<itemCount),
      columns: RangeSet(0..<new.kind.columnCount), interval: .zero..<length)
    for plan in [old, new] {
      if plan.header > .zero { supplementaryElements.insert(.header) }
      if plan.footer > .zero { supplementaryElements.insert(.footer) }
      if let background = plan.background { decorationElements.insert(background.kind) }
      name(plan.kind.ownElements?.sectionKinds ?? [])
      name(plan.kind.ownElements?.cellKinds ?? [])
    }
  }
}

extension SectionPlan {
  /// Returns whether both have the same elements around the items, so that sections with the
  /// same items look the same.
  func hasFrame(of other: SectionPlan) -> Bool {
    inset == other.inset && header == other.header && footer == other.footer
      && pinsHeader == other.pinsHeader && pinsFooter == other.pinsFooter
      && background == other.background
  }
}
