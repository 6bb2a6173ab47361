import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// A layout in memory, at the revision of its dataset's state.
struct LayoutState: Sendable {
  /// The checkpoint from which the state was advanced; it has a result.
  @Shared var row: LayoutRow
  @Shared var plan: LayoutPlan
  var results: SumTree<SectionResultLeaf>
  /// The changes of stored nodes since the checkpoint.
  var edits = TreeEdits()
  /// The records of the newest commits.
  var undo: UndoStack
  /// Whether the results come from another configuration than the row's result, which is then not
  /// part of their history.
  var beginsHistory = false
  /// The dataset's revision at the last request for the layout.
  var lastAsked = 0
  /// An upper bound on the number of elements of a section: for a stored result, the size of the
  /// file in bytes. Duplicate references to nodes could otherwise produce an unbounded number of
  /// elements.
  var elementCountMax = 1 << 60

  var contentSize: Size { plan.space.contentSize(mainLength: plan.mainLength(of: results)) }

  /// The incarnation of the result.
  var incarnation: Incarnation { row.result.map { Incarnation($0.incarnation) } ?? "" }

  /// The layout's view of the items.
  var view: ItemView { ItemView(layout: row.id, space: plan.space) }

  /// - Parameter isTrailing: Whether the result is one of the row's trailing checkpoints.
  /// - Throws: ``Damage`` for a malformed undo stack.
  init(
    row: LayoutRow, plan: LayoutPlan, results: SumTree<SectionResultLeaf>, isTrailing: Bool = false
  ) throws {
    (self.row, self.plan, self.results) = (row, plan, results)
    undo = try UndoStack(row.result?.undo ?? [], at: row.result?.revision ?? 0, isCut: isTrailing)
  }

  /// Advances the layout by a committed batch.
  ///
  /// - Parameters:
  ///   - revision: The dataset's revision after the batch.
  ///   - dataset: The dataset's trees after the batch.
  ///   - committedMax: The maximum number of items to place.
  /// - Returns: The changes.
  /// - Throws: Those of ``LayoutEditor/apply(_:at:)``; ``ExceedsCommit``. The state is unchanged.
  mutating func apply(
    _ batch: LoggedBatch, at revision: Int, _ dataset: DatasetTrees, _ shapes: TreeShapes,
    placing committedMax: Int = .max, in session: TreeSession
  ) throws -> InvalidationContext {
    elementCountMax += batch.insertedCount
    let context = try edit(shapes, in: session) { editor in
      editor.committedMax = committedMax
      try editor.apply(batch, at: revision)
      return try editor.finish(dataset)
    }
    assert(results.count == dataset.sections.count, "the layout has other sections")
    return context
  }

  /// Advances the layout by the edits that `body` performs.
  ///
  /// - Throws: The errors of `body`; the state is then unchanged.
  mutating func edit(
    _ shapes: TreeShapes, in session: TreeSession,
    _ body: (inout LayoutEditor) throws -> InvalidationContext
  ) rethrows -> InvalidationContext {
    var edits = self.edits
    let (context, results, undo, frame) = try session.adding(to: &edits) {
      var editor = LayoutEditor(
        self.results, undo: self.undo, plan: plan, view, shapes, elementCountMax: elementCountMax,
        in: session)
      return (try body(&editor), editor.results, editor.undo, editor.plan.frame)
    }
    (self.edits, self.results, self.undo) = (edits, results, undo)
    if plan.frame != frame { plan.frame = frame }
    return context
  }

  /// Returns the next item of an unfinished rebalance of a section to its end; `nil` without one.
  func nextRebalanced(of section: SectionReference, in session: TreeSession) throws -> Int? {
    guard section.index < results.count else { return nil }
    let place = try results.place(at: section.index, in: session)
    let result = place.leaf.entries[place.index]
    return try plan.section(section.key, style: result.style).kind.placing
      .nextRebalanced(result.content)
  }

  /// Writes the changes that are only in memory.
  ///
  /// - Parameters:
  ///   - head: The head of the log at the state's revision.
  ///   - reach: The reach of history, in operations of the log.
  mutating func checkpoint(
    at head: LogHead, reach: Int, _ writer: StoreWriter
  ) throws {
    guard var result = row.result else { preconditionFailure("a layout in use has a result") }
    let sink = writer.nodeSink(in: result.space, next: result.nextNode)
    // The trees of the sections first: the leaves refer to their roots.
    try results.forEachDirtyLeaf { leaf in
      for section in leaf.entries { try section.content.kept?.store(into: sink) }
    }
    try results.store(into: sink).publish()
    let left = try sink.rows(leftBy: edits)
    if beginsHistory {
      try writer.release(&result.trailing)
      result.historyBegin = head.revision
    } else if plan.hasHistory, result.revision < head.revision {
      try result.extendTrailing(by: left, upTo: head, writer.reader)
    }
    try sink.retire(left, trailing: &result.trailing)
    try result.trimTrailing(upTo: head, reach: reach, writer)
    edits = TreeEdits()
    beginsHistory = false
    result.nextNode = sink.next
    result.revision = head.revision
    result.root = results.encodedRoot(measured: SupplementaryLengths(plan.frame))
    if plan.hasHistory {
      result.undo = undo.encoded(at: head.revision)
      // Without the records that are out of reach.
      undo = try UndoStack(result.undo, at: head.revision, isCut: false)
    }
    row.result = result
    try writer.put(row)
  }

  /// Releases the loaded nodes.
  mutating func unload() { results = results.unloaded(\.unloaded) }
}

extension SectionResultLeaf {
  /// The leaf with only the nodes in memory that the file lacks.
  fileprivate var unloaded: SectionResultLeaf {
    SectionResultLeaf(
      entries: entries.map { entry in
        var entry = entry
        entry.content = entry.content.unloaded()
        return entry
      })
  }
}

extension NodeWriter {
  /// Returns the remaining rows of the stored nodes that edits have replaced; see
  /// ``rows(leftBy:)``.
  func rows(leftBy edits: TreeEdits) throws -> Set<NodeID> {
    var nodes = edits.obsolete
    let session = TreeSession(reader, keepsNodes: false)
    for subtree in edits.dropped {
      try subtree.forEachNode(in: session) { id, _ in nodes.append(id) }
    }
    return try rows(leftBy: nodes)
  }
}

/// The rules by which layouts are laid out and follow changes: rounding, the choice of columns,
/// when a section is rebalanced, and how many items at a time.
package enum LayoutRules {
  /// The version. It increases with every change to the rules after which a stored result would
  /// differ from the result that follows from the log and the items. A result of another version
  /// is laid out again. A shared log requires one version of all its nodes.
  package static let version = 2
}

extension StoreError {
  /// Whether a row, not a node, is damaged.
  var isCorrupt: Bool { if case .corrupt = code { true } else { false } }
}

// Earlier results of a layout that stay readable. Columns of a stable waterfall do not follow
// from the items, so a past result is a stored result moved forward along the log. One of the
// trailing checkpoints is at least as old as the reach of history, unless that would retain more
// rows than the budget. The younger ones are so close to each other that moving one forward to a
// revision takes fewer operations than there are since the revision, or a fraction of
// `Budgets.followedOperations`.

extension LayoutRow.Result {
  /// Adds the result to its trailing checkpoints before it is replaced, if another checkpoint is
  /// needed.
  ///
  /// - Parameter rows: The rows that only the present result needs, not the next one.
  mutating func extendTrailing(
    by rows: Set<NodeID>, upTo head: LogHead, _ reader: StoreReader
  ) throws {
    guard let newest = trailing.last else { return trailing.append(asTrailing) }
    let kept = trailing.supersededCount + rows.count(where: newest.needs)
    if try trailing.count == 1 && kept > Budgets.trailingRows
      || reader.distance(from: newest.revision, to: revision, upTo: head) >= Budgets.trailingGap
    {
      trailing.append(asTrailing)
    }
  }

  /// Releases trailing checkpoints between others that are close to each other, the oldest ones
  /// that history no longer reaches, and those that are too expensive. The last one stays.
  ///
  /// - Parameter reach: The reach of history, in operations of the log.
  mutating func trimTrailing(upTo head: LogHead, reach: Int, _ writer: StoreWriter) throws {
    var index = 1
    while index + 1 < trailing.count {
      let (earlier, later) = (trailing[index - 1].revision, trailing[index + 1].revision)
      let age = try writer.reader.distance(from: later, to: head.revision, upTo: head)
      if try writer.reader.distance(from: earlier, to: later, upTo: head)
        <= age / Budgets.trailingAge
      {
        try writer.release(at: index, of: &trailing)
      } else {
        index += 1
      }
    }
    while trailing.count > 1,
      try writer.reader.distance(from: trailing[1].revision, to: head.revision, upTo: head)
        >= reach
    {
      try writer.release(at: 0, of: &trailing)
    }
    // History reaches back to the oldest checkpoint, so younger ones are released first.
    while trailing.count > 1, trailing.supersededCount > Budgets.trailingRows {
      let isOldestExpensive =
        trailing.reduce(0) { $0 + $1.supersededCount(neededBy: trailing[0]) }
        > Budgets.trailingRows
      try writer.release(at: isOldestExpensive ? 0 : 1, of: &trailing)
    }
  }
}

extension [TrailingCheckpoint] {
  fileprivate var supersededCount: Int { reduce(0) { $0 + $1.supersededCount } }
}

extension StoreReader {
  /// Returns the number of operations in the log between two revisions; `Int.max` if the log does
  /// not reach back to the first, or has more bytes between them than the budget for history.
  fileprivate func distance(from start: Int, to end: Int, upTo head: LogHead) throws -> Int {
    guard let first = try logExtent(after: start, upTo: head),
      let last = try logExtent(after: end, upTo: head),
      first.bytes - last.bytes < Budgets.keptLogBytes
    else { return .max }
    return first.operations - last.operations
  }
}
