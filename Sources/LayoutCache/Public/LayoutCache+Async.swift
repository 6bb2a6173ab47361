import CollectionLayout
import LayoutStore
import SumTree
import Threads

// The calls for programs that must not block their threads, such as servers.

extension LayoutCache {
  /// Runs blocking calls of this cache on its executor; the task is suspended in the meantime.
  ///
  ///     let commit = try await cache.perform { try $0.update("news", with: operations) }
  ///
  /// - Parameter body: Makes the calls, and may do nothing that takes long besides: there are
  ///   few threads.
  /// - Throws: `CancellationError` where the task is cancelled before `body` begins; what
  ///   `body` throws.
  public nonisolated(nonsending) func perform<R: Sendable>(
    _ body: @Sendable (LayoutCache) throws -> R
  ) async throws -> R {
    try await withTaskExecutorPreference(executor) { try await performHere(body) }
  }

  /// Runs `body` where the task's preference says.
  @concurrent
  private func performHere<R: Sendable>(
    _ body: @Sendable (LayoutCache) throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    return try body(self)
  }

  /// Runs `body` on a layout that is up to date with its dataset: at once and where the
  /// caller is, if the layout is in memory, else on the cache's executor, where it is brought
  /// up to date first.
  ///
  ///     let page = try await cache.performRead(phone) { try $0.elements(in: visibleRect) }
  ///
  /// Tasks that ask for one layout while it is brought up to date wait without a thread. As
  /// with ``read(_:freshness:_:)``, `body` may be run again.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - freshness: What to do where the layout's configuration has changed.
  ///   - body: Computes the answer, and does nothing else.
  /// - Throws: As ``read(_:freshness:_:)``; `CancellationError` where the task is cancelled
  ///   before `body` begins. A laying out that it was the first to ask for ends then, and
  ///   nothing of it is kept: a server that wants it done whoever leaves calls
  ///   ``performPrepare(_:progress:)`` in its own task.
  public nonisolated(nonsending) func performRead<R: Sendable>(
    _ layout: LayoutID, freshness: Freshness = .current,
    body: @Sendable (LayoutSnapshot) throws -> R
  ) async throws -> R {
    while true {
      try Task.checkCancellation()
      if let answer = try readIfWarm(layout, freshness: freshness, body) { return answer }
      guard await layoutLocks.acquireOrWait(layout) else { continue }
      defer { layoutLocks.release(layout) }
      return try await perform { cache in
        try cache.read(layout, freshness: freshness, endingWithTask: true, body)
      }
    }
  }

  /// Brings a layout up to date with its dataset on the cache's executor, and saves what that
  /// takes.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - progress: Called on the executor while the layout is laid out from scratch, some 20
  ///     times a second at most, and once in the end. What it says never goes back.
  /// - Returns: As ``prepare(_:)``.
  /// - Throws: As ``prepare(_:)``; `CancellationError` where the task is cancelled before the
  ///   layout is published. Nothing is published then, and the space that was filled is given
  ///   back; that takes a leaf's work.
  @discardableResult
  public nonisolated(nonsending) func performPrepare(
    _ layout: LayoutID, progress: (@Sendable (LayoutProgress) -> Void)? = nil
  ) async throws -> Preparation {
    while true {
      try Task.checkCancellation()
      guard await layoutLocks.acquireOrWait(layout) else { continue }
      defer { layoutLocks.release(layout) }
      return try await perform { cache in
        try cache.prepare(
          layout, discardingSpace: nil,
          LayoutWatch(cache.clock, report: progress, isCancelled: { Task.isCancelled }))
      }
    }
  }

  /// Imports items that come in bit by bit, as from a connection: as
  /// ``importItems(into:mode:onDuplicate:missing:_:)``, but no thread waits for them.
  ///
  ///     try await cache.importItems(into: "news", mode: .replace) { importer in
  ///       for try await item in items { try importer.add(item) }
  ///     }
  ///
  /// - Parameters:
  ///   - name: The dataset's name.
  ///   - mode: What happens to a dataset of the name.
  ///   - duplicates: What happens to an item whose key is there already.
  ///   - missing: What a match does with items and sections that are not given.
  ///   - body: Adds the items; runs on the cache's executor.
  /// - Throws: As ``importItems(into:mode:onDuplicate:missing:_:)``; `CancellationError` where the
  ///   task is cancelled before the items are all there. The dataset is then as before.
  @discardableResult
  public nonisolated(nonsending) func importItems(
    into name: String, mode: ImportMode, onDuplicate duplicates: DuplicateRows = .fail,
    missing: MissingItems = .remove,
    adding body: @Sendable (inout Importer) async throws -> Void
  ) async throws -> ImportSummary {
    try await withTaskExecutorPreference(executor) {
      try await importItemsHere(into: name, mode, duplicates, missing, body)
    }
  }

  @concurrent
  private func importItemsHere(
    into name: String, _ mode: ImportMode, _ duplicates: DuplicateRows, _ missing: MissingItems,
    _ body: @Sendable (inout Importer) async throws -> Void
  ) async throws -> ImportSummary {
    try Task.checkCancellation()
    var importer = try beginImport(into: name, mode, duplicates, missing)
    try await body(&importer)
    try Task.checkCancellation()
    return try finish(&importer, into: name, mode)
  }
}
