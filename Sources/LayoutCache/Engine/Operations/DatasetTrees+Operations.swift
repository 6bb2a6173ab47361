import LayoutStore
import SumTree

extension DatasetTrees {
  /// Applies a batch.
  ///
  /// - Throws: ``Damage``; errors of reading nodes. The trees are then unusable.
  mutating func apply(_ batch: LoggedBatch, in session: TreeSession) throws {
    // The log can only continue from the checkpoint that follows.
    if batch.kind == .build { throw Damage.misplaced }
    for operation in batch.operations { try apply(operation, in: session) }
  }

  /// Applies an operation.
  ///
  /// - Throws: ``Damage``; errors of reading nodes. The trees are then unusable.
  /// - Complexity: O(log items) nodes, plus the leaves of the inserted or deleted items.
  mutating func apply(_ operation: ResolvedOperation, in session: TreeSession) throws {
    switch operation {
    case .items(let splice): try apply(splice, in: session)
    case .sections(let splice): try apply(splice, in: session)
    case .note(.invalidate(_, let section), _), .note(.rebalance(_, let section), _),
      .note(.invalidateElements(_, let section?), _):
      guard section.index < sections.count else { throw Damage.misplaced }
    case .note(.measure(_, let lengths), let layout):
      layoutLengths[layout] = lengths == .none ? nil : lengths
    case .note: break
    }
  }

  /// Returns an operation with the places of its items, as the layouts need them.
  ///
  /// - Complexity: O(log items) nodes; none if no item is collapsed.
  func placed(
    _ operation: ResolvedOperation, in session: TreeSession
  ) throws -> ResolvedOperation {
    if items.summary.collapsedCount == 0 { return operation }
    func collapsed(before index: Int, of section: SectionReference) throws -> Int {
      let first = try items(ofSection: section.index, in: session).lowerBound
      return try items.collapsedCount(in: first..<(first + index), session)
    }
    switch operation {
    case .items(var splice):
      let before = splice.before
      splice.before.skipped = try collapsed(before: before.index, of: before.section)
      if before.isUnknown {
        splice.before.unknownCollapsed =
          try collapsed(before: before.range.upperBound, of: before.section)
          - splice.before.skipped
      }
      let after = splice.after
      let isBehind = splice.isMove && after.section == before.section && after.index > before.index
      splice.after.skipped =
        try collapsed(before: after.index + (isBehind ? before.count : 0), of: after.section)
        - (isBehind ? splice.before.collapsedCount : 0)
      return .items(splice)
    case .note(.invalidate(let range, let section), let layout):
      let start = try range.lowerBound - collapsed(before: range.lowerBound, of: section)
      let end = try range.upperBound - collapsed(before: range.upperBound, of: section)
      return .note(.invalidate(start..<end, section: section), layout: layout)
    case .note(.rebalance(let index, let section), let layout):
      let place = try index - collapsed(before: index, of: section)
      return .note(.rebalance(from: place, section: section), layout: layout)
    case .sections, .note: return operation
    }
  }

  private mutating func apply(_ splice: ItemSplice, in session: TreeSession) throws {
    if splice.aspect == .place {
      var changes = try replace(splice.before, with: ItemRun(), in: session)
      if let run = splice.after.run {
        let place = ItemSplice.Side(splice.after.section, splice.after.index)
        changes = changes.followed(by: try replace(place, with: run, in: session))
      }
      return try itemKeys.apply(changes, in: session)
    }
    guard let run = splice.after.run else { throw Damage.misplaced }
    let range = try numbers(of: splice.after, in: session)
    if splice.aspect == .data { return try replaceData(range, with: run.data, in: session) }
    for (offset, number) in range.enumerated() {
      try items.updateLeaf(containing: number, in: session) { leaf, start in
        leaf.change(at: number - start, to: run.items.slice(offset..<(offset + 1)))
      }
    }
  }

  private mutating func apply(_ splice: SectionSplice, in session: TreeSession) throws {
    if let before = splice.before, let after = splice.after, before.index == after.index {
      guard after.index < sections.count else { throw Damage.misplaced }
      return try sections.updateLeaf(containing: after.index, in: session) { leaf, start in
        leaf.entries[after.index - start].supplementaryLengths = after.entry.supplementaryLengths
        leaf.entries[after.index - start].style = after.entry.style
      }
    }
    if let before = splice.before {
      let range = try items(ofSection: before.index, in: session)
      if let after = splice.after {
        return try move(range, of: before.index, to: after, in: session)
      }
      try itemKeys.apply(replaceItems(range, with: ItemRun(), in: session), in: session)
      try replaceSections(before.index..<(before.index + 1), with: nil, in: session)
    }
    let run = splice.items ?? ItemRun()
    guard let after = splice.after else { return }
    guard after.index <= sections.count, after.entry.itemCount == run.count else {
      throw Damage.misplaced
    }
    try replaceSections(
      after.index..<after.index, with: SectionLeaf(entries: [after.entry]), in: session)
    guard run.count > 0 else { return }
    let start = try items(ofSection: after.index, in: session).lowerBound
    try itemKeys.apply(replaceItems(start..<start, with: run, in: session), in: session)
  }

  /// Moves a section: its items past those of the sections between, or those past its items,
  /// whichever are fewer, because the keys of moved items are filed again.
  ///
  /// - Parameter range: The section's items, counted from the dataset's first.
  private mutating func move(
    _ range: Range<Int>, of section: Int, to after: SectionSplice.Side, in session: TreeSession
  ) throws {
    guard after.entry.itemCount == range.count else { throw Damage.misplaced }
    let target = try items(ofSection: after.index, in: session)
    let passed =
      after.index < section
      ? target.lowerBound..<range.lowerBound : range.upperBound..<target.upperBound
    try replaceSections(section..<(section + 1), with: nil, in: session)
    try replaceSections(
      after.index..<after.index, with: SectionLeaf(entries: [after.entry]), in: session)
    let (moved, other) = range.count <= passed.count ? (range, passed) : (passed, range)
    if moved.isEmpty { return }
    var run = ItemRun()
    try forEachRun(of: moved, in: session) { run.append($0) }
    let start =
      moved.lowerBound < other.lowerBound ? moved.lowerBound + other.count : other.lowerBound
    let removals = try replaceItems(moved, with: ItemRun(), in: session)
    let insertions = try replaceItems(start..<start, with: run, in: session)
    try itemKeys.apply(removals.followed(by: insertions), in: session)
  }

  /// Returns the numbers of the items of a section, counted from the dataset's first.
  private func numbers(of side: ItemSplice.Side, in session: TreeSession) throws -> Range<Int> {
    let items = try items(ofSection: side.section.index, in: session)
    guard side.range.upperBound <= items.count else { throw Damage.misplaced }
    let first = items.lowerBound + side.index
    return first..<(first + side.count)
  }

  /// Replaces the items of a section.
  ///
  /// - Returns: The changes for the key index.
  private mutating func replace(
    _ side: ItemSplice.Side, with run: ItemRun, in session: TreeSession
  ) throws -> [KeyIndexChange] {
    if side.count == 0 && run.count == 0 { return [] }
    let changes = try replaceItems(numbers(of: side, in: session), with: run, in: session)
    try sections.updateLeaf(containing: side.section.index, in: session) { leaf, start in
      leaf.entries[side.section.index - start].itemCount += run.count - side.count
    }
    return changes
  }

  private mutating func replaceItems(
    _ range: Range<Int>, with run: ItemRun, in session: TreeSession
  ) throws -> [KeyIndexChange] {
    let changes = try items.replace(
      range, with: run.count == 0 ? nil : run.items, hash: itemKeys.hash, in: session)
    try replaceData(range, with: run.data, in: session)
    return changes
  }

  private mutating func replaceData(
    _ range: Range<Int>, with run: ItemDataRun, in session: TreeSession
  ) throws {
    try data.replaceItems(range, with: run.ranked(by: order), in: session)
  }

  private mutating func replaceSections(
    _ range: Range<Int>, with run: SectionLeaf?, in session: TreeSession
  ) throws {
    guard range.upperBound <= sections.count else { throw Damage.misplaced }
    let changes = try sections.replace(range, with: run, hash: sectionKeys.hash, in: session)
    try sectionKeys.apply(changes, in: session)
  }
}
