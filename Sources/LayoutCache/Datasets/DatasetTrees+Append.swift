import LayoutGeometry
import LayoutStore
import SumTree

extension DatasetTrees {
  /// Appends a run of items to a section.
  ///
  /// - Parameters:
  ///   - run: The items; none of their keys is in the dataset.
  ///   - section: The section's number.
  /// - Complexity: O((log n + items appended) · log n) nodes.
  mutating func append(
    _ run: ItemLeaf, toSection section: Int, reader: TreeReader, edits: inout TreeEdits
  ) throws {
    let place = try sections.leaf(containing: section, from: SectionPlace(), reader: reader)
    let end = place.leaf.entries[...(section - place.offset)].reduce(place.before.item) {
      $0 + $1.itemCount
    }
    let changes = try items.replace(
      end..<end, with: run, hash: itemKeys.hash, reader: reader, edits: &edits)
    try itemKeys.apply(changes, reader: reader, edits: &edits)
    try sections.updateLeaf(containing: section, reader: reader, edits: &edits) { leaf, start in
      leaf.entries[section - start].itemCount += run.count
    }
  }

  /// Appends a section without items behind the others.
  ///
  /// - Parameter key: The section's key; no section has it.
  mutating func appendSection(
    _ key: String, reader: TreeReader, edits: inout TreeEdits
  ) throws {
    let changes = try sections.replace(
      sections.count..<sections.count,
      with: SectionLeaf(entries: [SectionLeaf.Entry(key: key, itemCount: 0)]),
      hash: sectionKeys.hash, reader: reader, edits: &edits)
    try sectionKeys.apply(changes, reader: reader, edits: &edits)
  }

  /// Writes the nodes that edits have made.
  ///
  /// Called in the transaction that stores the roots too; the value is of no use
  /// where that is rolled back.
  mutating func store(into sink: NodeWriter) throws {
    try items.store(into: sink).publish()
    try sections.store(into: sink).publish()
    try itemKeys.tree.store(into: sink).publish()
    try sectionKeys.tree.store(into: sink).publish()
  }
}
