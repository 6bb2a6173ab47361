import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// A layout in memory, at the revision of its dataset's state.
struct LayoutState: Sendable {
  /// The checkpoint that the state has moved on from; it has a result.
  @Shared var row: LayoutRow
  @Shared var plan: LayoutPlan
  var results: SumTree<SectionResultLeaf>
  /// The changes of stored nodes since the checkpoint.
  var edits = TreeEdits()
  /// The state before the newest commit; `nil` where the state has moved on by none.
  var former: FormerResults?
  /// Whether the results follow from a configuration that the row's did not, so that these
  /// are no history of theirs.
  var beginsHistory = false
  /// The dataset's revision when somebody has last asked for the layout.
  var lastAsked = 0
  /// No section keeps as many elements as that: of a stored result, what its file has bytes
  /// for. Nodes that are there twice would make elements without end.
  var elementCountMax = 1 << 60

  var contentSize: Size { plan.space.contentSize(mainLength: plan.mainLength(of: results)) }

  /// The name of the result's history.
  var incarnation: Incarnation { row.result.map { Incarnation($0.incarnation) } ?? "" }

  /// How the layout sees items.
  var view: ItemView { ItemView(layout: row.id, space: plan.space) }

  /// Moves on by a committed batch.
  ///
  /// - Parameter dataset: The dataset's trees after the batch.
  /// - Returns: What that did.
  /// - Throws: As ``LayoutEditor/apply(_:)``; the state is unchanged.
  mutating func apply(
    _ batch: LoggedBatch, _ dataset: DatasetTrees, _ shapes: TreeShapes, in session: TreeSession
  ) throws -> InvalidationContext {
    elementCountMax += batch.insertedCount
    let context = try edit(shapes, in: session) { editor in
      try editor.apply(batch)
      return try editor.finish(dataset)
    }
    assert(results.count == dataset.sections.count, "the layout has other sections")
    return context
  }

  /// Moves on by what `body` has an editor do.
  ///
  /// - Throws: What `body` throws; the state is unchanged.
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

  /// Writes what is only in memory.
  ///
  /// - Parameters:
  ///   - head: The log's, at the state's revision.
  ///   - reach: The operations of the log that history reaches back.
  mutating func checkpoint(
    at head: LogHead, reach: Int, _ writer: StoreWriter
  ) throws {
    guard var result = row.result else { preconditionFailure("a layout in use has a result") }
    let sink = writer.nodeSink(in: result.space, next: result.nextNode)
    // The sections' own trees first: the leaves above name their roots.
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
    // Its nodes are those of a checkpoint that is none any more.
    former = nil
    beginsHistory = false
    result.nextNode = sink.next
    result.revision = head.revision
    result.root = results.encodedRoot
    row.result = result
    try writer.put(row)
  }

  /// Gives back the nodes that were loaded.
  mutating func unload() {
    results = results.unloaded(\.unloaded)
    if let past = former?.results { former?.results = past.unloaded(\.unloaded) }
  }
}

extension SectionResultLeaf {
  /// The leaf with no nodes in memory but those that the file lacks.
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
  /// The remaining part of the stored nodes that edits have replaced; see ``rows(leftBy:)``.
  func rows(leftBy edits: TreeEdits) throws -> Set<NodeID> {
    var nodes = edits.obsolete
    let session = TreeSession(reader, keepsNodes: false)
    for subtree in edits.dropped {
      try subtree.forEachNode(in: session) { id, _ in nodes.append(id) }
    }
    return try rows(leftBy: nodes)
  }
}
