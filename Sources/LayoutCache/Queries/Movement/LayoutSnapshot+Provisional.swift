import CollectionLayout
import LayoutGeometry
import LayoutStore
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
  /// - Parameter operations: Operations that name no other layout.
  /// - Throws: ``LayoutCacheError``: `refused`, `cannotLayOut` if the content would be too long.
  /// - Complexity: O(log items) nodes for each operation, and the work of following it.
  func provisional(
    _ operations: [BatchOperation], work: inout QueryWork
  ) throws -> ProvisionalLayout {
    let (provisional, made) = try query { state -> ProvisionalLayout in
      // New nodes are never stored, and replaced nodes stay.
      var account = TreeEdits()
      return try state.session.adding(to: &account) {
        var resolver = OperationResolver(
          trees, in: state.session,
          layout: { [layoutID, layout, plan] name in
            ExactKey(name) == ExactKey(layout.layout)
              ? NamedLayout(id: layoutID, configuration: { plan.configuration }, plan: { plan })
              : nil
          })
        try resolver.apply(operations)
        guard let batch = resolver.loggedBatch else { return ProvisionalLayout(snapshot: self) }
        let (snapshot, context) = try following(
          batch, resolver.trees, as: identity(after: batch), in: state.session)
        return ProvisionalLayout(snapshot: snapshot, operations: operations, context: context)
      }
    }
    work = work + made
    return provisional
  }

  /// Returns the layout after a batch that was applied to its trees, with new nodes only in memory.
  ///
  /// - Parameters:
  ///   - identity: That of the result.
  ///   - present: The stored state that the result is derived from; `nil` for the same one.
  ///   - itemsMax: The maximum number of items to place.
  /// - Throws: ``LayoutCacheError`` with `cannotLayOut`; ``ExceedsCommit``; read errors.
  /// - Precondition: The batch does not lay this layout out from scratch.
  func following(
    _ batch: LoggedBatch, _ trees: DatasetTrees, as identity: Identity,
    of present: LayoutSnapshot? = nil, placing itemsMax: Int = .max, in session: TreeSession
  ) throws -> (snapshot: LayoutSnapshot, context: InvalidationContext) {
    var editor = LayoutEditor(
      results, undo: undo ?? UndoStack(begin: 0), plan: plan, identity.view, shapes,
      elementCountMax: identity.elementCountMax, in: session)
    editor.committedMax = itemsMax
    return try layingOut(layout) {
      try editor.apply(batch, at: revision + 1)
      let context = try editor.finish(trees)
      return (
        LayoutSnapshot(
          of: present ?? self, trees: trees, plan: editor.plan, results: editor.results,
          carouselOffsets: carouselOffsets, as: identity), context
      )
    }
  }

  /// Returns the identity of the layout after a batch: a digest of the state and of the changes, so
  /// that equal previews are equal in all processes.
  ///
  /// - Throws: ``LayoutCacheError`` with `batchTooLong`.
  func identity(after batch: LoggedBatch?, draft: String? = nil) throws -> Identity {
    let history = HistoryNumber(
      digesting: "\(incarnation) \(revision) \(draft ?? "")\0",
      try batch?.encodedWithinLimits() ?? [])
    return Identity(
      history: history, result: history, view: view,
      elementCountMax: elementCountMax + (batch?.insertedCount ?? 0))
  }
}

extension HistoryNumber {
  /// Creates the number of a result that is not stored, which is equal in all processes.
  init(digesting text: String, _ bytes: [UInt8] = []) {
    let hash = KeyedHash(key: Array(repeating: 0, count: 16))
    self.init(rawValue: Int64(bitPattern: (Array(text.utf8) + bytes).withUnsafeBytes { hash($0) }))
  }
}
