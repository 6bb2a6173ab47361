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

  /// Gives a section's header or footer a measured length, or takes it back.
  mutating func measure(
    _ kind: LayoutAttributes.SupplementaryKind, of section: SectionReference, _ length: Length?
  ) throws {
    var result = try result(of: section.index)
    let lengthBefore = result.length
    let plan = plan.section(section.key)
    let fixedBefore = plan.measured(result.measured).fixedLength
    result.measured[kind] = length
    result.length += plan.measured(result.measured).fixedLength - fixedBefore
    try put(result, at: section.index)
    // A configuration may have come since that has none.
    guard result.length != lengthBefore else { return }
    var invalidation = SectionInvalidation(
      section: section.index, supplementaryElements: [kind])
    if kind == .header {
      // All after it moves in the section.
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

  /// Notes how the sections changed, in the context and for what is still to come.
  mutating func append(_ change: SectionChange) {
    context.append(change)
    pending = change.carried(pending)
    placedAnew = change.carried(placedAnew)
  }
}
