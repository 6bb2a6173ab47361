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
  /// The steps by which the result has come here that are not in the file: those of commits of
  /// other processes, and of catching up.
  private(set) var steps: [ContextStep] = []
  /// Whether the results come from another configuration than the row's result, which is then not
  /// part of their history.
  private(set) var beginsHistory = false
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

  /// - Throws: ``Damage`` for a malformed undo stack.
  init(row: LayoutRow, plan: LayoutPlan, results: SumTree<SectionResultLeaf>) throws {
    (self.row, self.plan, self.results) = (row, plan, results)
    undo = try UndoStack(row.result?.undo ?? [], at: row.result?.revision ?? 0)
  }

  /// Adds a step, which the next commit or checkpoint stores.
  mutating func add(_ step: ContextStep) {
    if steps.count == Budgets.followedSteps { steps.removeFirst(Budgets.followedSteps / 2) }
    steps.append(step)
  }

  /// Stores the steps that are not in the file.
  mutating func storeSteps(_ writer: StoreWriter) throws {
    guard let space = row.result?.space, !steps.isEmpty else { return }
    try writer.append(steps.map { $0.row(in: space) })
    steps = []
  }

  /// Forgets the steps to a result that is replaced.
  mutating func beginHistory() { (beginsHistory, steps) = (true, []) }

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
  /// - Parameter revision: The state's revision.
  mutating func checkpoint(at revision: Int, _ writer: StoreWriter) throws {
    guard var result = row.result else { preconditionFailure("a layout in use has a result") }
    let sink = writer.nodeSink(in: result.space, next: result.nextNode)
    // The trees of the sections first: the leaves refer to their roots.
    try results.forEachDirtyLeaf { leaf in
      for section in leaf.entries { try section.content.kept?.store(into: sink) }
    }
    try results.store(into: sink).publish()
    try sink.delete(rows: sink.rows(leftBy: edits))
    edits = TreeEdits()
    if beginsHistory { result.historyBegin = revision }
    beginsHistory = false
    result.nextNode = sink.next
    result.revision = revision
    result.root = results.encodedRoot(measured: SupplementaryLengths(plan.frame))
    if plan.hasHistory {
      result.undo = undo.encoded(at: revision)
      // Without the records that are out of reach.
      undo = try UndoStack(result.undo, at: revision)
    }
    row.result = result
    try writer.put(row)
    try storeSteps(writer)
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
