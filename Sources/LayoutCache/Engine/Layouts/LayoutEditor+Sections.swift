import CollectionLayout
import LayoutGeometry
import SumTree

extension LayoutEditor {
  func result(of section: Int) throws -> SectionResult {
    guard section < results.count else { throw Damage.misplaced }
    let found = try results.place(at: section, in: session)
    let result = found.leaf.entries[found.index]
    guard result.content.kept?.elementCount ?? 0 <= elementCountMax else {
      throw Damage(detail: "section \(section) has more elements than the file has bytes")
    }
    return result
  }

  /// Returns the plan of a section with its present style.
  func sectionPlan(_ section: SectionReference) throws -> SectionPlan {
    // Found first: the plan is copied for a call in the middle of which the editor is read.
    let style = plan.hasStyles ? try result(of: section.index).style : nil
    return plan.section(section.key, style: style)
  }

  mutating func put(_ result: SectionResult, at section: Int) throws {
    try results.updateLeaf(containing: section, in: session) { leaf, first in
      leaf.entries[section - first] = result
    }
  }

  mutating func insert(_ result: SectionResult, at index: Int) throws {
    guard index <= results.count else { throw Damage.misplaced }
    try results.replaceSubrange(
      index..<index, with: SectionResultLeaf(entries: [result]), in: session)
  }

  mutating func remove(_ index: Int) throws -> SectionResult {
    let result = try result(of: index)
    try results.replaceSubrange(index..<(index + 1), with: nil, in: session)
    return result
  }

  mutating func apply(_ splice: SectionSplice) throws {
    guard let before = splice.before else {
      guard let after = splice.after else { return }
      let (key, style) = (after.entry.key, after.entry.style)
      try insert(
        withoutItems(
          plan.section(key, style: style), after.entry.measured(in: view.layout), style),
        at: after.index)
      append(.insert(after.index))
      guard let run = splice.items else { return }
      context.invalidateDataSourceCounts = true
      let placed = run.items.placed
      return placed.count == 0 ? () : try edit(.insert(placed, at: 0), of: after.reference)
    }
    guard let after = splice.after else {
      let result = try result(of: before.index)
      try noteDropped(
        result.content, of: before.reference,
        by: plan.section(before.entry.key, style: result.style))
      try remove(before.index).content.kept?.drop(&session.edits)
      return append(.delete(before.index))
    }
    if splice.isMove {
      try insert(try remove(before.index), at: after.index)
      return append(.move(from: before.index, to: after.index))
    }
    let (old, new) = (before.entry.measured(in: view.layout), after.entry.measured(in: view.layout))
    for kind in [LayoutAttributes.SupplementaryKind.header, .footer] where old[kind] != new[kind] {
      try measure(kind, of: after.reference, new[kind])
    }
    if splice.isRestyle { try restyle(after.reference, splice) }
  }

  /// Sets the measured length of a section's header or footer, or removes it if `nil`.
  mutating func measure(
    _ kind: LayoutAttributes.SupplementaryKind, of section: SectionReference, _ length: Length?
  ) throws {
    var result = try result(of: section.index)
    let lengthBefore = result.length
    let plan = plan.section(section.key, style: result.style)
    let fixedBefore = plan.measured(result.measured).fixedLength
    result.measured[kind] = length
    result.length += plan.measured(result.measured).fixedLength - fixedBefore
    try put(result, at: section.index)
    // The present configuration may have no such header or footer.
    guard result.length != lengthBefore else { return }
    var invalidation = SectionInvalidation(
      section: section.index, supplementaryElements: [kind])
    if kind == .header {
      // Everything after the header moves.
      let count = pending[section.index]?.changes.count ?? result.content.itemCount
      invalidation.items = RangeSet(0..<count)
      invalidation.columns = RangeSet(0..<plan.kind.columnCount)
      computed.insert(section.index)
      invalidation.supplementaryElements = Set(plan.boundary.elements.map(\.kind))
      if let background = plan.background { invalidation.decorationElements = [background.kind] }
    }
    invalidation.name(plan.own?.kinds ?? [])
    invalidation.interval = .zero..<max(result.length, lengthBefore)
    context.invalidate(invalidation)
  }

  /// Records a change of the sections in the context and in the pending changes.
  mutating func append(_ change: SectionChange) {
    context.append(change)
    if plan.hasHistory {
      batchSections.append(change)
      restyled = Set(restyled.compactMap(change.index(of:)))
    }
    pending = change.carried(pending)
    edited = change.carried(edited)
  }

  /// Changes a section's style. Its items are placed as by a layout from scratch, unless the
  /// plans of both styles place them identically.
  mutating func restyle(_ section: SectionReference, _ splice: SectionSplice) throws {
    var result = try result(of: section.index)
    let style = splice.after?.entry.style
    guard result.style.isExactly(splice.before?.entry.style) else { throw Damage.misplaced }
    let old = plan.section(section.key, style: result.style)
    let new = plan.section(section.key, style: style)
    let lengthBefore = result.length
    result.style = style
    if old.kind.places(as: new.kind) {
      result = try result.taken(over: old, by: new, key: section.key)
      try put(result, at: section.index)
      if old.hasFrame(of: new) { return }
    } else {
      try noteDropped(result.content, of: section, by: old)
      result.content.kept?.drop(&session.edits)
      pending[section.index] = nil
      try put(withoutItems(new, result.measured, style), at: section.index)
      if let placed = splice.items?.items.placed, placed.count > 0 {
        try edit(.fill(placed), of: section)
      }
      edited[section.index] = nil
      result = try self.result(of: section.index)
    }
    context.invalidate(
      SectionInvalidation(
        ofSection: section.index, itemCount: splice.placedCount, from: old, to: new,
        length: max(lengthBefore, result.length)))
  }

  /// Returns a section without items.
  private func withoutItems(
    _ plan: SectionPlan, _ measured: SupplementaryLengths, _ style: String?
  ) throws -> SectionResult {
    var empty = try plan.measured(measured).withoutItems(shapes)
    (empty.measured, empty.style) = (measured, style)
    return empty
  }
}

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
    for plan in [old, new] { name(plan.elementKinds) }
  }
}

extension SectionPlan {
  /// Returns whether both have the same elements around the items, so that sections with the
  /// same items look the same.
  func hasFrame(of other: SectionPlan) -> Bool {
    inset == other.inset && boundary == other.boundary && background == other.background
      && backgroundInset == other.backgroundInset && effect == other.effect
      && hasOwnElements(of: other)
  }

  private func hasOwnElements(of other: SectionPlan) -> Bool {
    guard let own, let others = other.own else { return own == nil && other.own == nil }
    return own.isEqual(to: others)
  }
}
