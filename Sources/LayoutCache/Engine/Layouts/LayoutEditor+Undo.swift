import CollectionLayout
import SumTree

// What an undo takes: an account of what each batch does to sections whose items choose their
// places, beyond what its operations say, and putting them back.

extension LayoutEditor {
  /// Takes the last batch back: sections whose items choose their places get what they had
  /// before it, where it has touched them, and the others follow as they always do.
  mutating func takeBack(_ batch: LoggedBatch, to past: FormerResults) throws {
    for (index, section) in past.placedAnew {
      var entry = ChangedSection(
        key: section.key, changes: ItemHunks(count: section.changes.count))
      for hunk in section.changes.hunks where !hunk.new.isEmpty {
        entry.changes.replace(hunk.new, withCount: hunk.new.count)
      }
      placedAnew[index] = entry
    }
    isTakingBack = true
    defer { isTakingBack = false }
    for operation in batch.operations { try apply(operation) }
    try changeItems()
    for (index, section) in placedAnew.sorted(by: { $0.key < $1.key }) {
      try restore(section, at: index, from: past.results)
    }
  }

  private mutating func restore(
    _ section: ChangedSection, at index: Int, from past: SumTree<SectionResultLeaf>
  ) throws {
    let sectionPlan = plan.section(section.key)
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

  /// In which places a section has changed once items have given way to others too.
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

  /// Notes that items of a section have been placed again.
  mutating func notePlacedAnew(
    _ change: PlacementChange, _ key: String, itemCount: Int, at index: Int
  ) {
    var entry =
      placedAnew[index] ?? ChangedSection(key: key, changes: ItemHunks(count: itemCount))
    if let range = change.placedAnew {
      entry.changes.replace(range, withCount: range.count)
    }
    placedAnew[index] = entry
  }
}

extension SectionChange {
  /// The stored results of sections, by their index after the change.
  func carried(_ sections: [Int: ChangedSection]) -> [Int: ChangedSection] {
    if sections.isEmpty { return sections }
    var carried: [Int: ChangedSection] = [:]
    for (old, section) in sections {
      if let index = index(of: old) { carried[index] = section }
    }
    return carried
  }
}
