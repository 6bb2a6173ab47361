package import CollectionLayout
package import LayoutGeometry

extension LayoutCache {
  /// Applies a batch like ``update(_:with:visible:anchor:direction:preparing:expecting:)``, but
  /// only once: a batch that was applied for the same request within the last 24 hours is not
  /// applied again.
  ///
  /// The request is recorded in the batch's transaction, even if the batch creates no revision.
  /// It is looked up before anything else is checked, including the expected revision.
  ///
  /// - Parameters:
  ///   - request: The request; `nil` to apply the batch each time. Neither the operations nor the
  ///     other arguments are compared: the request's hash must cover them.
  ///   - answer: Creates the answer for the commit, if one is needed. Answers of up to 64 KiB are
  ///     stored, so that a replay is identical to the byte; not if the batch requires a layout to
  ///     be laid out from scratch, which happens after the commit.
  /// - Returns: The commit, or the earlier outcome of the same request.
  /// - Throws: ``LayoutCacheError`` like the other method, and `idempotencyKeyReused`. Nothing has
  ///   changed then, except that layouts may have been laid out first.
  /// - Complexity: Like the other method, plus one row lookup, one stored row and the deletion of
  ///   some expired rows.
  package func update(
    _ dataset: String, with operations: [BatchOperation], visible: Rect? = nil,
    anchor: OffsetAnchor = .cell, direction: LayoutConfiguration.LayoutDirection? = nil,
    preparing layouts: UpdatedLayouts = .inUse, expecting expected: Int? = nil,
    once request: IdempotentRequest?, answer: ((Commit) -> [UInt8])?
  ) throws -> ChangeOutcome {
    try call { _ in
      let change = try prepared(
        ChangeRequest(
          .batch(operations),
          CommitViewport(visible: visible, anchor: anchor, direction: direction, layouts: layouts),
          expected: expected, request: request),
        to: dataset)
      return try commit(change, to: dataset, answer: answer)
    }
  }

  /// Returns a batch with the names of the variants that it means, and loads the layouts that it
  /// names.
  func prepared(_ request: ChangeRequest, to dataset: String) throws -> ChangeRequest {
    var prepared = request
    prepared.work = .batch(try request.operations.map { try canonical($0, in: dataset) })
    prepared.viewport.layouts = try canonical(request.viewport.layouts, of: dataset)
    if !request.operations.isEmpty { try bringNamed(prepared.viewport.layouts, of: dataset) }
    return prepared
  }

  /// Reverts commits like ``undo(_:to:visible:anchor:direction:preparing:expecting:)``, but only
  /// once per request; see `update`.
  package func undo(
    _ dataset: String, to target: Int? = nil, visible: Rect? = nil,
    anchor: OffsetAnchor = .cell, direction: LayoutConfiguration.LayoutDirection? = nil,
    preparing layouts: UpdatedLayouts = .inUse, expecting expected: Int? = nil,
    once request: IdempotentRequest?, answer: ((Commit) -> [UInt8])?
  ) throws -> ChangeOutcome {
    try call { _ in
      let layouts = try canonical(layouts, of: dataset)
      try bringNamed(layouts, of: dataset)
      let viewport = CommitViewport(
        visible: visible, anchor: anchor, direction: direction, layouts: layouts)
      return try commit(
        ChangeRequest(.undo(to: target), viewport, expected: expected, request: request),
        to: dataset, answer: answer)
    }
  }
}
