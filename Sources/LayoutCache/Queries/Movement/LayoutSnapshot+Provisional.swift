import CollectionLayout
import LayoutGeometry
import SumTree

/// A layout after uncommitted moves.
struct ProvisionalLayout: Sendable {
  var snapshot: LayoutSnapshot
  /// The batch that leads to it from the committed layout; empty if both are equal.
  var operations: [BatchOperation] = []
  /// The batch's changes of the committed layout.
  var context = InvalidationContext()
}

extension LayoutSnapshot {
  /// Returns the layout after some moves, which is a preview that needs nothing but the nodes.
  ///
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
        var resolver = OperationResolver(trees, in: state.session)
        try resolver.apply(operations)
        guard let batch = resolver.loggedBatch else { return ProvisionalLayout(snapshot: self) }
        let (snapshot, context) = try following(batch, resolver.trees, in: state.session)
        return ProvisionalLayout(snapshot: snapshot, operations: operations, context: context)
      }
    }
    work = work + made
    return layout
  }
}
