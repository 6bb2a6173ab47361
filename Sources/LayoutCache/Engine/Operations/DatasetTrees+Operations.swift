import LayoutGeometry
import LayoutStore
import SumTree

extension DatasetTrees {
  /// Applies an operation.
  ///
  /// - Throws: ``MisplacedOperation``; errors of reading nodes. The trees are then unusable.
  /// - Complexity: O(log items) nodes, plus the leaves of the inserted or deleted items.
  mutating func apply(_ operation: ResolvedOperation, in session: TreeSession) throws {
    switch operation {
    case .insertItems(let run, let index, let section, _):
      let items = try items(ofSection: section.index, in: session)
      guard index <= items.count else { throw MisplacedOperation() }
      let place = items.lowerBound + index
      try replaceItems(place..<place, with: run, in: session)
      try addItems(run.count, to: section, in: session)
    case .deleteItems(let range, let section, _):
      let items = try items(ofSection: section.index, in: session)
      guard range.upperBound <= items.count else { throw MisplacedOperation() }
      let place = items.lowerBound + range.lowerBound
      try replaceItems(place..<(place + range.count), with: ItemRun(), in: session)
      try addItems(-range.count, to: section, in: session)
    case .changeItem(let run, let index, let section, _, _):
      let items = try items(ofSection: section.index, in: session)
      guard index < items.count else { throw MisplacedOperation() }
      let place = items.lowerBound + index
      try self.items.updateLeaf(containing: place, in: session) { leaf, start in
        leaf.change(at: place - start, to: run)
      }
    case .changeData(let run, _, let index, let section, _):
      let items = try items(ofSection: section.index, in: session)
      guard index < items.count else { throw MisplacedOperation() }
      let place = items.lowerBound + index
      try data.replaceItems(place..<(place + 1), with: run, in: session)
    case .changeSupplementary(let kind, let section, let layout, let length, _):
      guard section.index < sections.count else { throw MisplacedOperation() }
      try sections.updateLeaf(containing: section.index, in: session) { leaf, start in
        leaf.entries[section.index - start].measure(kind, length, layout: layout)
      }
    case .insertSection(let section, let style):
      let entry = SectionLeaf.Entry(key: section.key, itemCount: 0, style: style)
      try replaceSections(
        section.index..<section.index, with: SectionLeaf(entries: [entry]), in: session)
    case .changeStyle(let section, let change):
      guard section.index < sections.count else { throw MisplacedOperation() }
      try sections.updateLeaf(containing: section.index, in: session) { leaf, start in
        leaf.entries[section.index - start].style = change.style
      }
    case .deleteSection(let section, _, _, _):
      let items = try items(ofSection: section.index, in: session)
      try replaceItems(items, with: ItemRun(), in: session)
      try replaceSections(
        section.index..<(section.index + 1), with: nil, in: session)
    case .moveSection(let section, let target):
      try move(section, to: target, in: session)
    case .invalidateItems(_, let section, _), .rebalance(_, let section, _):
      guard section.index < sections.count else { throw MisplacedOperation() }
    case .everything, .continueRebalance, .mark, .undo:
      break
    case .build:
      // The log can only continue from the checkpoint that follows.
      throw MisplacedOperation()
    }
  }

  private mutating func move(
    _ section: SectionReference, to target: Int, in session: TreeSession
  ) throws {
    let range = try items(ofSection: section.index, in: session)
    guard target < sections.count else { throw MisplacedOperation() }
    var run = ItemRun()
    try forEachRun(of: range, in: session) { run.append($0) }
    let place = try sections.place(at: section.index, in: session)
    let entry = place.leaf.entries[place.index]
    try replaceItems(range, with: ItemRun(), in: session)
    try replaceSections(section.index..<(section.index + 1), with: nil, in: session)
    try replaceSections(target..<target, with: SectionLeaf(entries: [entry]), in: session)
    guard run.count > 0 else { return }
    let start = try items(ofSection: target, in: session).lowerBound
    try replaceItems(start..<start, with: run, in: session)
  }

  private mutating func replaceItems(
    _ range: Range<Int>, with run: ItemRun, in session: TreeSession
  ) throws {
    let changes = try items.replace(
      range, with: run.count == 0 ? nil : run.items, hash: itemKeys.hash, in: session)
    try itemKeys.apply(changes, in: session)
    try data.replaceItems(range, with: run.data, in: session)
  }

  private mutating func replaceSections(
    _ range: Range<Int>, with run: SectionLeaf?, in session: TreeSession
  ) throws {
    guard range.upperBound <= sections.count else { throw MisplacedOperation() }
    let changes = try sections.replace(
      range, with: run, hash: sectionKeys.hash, in: session)
    try sectionKeys.apply(changes, in: session)
  }

  private mutating func addItems(
    _ count: Int, to section: SectionReference, in session: TreeSession
  ) throws {
    try sections.updateLeaf(containing: section.index, in: session) { leaf, start in
      leaf.entries[section.index - start].itemCount += count
    }
  }
}
