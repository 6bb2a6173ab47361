package import LayoutGeometry

extension LayoutCache {
  /// As ``update(_:with:visible:preparing:expecting:)``, once: a batch that has been carried out
  /// by the same request within the last 24 hours is not carried out again.
  ///
  /// What is needed to tell is stored in the transaction of the batch, also where that makes
  /// no revision. It is looked up before anything else, the expected revision included.
  ///
  /// - Parameters:
  ///   - request: Names the batch; `nil` for one that is applied each time. Neither the operations
  ///     nor what else is asked for are compared: its hash has to cover them.
  ///   - answer: Makes the answer of the commit, if there is to be one. Of up to 64 KiB it is stored, so
  ///     that a replay answers the same to the byte; it is not where the batch has a
  ///     layout laid out from scratch, which is done when it is committed.
  /// - Returns: The commit, or that it was one before.
  /// - Throws: ``LayoutCacheError`` as the other, and `idempotencyKeyReused`; what `answer`
  ///   throws. Nothing is changed then, but where layouts were laid out first.
  /// - Complexity: As the other, a row that is looked up, one that is stored, and some
  ///   old ones that are deleted.
  package func update(
    _ dataset: String, with operations: [BatchOperation], visible: Rect? = nil,
    preparing layouts: UpdatedLayouts = .inUse, expecting expected: Int? = nil,
    once request: IdempotentRequest?, answer: ((Commit) throws -> [UInt8])?
  ) throws -> ChangeOutcome {
    try call { _ in
      if !operations.isEmpty { try bringNamed(layouts, of: dataset) }
      let viewport = CommitViewport(visible: visible, layouts: layouts)
      return try commit(
        ChangeRequest(.batch(operations), viewport, expected: expected, request: request),
        to: dataset, answer: answer)
    }
  }

  /// As ``undo(_:visible:preparing:expecting:)``, once; see the same of `update`.
  package func undo(
    _ dataset: String, visible: Rect? = nil, preparing layouts: UpdatedLayouts = .inUse,
    expecting expected: Int? = nil, once request: IdempotentRequest?,
    answer: ((Commit) throws -> [UInt8])?
  ) throws -> ChangeOutcome {
    try call { _ in
      try bringNamed(layouts, of: dataset)
      try recallFormer(dataset, preparing: layouts)
      let viewport = CommitViewport(visible: visible, layouts: layouts)
      return try commit(
        ChangeRequest(.undo, viewport, expected: expected, request: request), to: dataset,
        answer: answer)
    }
  }
}
