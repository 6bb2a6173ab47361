import CollectionLayout
import SumTree

// Support for undo: recording what each batch does to sections whose items choose their
// positions, beyond the effect of its operations, and restoring it.

extension LayoutEditor {
  /// Reverts the last batch. Sections whose items choose their positions are restored where the
  /// batch changed them; all other sections follow as usual.
  mutating func revert(_ batch: LoggedBatch, to past: PreviousResults) throws {
    for (index, section) in past.replaced {
      var entry = ChangedSection(
        key: section.key, changes: ItemHunks(count: section.changes.count))
      for hunk in section.changes.hunks where !hunk.new.isEmpty {
        entry.changes.replace(hunk.new, withCount: hunk.new.count)
      }
      replaced[index] = entry
    }
    isTakingBack = true
    defer { isTakingBack = false }
    for operation in batch.operations { try apply(operation) }
    try changeItems()
    for (index, section) in replaced.sorted(by: { $0.key < $1.key }) {
      try restore(section, at: index, from: past.results)
    }
  }

  private mutating func restore(
    _ section: ChangedSection, at index: Int, from past: SumTree<SectionResultLeaf>
  ) throws {
    let sectionPlan = try sectionPlan(SectionReference(index: index, key: section.key))
    guard case .atOnce(let placing) = sectionPlan.kind.placing.following else { return }
    guard index < past.count else { throw MisplacedOperation() }
    let found = try past.place(at: index, in: session)
    let former = found.leaf.entries[found.index]
    guard former.content.itemCount == section.changes.count else { throw MisplacedOperation() }
    var result = try result(of: index)
    let (change, length) = try placing.restore(
      section.changes, &result.content, from: former.content, shapes, in: session)
    result.overdueKey = former.overdueKey
    try keep(result, at: index, change, contentLength: length, sectionPlan)
  }

  /// Returns the changes of a section after a range of its items is also replaced.
  func changed(
    _ present: ChangedSection?, _ range: Range<Int>, becoming newCount: Int,
    of section: SectionReference
  ) throws -> ChangedSection {
    var entry =
      try present
      ?? ChangedSection(
        key: section.key,
        changes: ItemHunks(count: result(of: section.index).content.itemCount))
    guard range.upperBound <= entry.changes.count else { throw MisplacedOperation() }
    entry.changes.replace(range, withCount: newCount)
    return entry
  }

  /// Records that items of a section have been placed again.
  mutating func recordReplaced(
    _ change: PlacementChange, _ key: String, itemCount: Int, at index: Int
  ) {
    var entry =
      replaced[index] ?? ChangedSection(key: key, changes: ItemHunks(count: itemCount))
    for range in change.replaced {
      entry.changes.replace(range, withCount: range.count)
    }
    replaced[index] = entry
  }
}

extension SectionChange {
  /// Returns values of sections by the sections' index after the change of sections.
  func carried<Value>(_ sections: [Int: Value]) -> [Int: Value] {
    if sections.isEmpty { return sections }
    var carried: [Int: Value] = [:]
    for (old, section) in sections {
      if let index = index(of: old) { carried[index] = section }
    }
    return carried
  }
}
