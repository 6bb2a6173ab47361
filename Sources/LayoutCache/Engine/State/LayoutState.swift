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
  /// The results before the newest commit; `nil` if the state has not followed a commit.
  var former: PreviousResults?
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

  /// Advances the layout by a committed batch.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's trees after the batch.
  ///   - committedMax: The maximum number of items to place.
  /// - Returns: The changes.
  /// - Throws: Those of ``LayoutEditor/apply(_:)``; ``ExceedsCommit``. The state is unchanged.
  mutating func apply(
    _ batch: LoggedBatch, _ dataset: DatasetTrees, _ shapes: TreeShapes,
    placing committedMax: Int = .max, in session: TreeSession
  ) throws -> InvalidationContext {
    elementCountMax += batch.insertedCount
    let context = try edit(shapes, in: session) { editor in
      editor.committedMax = committedMax
      try editor.apply(batch)
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
    let (context, results, former) = try session.adding(to: &edits) {
      var editor = LayoutEditor(
        self.results, former: self.former, plan: plan, view, shapes,
        elementCountMax: elementCountMax, in: session)
      return (try body(&editor), editor.results, editor.former)
    }
    (self.edits, self.results, self.former) = (edits, results, former)
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
    // Its nodes belong to a checkpoint that no longer exists.
    former = nil
    beginsHistory = false
    result.nextNode = sink.next
    result.revision = head.revision
    result.root = results.encodedRoot
    row.result = result
    try writer.put(row)
  }

  /// Releases the loaded nodes.
  mutating func unload() {
    results = results.unloaded(\.unloaded)
    if let past = former?.results { former?.results = past.unloaded(\.unloaded) }
  }
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
