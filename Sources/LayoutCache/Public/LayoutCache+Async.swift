import Threads

// Calls for programs that must not block their threads, such as servers.

extension LayoutCache {
  /// Runs blocking calls of this cache on its executor; the task is suspended in the meantime.
  ///
  ///     let commit = try await cache.perform { try $0.update("news", with: operations) }
  ///
  /// - Parameter body: Makes the calls. It should not do other long work: the executor has few
  ///   threads.
  /// - Throws: `CancellationError` if the task is cancelled before `body` begins; errors of `body`.
  public nonisolated(nonsending) func perform<R: Sendable>(
    _ body: @Sendable (LayoutCache) throws -> R
  ) async throws -> R {
    try await withTaskExecutorPreference(executor) { try await performHere(body) }
  }

  /// Runs `body` on the task's preferred executor.
  @concurrent
  private func performHere<R: Sendable>(
    _ body: @Sendable (LayoutCache) throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    return try body(self)
  }

  /// Runs `body` on a layout that is up to date with its dataset: immediately, on the caller's
  /// executor, if the layout is in memory; otherwise on the cache's executor, after bringing
  /// the layout up to date.
  ///
  ///     let page = try await cache.performRead(phone) { try $0.elements(in: visibleRect) }
  ///
  /// Tasks that request a layout while it is being updated wait without blocking a thread. As
  /// with ``read(_:freshness:_:)``, `body` may be run again.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - freshness: How to answer if the layout's configuration has changed.
  ///   - body: Computes the answer, without side effects.
  /// - Throws: As ``read(_:freshness:_:)``; `CancellationError` if the task is cancelled before
  ///   `body` begins. Layout work that this call started is then stopped and discarded. To complete
  ///   it regardless of clients, a server calls ``performPrepare(_:progress:)`` in a separate task.
  public nonisolated(nonsending) func performRead<R: Sendable>(
    _ layout: LayoutID, freshness: Freshness = .current,
    body: @Sendable (LayoutSnapshot) throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    if let answer = try readIfWarm(layout, freshness: freshness, body) { return answer }
    return try await onVariantInTask(layout, for: .answer(freshness)) { lease in
      try await performReadPrepared(lease.layout, freshness: lease.freshness(freshness), body)
    }
  }

  /// As ``performRead(_:freshness:body:)``, for the name of a layout with a result.
  private nonisolated(nonsending) func performReadPrepared<R: Sendable>(
    _ layout: LayoutID, freshness: Freshness, _ body: @Sendable (LayoutSnapshot) throws -> R
  ) async throws -> R {
    while true {
      try Task.checkCancellation()
      if let answer = try readIfWarm(layout, freshness: freshness, body) { return answer }
      guard try await layoutLocks.acquireOrWait(layout) else { continue }
      defer { layoutLocks.release(layout) }
      return try await perform { cache in
        try cache.read(layout, freshness: freshness, endingWithTask: true, body)
      }
    }
  }

  /// Brings a layout up to date with its dataset on the cache's executor, and stores the result.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - progress: Called on the executor while the layout is laid out from scratch: at most
  ///     about 20 times a second, and once at the end. Reported values never decrease.
  /// - Returns: As ``prepare(_:)``.
  /// - Throws: As ``prepare(_:)``; `CancellationError` if the task is cancelled before the
  ///   layout is published. Nothing is published then, and the new space is released.
  ///   Cancellation takes effect within the work of one leaf.
  @discardableResult
  public nonisolated(nonsending) func performPrepare(
    _ layout: LayoutID, progress: (@Sendable (LayoutProgress) -> Void)? = nil
  ) async throws -> Preparation {
    try await whenPreparing(layout) { layout in
      try await perform { cache in
        try cache.prepareAll(of: layout) {
          ProgressReporter(cache.clock, report: progress, isCancelled: { Task.isCancelled })
        }
      }
    }
  }

  /// Runs `body`, which prepares a layout, when no other task of this cache does so and a variant
  /// may be laid out. Waits without blocking a thread.
  ///
  /// - Parameter body: Receives the layout's name; of a variant, the canonical one.
  /// - Throws: `CancellationError`; as ``prepare(_:)``; errors of `body`.
  package nonisolated(nonsending) func whenPreparing<R: Sendable>(
    _ layout: LayoutID, _ body: nonisolated(nonsending) (LayoutID) async throws -> R
  ) async throws -> R {
    try await onVariantInTask(layout, for: .preparation) { lease in
      while true {
        try Task.checkCancellation()
        guard try await layoutLocks.acquireOrWait(lease.layout) else { continue }
        defer { layoutLocks.release(lease.layout) }
        return try await body(lease.layout)
      }
    }
  }

  /// Imports items from an asynchronous source, such as a connection. As
  /// ``importItems(into:mode:onDuplicate:missing:order:_:)``, but no thread blocks while waiting for
  /// items.
  ///
  ///     try await cache.importItems(into: "news", mode: .replace) { importer in
  ///       for try await item in items { try importer.add(item) }
  ///     }
  ///
  /// - Parameters:
  ///   - name: The dataset's name.
  ///   - mode: How to handle an existing dataset with the name.
  ///   - duplicates: How to handle an item whose key already exists.
  ///   - missing: How a match handles items and sections missing from the import.
  ///   - order: The order of the dataset; `nil` for its present one.
  ///   - body: Adds the items; runs on the cache's executor.
  /// - Throws: As ``importItems(into:mode:onDuplicate:missing:order:_:)``; `CancellationError` if the
  ///   task is cancelled before all items are added. The dataset is then unchanged.
  @discardableResult
  public nonisolated(nonsending) func importItems(
    into name: String, mode: ImportMode, onDuplicate duplicates: DuplicateRows = .fail,
    missing: MissingItems = .remove, order: DatasetOrder? = nil,
    adding body: @Sendable (inout Importer) async throws -> Void
  ) async throws -> ImportSummary {
    try await withTaskExecutorPreference(executor) {
      try await importItemsHere(into: name, mode, duplicates, missing, order, body)
    }
  }

  @concurrent
  private func importItemsHere(
    into name: String, _ mode: ImportMode, _ duplicates: DuplicateRows, _ missing: MissingItems,
    _ order: DatasetOrder?, _ body: @Sendable (inout Importer) async throws -> Void
  ) async throws -> ImportSummary {
    try Task.checkCancellation()
    var importer = try beginImport(into: name, mode, duplicates, missing)
    if let order { try importer.sort(by: order) }
    try await body(&importer)
    try Task.checkCancellation()
    return try finish(&importer, into: name, mode)
  }
}
