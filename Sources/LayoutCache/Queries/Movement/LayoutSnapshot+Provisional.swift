import CollectionLayout
import LayoutGeometry
import SumTree

/// A layout after an uncommitted batch.
struct ProvisionalLayout: Sendable {
  var snapshot: LayoutSnapshot
  /// The batch that leads to it from the committed layout; empty if both are equal.
  var operations: [BatchOperation] = []
  /// The batch's changes of the committed layout.
  var context = InvalidationContext()
}

extension LayoutSnapshot {
  /// Returns the layout after a batch, with new nodes only in memory.
  ///
  /// The batch is applied as in a commit, including the step of a pending rebalance.
  ///
  /// - Parameter operations: Operations that name no other layout.
  /// - Throws: ``LayoutCacheError``: `refused`, `cannotLayOut` if the content would be too
  ///   long.
  /// - Complexity: O(log items) nodes for each operation, and the work of following it.
  func provisional(
    _ operations: [BatchOperation], work: inout QueryWork
  ) throws -> ProvisionalLayout {
    let (layout, made) = try query { state -> ProvisionalLayout in
      // New nodes are never stored, and replaced nodes stay.
      var account = TreeEdits()
      return try state.session.adding(to: &account) {
        try provisional(operations, in: state.session)
      }
    }
    work = work + made
    return layout
  }

  private func provisional(
    _ operations: [BatchOperation], in session: TreeSession
  ) throws -> ProvisionalLayout {
    var resolver = OperationResolver(
      trees, in: session,
      layout: { [layoutID, layout, plan] name in
        ExactKey(name) == ExactKey(layout.layout)
          ? NamedLayout(id: layoutID, configuration: { plan.configuration }) : nil
      })
    try resolver.apply(operations)
    guard let batch = resolver.loggedBatch else {
      return ProvisionalLayout(snapshot: self)
    }
    var editor = LayoutEditor(
      results, undo: UndoStack(begin: 0), plan: plan, view, shapes,
      elementCountMax: elementCountMax, in: session)
    do {
      try editor.apply(batch, at: 0)
      let context = try editor.finish(resolver.trees)
      let moved = LayoutSnapshot(
        of: self, trees: resolver.trees, plan: editor.plan, results: editor.results,
        carouselOffsets: carouselOffsets)
      return ProvisionalLayout(snapshot: moved, operations: operations, context: context)
    } catch {
      guard let refusal = LayoutRefusal(error) else { throw error }
      throw LayoutCacheError(.cannotLayOut(layout, refusal))
    }
  }
}
