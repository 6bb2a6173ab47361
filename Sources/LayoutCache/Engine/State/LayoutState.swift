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
  /// What became of stored nodes since the checkpoint.
  var edits = TreeEdits()
  /// The dataset's revision when somebody has last asked for the layout.
  var lastAsked = 0
  /// No section keeps as many elements as that: of a stored result, what its file has bytes
  /// for. Nodes that are there twice would make elements without end.
  var elementCountMax = 1 << 60

  var contentSize: Size { plan.space.contentSize(mainLength: plan.mainLength(of: results)) }

  /// The name of the result's history.
  var incarnation: String { row.result?.incarnation.description ?? "" }

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
    return try edit(shapes, in: session) { editor in
      try editor.apply(batch)
      return try editor.finish(dataset)
    }
  }

  /// Moves on by what `body` has an editor do.
  ///
  /// - Throws: What `body` throws; the state is unchanged.
  mutating func edit(
    _ shapes: TreeShapes, in session: TreeSession,
    _ body: (inout LayoutEditor) throws -> InvalidationContext
  ) rethrows -> InvalidationContext {
    var edits = self.edits
    let (context, results) = try session.adding(to: &edits) {
      var editor = LayoutEditor(
        self.results, plan: plan, view, shapes, elementCountMax: elementCountMax, in: session)
      return (try body(&editor), editor.results)
    }
    (self.edits, self.results) = (edits, results)
    return context
  }

  /// Writes what is only in memory.
  mutating func checkpoint(at revision: Int, _ writer: StoreWriter) throws {
    guard var result = row.result else { preconditionFailure("a layout in use has a result") }
    let sink = writer.nodeSink(in: result.space, next: result.nextNode)
    // The sections' own trees first: the leaves above name their roots.
    try results.forEachDirtyLeaf { leaf in
      for section in leaf.entries { try section.content.kept?.store(into: sink) }
    }
    try results.store(into: sink).publish()
    try sink.delete(edits)
    edits = TreeEdits()
    result.nextNode = sink.next
    result.revision = revision
    result.root = results.encodedRoot
    row.result = result
    try writer.put(row)
  }

  /// Gives back the nodes that were loaded.
  mutating func unload() {
    results = results.unloaded { leaf in
      var leaf = leaf
      for index in leaf.entries.indices {
        leaf.entries[index].content = leaf.entries[index].content.unloaded()
      }
      return leaf
    }
  }
}

extension NodeWriter {
  /// Deletes the stored nodes that edits have left behind.
  ///
  /// Called once what the edits have made is stored: what that needs of them stays.
  func delete(_ edits: TreeEdits) throws {
    try delete(edits.obsolete)
    let session = TreeSession(reader, keepsNodes: false)
    for subtree in edits.dropped {
      try subtree.forEachNode(in: session) { id, _ in try delete([id]) }
    }
  }
}
