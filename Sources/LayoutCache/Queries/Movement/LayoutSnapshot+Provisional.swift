import CollectionLayout
import LayoutGeometry
import SumTree

/// A layout as a batch would leave it that nobody has committed.
struct ProvisionalLayout: Sendable {
  var snapshot: LayoutSnapshot
  /// The batch that leads to it from the committed layout; empty where that is what it is.
  var operations: [BatchOperation] = []
  /// The batch's changes of the committed layout.
  var context = InvalidationContext()
}

extension LayoutSnapshot {
  /// The layout as a batch would leave it, with the nodes that this makes only in memory.
  ///
  /// It is carried out as a commit carries it out, with the instalment of a rebalance that
  /// goes with it.
  ///
  /// - Parameter operations: Such as name no layout.
  /// - Throws: ``LayoutCacheError``: `refused`, `cannotLayOut` where the content would become
  ///   too long.
  /// - Complexity: O(log items) nodes for each operation, and what following it takes.
  func provisional(
    _ operations: [BatchOperation], work: inout QueryWork
  ) throws -> ProvisionalLayout {
    let (layout, made) = try query { state -> ProvisionalLayout in
      // What is made here is never stored, and what it replaces stays.
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
    var resolver = OperationResolver(trees, in: session) { _ in nil }
    try resolver.apply(operations)
    guard resolver.makesRevision else { return ProvisionalLayout(snapshot: self) }
    var editor = LayoutEditor(
      results, former: nil, plan: plan, view, shapes, elementCountMax: elementCountMax,
      in: session)
    do {
      try editor.apply(LoggedBatch(operations: resolver.resolved))
      let context = try editor.finish(resolver.trees)
      let moved = LayoutSnapshot(of: self, trees: resolver.trees, results: editor.results)
      return ProvisionalLayout(snapshot: moved, operations: operations, context: context)
    } catch {
      guard let refusal = LayoutRefusal(error) else { throw error }
      throw LayoutCacheError(.cannotLayOut(layout, refusal))
    }
  }
}
