package import LayoutGeometry
import LayoutStore

extension LayoutCache {
  /// As ``update(_:with:visible:preparing:expecting:)``, once: a batch that has been carried out
  /// by the same request within the last 24 hours is not carried out again.
  ///
  /// What is needed to tell is stored in the transaction of the batch, also where that makes
  /// no revision. It is looked up before anything else, the expected revision included.
  ///
  /// - Parameters:
  ///   - request: Names the batch. Neither the operations nor what else is asked for are
  ///     compared: its hash has to cover them.
  ///   - answer: Makes what is answered of the commit. Of up to 64 KiB it is stored, so
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
    once request: IdempotentRequest, answer: (Commit) throws -> [UInt8]
  ) throws -> RequestOutcome {
    try call { _ in
      if !operations.isEmpty { try bringNamed(layouts, of: dataset) }
      return try commit(
        StatedBatch(
          work: .operations(operations), visible: visible, layouts: layouts, expected: expected),
        to: dataset, once: request, answer: answer)
    }
  }

  /// As ``undo(_:visible:preparing:expecting:)``, once; see the same of `update`.
  package func undo(
    _ dataset: String, visible: Rect? = nil, preparing layouts: UpdatedLayouts = .inUse,
    expecting expected: Int? = nil, once request: IdempotentRequest,
    answer: (Commit) throws -> [UInt8]
  ) throws -> RequestOutcome {
    try call { _ in
      try bringNamed(layouts, of: dataset)
      try recallFormer(dataset, preparing: layouts)
      return try commit(
        StatedBatch(work: .undo, visible: visible, layouts: layouts, expected: expected),
        to: dataset, once: request, answer: answer)
    }
  }

  private func commit(
    _ batch: StatedBatch, to dataset: String, once request: IdempotentRequest,
    answer: (Commit) throws -> [UInt8]
  ) throws -> RequestOutcome {
    try resolvingFirst(batch, in: dataset) {
      try commitResolved($0, to: dataset, once: request, answer: answer)
    }
  }

  private func commitResolved(
    _ batch: StatedBatch, to dataset: String, once request: IdempotentRequest,
    answer: (Commit) throws -> [UInt8]
  ) throws -> RequestOutcome {
    try decided { log in
      let pending = pending(of: batch, in: dataset)
      switch try log.commit(SharedChange(batch, request), to: dataset, batch.view) {
      case .isReplayed(let revision, let known):
        return .replayed(revision: revision, answer: known)
      case .isCommitted(let commit):
        let finished = try finish(commit, of: batch, pending)
        return .committed(finished, answer: try answer(finished))
      }
    } here: {
      try commitHere(batch, to: dataset, once: request, answer: answer)
    }
  }

  private func commitHere(
    _ batch: StatedBatch, to dataset: String, once request: IdempotentRequest,
    answer: (Commit) throws -> [UInt8]
  ) throws -> RequestOutcome {
    let asked = openDatasets.known(dataset).asked
    let (outcome, pending) = try change(dataset) {
      change -> (RequestOutcome, [PendingLayout]) in
      if let known = try change.writer.reader.replay(
        of: request, to: change.state.row.id, at: change.now)
      {
        return (.replayed(revision: known.revision, answer: known.answer), [])
      }
      let (commit, pending) = try carryOut(batch, in: &change, asked: asked)
      let text = pending.isEmpty ? try answer(commit) : []
      try change.remember(
        request, revision: commit.revision, answer: pending.isEmpty ? text : nil)
      return (.committed(commit, answer: text), pending)
    }
    guard case .committed(let commit, _) = outcome, !pending.isEmpty else { return outcome }
    let finished = try finish(commit, pending)
    return .committed(finished, answer: try answer(finished))
  }
}
