public import CollectionLayout
public import LayoutGeometry
import Synchronization

// Batches of programs that must not block their threads.

extension LayoutCache {
  /// Applies a batch of operations, like
  /// ``update(_:with:visible:anchor:direction:preparing:expecting:)``; the task is suspended in the
  /// meantime.
  ///
  ///     let commit = try await cache.performUpdate("news", with: operations)
  ///
  /// Batches of concurrent tasks are committed together: each has its own revision, error and
  /// result, but one transaction stores up to 64 of them. With ``LayoutCacheOptions/durability``
  /// `power` they share one sync.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - operations: The batch.
  ///   - visible: The visible rectangle of a client.
  ///   - anchor: What keeps its place in that rectangle.
  ///   - direction: The layout direction of the rectangle; `nil` for the configuration's.
  ///   - layouts: The layouts that the commit updates.
  ///   - expected: The revision that the batch is based on; `nil` accepts any revision.
  /// - Returns: As ``update(_:with:visible:anchor:direction:preparing:expecting:)``.
  /// - Throws: As ``update(_:with:visible:anchor:direction:preparing:expecting:)``;
  ///   `CancellationError` if the task is cancelled before its transaction begins. Nothing is
  ///   changed then.
  @discardableResult
  public nonisolated(nonsending) func performUpdate(
    _ dataset: String, with operations: [BatchOperation], visible: Rect? = nil,
    anchor: OffsetAnchor = .cell, direction: LayoutConfiguration.LayoutDirection? = nil,
    preparing layouts: UpdatedLayouts = .inUse,
    expecting expected: Int? = nil
  ) async throws -> Commit {
    try await performUpdate(
      dataset, with: operations, visible: visible, anchor: anchor, direction: direction,
      preparing: layouts, expecting: expected,
      once: nil, answer: nil
    ).applied.commit
  }

  /// As the public method, but only once for a request; see
  /// ``update(_:with:visible:anchor:direction:preparing:expecting:once:answer:)``.
  package nonisolated(nonsending) func performUpdate(
    _ dataset: String, with operations: [BatchOperation], visible: Rect? = nil,
    anchor: OffsetAnchor = .cell, direction: LayoutConfiguration.LayoutDirection? = nil,
    preparing layouts: UpdatedLayouts = .inUse,
    expecting expected: Int? = nil,
    once request: IdempotentRequest?, answer: (@Sendable (Commit) -> [UInt8])?
  ) async throws -> ChangeOutcome {
    // A coordinator forms groups itself, and batches that take a pass commit after it.
    if operations.takePass || joined.withLock({ $0.coordinator != nil }) {
      return try await perform {
        try $0.update(
          dataset, with: operations, visible: visible, anchor: anchor, direction: direction,
          preparing: layouts, expecting: expected, once: request, answer: answer)
      }
    }
    try Task.checkCancellation()
    let change = ChangeRequest(
      .batch(operations),
      CommitViewport(visible: visible, anchor: anchor, direction: direction, layouts: layouts),
      expected: expected, request: request)
    let isPrepared = try isPrepared(change, to: dataset)
    let queued = QueuedChange(
      dataset: dataset,
      request: isPrepared
        ? change : try await perform { cache in try cache.prepared(change, to: dataset) },
      answer: answer)
    let outcome = try await followingTemplatesInTask(dataset) {
      try await commits.outcome(of: queued, begin: commitWaiting)
    }
    if case .applied(let applied) = outcome, !applied.pending.isEmpty {
      return try await withTaskExecutorPreference(executor) {
        try await finishHere(outcome, of: queued)
      }
    }
    return try finish(outcome, of: queued.request, answer: answer)
  }

  /// Whether a batch names no variants and only layouts in memory, so that ``prepared(_:to:)``
  /// would neither block nor change it.
  private func isPrepared(_ request: ChangeRequest, to dataset: String) throws -> Bool {
    guard namesNoVariant(request) else { return false }
    if request.operations.isEmpty { return true }
    return try request.viewport.layouts.names.allSatisfy { name in
      try readIfWarm(LayoutID(name, of: dataset)) { _ in true } == true
    }
  }

  /// Lays out layouts after the commit, on the task's preferred executor. Cancellation has no
  /// effect: the batch is committed.
  @concurrent
  private func finishHere(
    _ outcome: ChangeOutcome, of queued: QueuedChange
  ) async throws -> ChangeOutcome {
    try finish(outcome, of: queued.request, answer: queued.answer)
  }
}
