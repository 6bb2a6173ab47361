import LayoutGeometry
import LayoutStore
import SumTree

/// What edits did to the nodes of a dataset's trees since they were last stored.
struct DatasetEdits: Sendable {
  var items = TreeEdits()
  var sections = TreeEdits()
  var itemKeys = TreeEdits()
  var sectionKeys = TreeEdits()
}

/// A logged operation names a place that its dataset or layout does not have: the
/// log or the trees are damaged.
struct MisplacedOperation: Error {}

extension DatasetTrees {
  /// Carries out an operation.
  ///
  /// - Throws: ``MisplacedOperation``; what reading nodes throws. The trees are then of
  ///   no more use.
  /// - Complexity: O(log items) nodes, and the leaves that hold what is inserted or
  ///   deleted.
  mutating func apply(
    _ operation: ResolvedOperation, reader: TreeReader, edits: inout DatasetEdits
  ) throws {
    switch operation {
    case .insertItems(let run, let index, let section):
      let items = try items(of: section, reader: reader)
      guard index <= items.count else { throw MisplacedOperation() }
      let place = items.lowerBound + index
      try replaceItems(place..<place, with: run, reader: reader, edits: &edits)
      try addItems(run.count, to: section, reader: reader, edits: &edits)
    case .deleteItems(let range, let section):
      let items = try items(of: section, reader: reader)
      guard range.upperBound <= items.count else { throw MisplacedOperation() }
      let place = items.lowerBound + range.lowerBound
      try replaceItems(place..<(place + range.count), with: nil, reader: reader, edits: &edits)
      try addItems(-range.count, to: section, reader: reader, edits: &edits)
    case .changeItem(let run, let index, let section, _):
      let items = try items(of: section, reader: reader)
      guard index < items.count else { throw MisplacedOperation() }
      let place = items.lowerBound + index
      try self.items.updateLeaf(containing: place, reader: reader, edits: &edits.items) {
        leaf, start in
        leaf.change(at: place - start, to: run)
      }
    case .insertSection(let section):
      try replaceSections(
        section.index..<section.index,
        with: SectionLeaf(entries: [SectionLeaf.Entry(key: section.key, itemCount: 0)]),
        reader: reader, edits: &edits)
    case .deleteSection(let section, _):
      let items = try items(of: section, reader: reader)
      try replaceItems(items, with: nil, reader: reader, edits: &edits)
      try replaceSections(
        section.index..<(section.index + 1), with: nil, reader: reader, edits: &edits)
    case .moveSection(let section, let target):
      try move(section, to: target, reader: reader, edits: &edits)
    case .invalidateItems, .rebalance, .everything:
      break
    }
  }

  /// The items of a section, counted from the dataset's first.
  func items(of section: SectionReference, reader: TreeReader) throws -> Range<Int> {
    guard section.index < sections.count else { throw MisplacedOperation() }
    let place = try sections.leaf(containing: section.index, from: SectionPlace(), reader: reader)
    let entries = place.leaf.entries
    let number = section.index - place.offset
    var first = place.before.item
    for index in 0..<number { first += entries[index].itemCount }
    return first..<(first + entries[number].itemCount)
  }

  private mutating func move(
    _ section: SectionReference, to target: Int, reader: TreeReader, edits: inout DatasetEdits
  ) throws {
    let range = try items(of: section, reader: reader)
    guard target < sections.count else { throw MisplacedOperation() }
    var run = ItemLeaf()
    try items.forEachRun(in: range, reader: reader) { run = run.joined(with: $0) }
    let entry = SectionLeaf.Entry(key: section.key, itemCount: range.count)
    try replaceItems(range, with: nil, reader: reader, edits: &edits)
    try replaceSections(
      section.index..<(section.index + 1), with: nil, reader: reader, edits: &edits)
    try replaceSections(
      target..<target, with: SectionLeaf(entries: [entry]), reader: reader, edits: &edits)
    guard run.count > 0 else { return }
    let start = try items(
      of: SectionReference(index: target, key: section.key), reader: reader
    ).lowerBound
    run.label = 0
    try replaceItems(start..<start, with: run, reader: reader, edits: &edits)
  }

  private mutating func replaceItems(
    _ range: Range<Int>, with run: ItemLeaf?, reader: TreeReader, edits: inout DatasetEdits
  ) throws {
    let changes = try items.replace(
      range, with: run, hash: itemKeys.hash, reader: reader, edits: &edits.items)
    try itemKeys.apply(changes, reader: reader, edits: &edits.itemKeys)
  }

  private mutating func replaceSections(
    _ range: Range<Int>, with run: SectionLeaf?, reader: TreeReader, edits: inout DatasetEdits
  ) throws {
    guard range.upperBound <= sections.count else { throw MisplacedOperation() }
    let changes = try sections.replace(
      range, with: run, hash: sectionKeys.hash, reader: reader, edits: &edits.sections)
    try sectionKeys.apply(changes, reader: reader, edits: &edits.sectionKeys)
  }

  private mutating func addItems(
    _ count: Int, to section: SectionReference, reader: TreeReader, edits: inout DatasetEdits
  ) throws {
    try sections.updateLeaf(
      containing: section.index, reader: reader, edits: &edits.sections
    ) { leaf, start in
      leaf.entries[section.index - start].itemCount += count
    }
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
