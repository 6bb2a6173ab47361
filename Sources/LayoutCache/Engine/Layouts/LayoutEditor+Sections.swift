import CollectionLayout
import LayoutGeometry
import SumTree

extension LayoutEditor {
  func result(of section: Int) throws -> SectionResult {
    guard section < results.count else { throw MisplacedOperation() }
    let found = try results.place(at: section, in: session)
    let result = found.leaf.entries[found.index]
    guard result.content.kept?.elementCount ?? 0 <= elementCountMax else {
      throw DamagedLayout(detail: "section \(section) has more elements than the file has bytes")
    }
    return result
  }

  /// Returns the plan of a section with its present style.
  func sectionPlan(_ section: SectionReference) throws -> SectionPlan {
    plan.section(
      section.key, style: plan.hasStyles ? try result(of: section.index).style : nil)
  }

  mutating func put(_ result: SectionResult, at section: Int) throws {
    try results.updateLeaf(containing: section, in: session) { leaf, first in
      leaf.entries[section - first] = result
    }
  }

  mutating func insert(_ result: SectionResult, at index: Int) throws {
    guard index <= results.count else { throw MisplacedOperation() }
    try results.replaceSubrange(
      index..<index, with: SectionResultLeaf(entries: [result]), in: session)
  }

  mutating func remove(_ index: Int) throws -> SectionResult {
    let result = try result(of: index)
    try results.replaceSubrange(index..<(index + 1), with: nil, in: session)
    return result
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
      if plan.footer > .zero { invalidation.supplementaryElements.insert(.footer) }
      if let background = plan.background { invalidation.decorationElements = [background.kind] }
    }
    invalidation.interval = .zero..<max(result.length, lengthBefore)
    context.invalidate(invalidation)
  }

  /// Records a change of the sections in the context and in the pending changes.
  mutating func append(_ change: SectionChange) {
    context.append(change)
    pending = change.carried(pending)
    replaced = change.carried(replaced)
    edited = change.carried(edited)
  }
}
