import LayoutStore
import Logging

extension LayoutCache {
  /// Returns all unused space to the file system, in short transactions: other writers do not
  /// wait for long.
  ///
  /// Releases earlier checkpoints of layouts too: afterwards the newest commit of a dataset
  /// cannot be undone, and the history of layouts with a stable waterfall starts over.
  ///
  /// - Returns: The number of bytes by which the file shrank.
  /// - Throws: ``LayoutCacheError`` with `database`; nothing is lost then.
  /// - Complexity: O(file).
  @discardableResult
  public func compact() throws -> Int {
    try call { _ in
      let before = try store.read { try $0.fileBytes() }
      try checkpoint()
      for dataset in try datasetNames() {
        try change(dataset) { try $0.releaseTrailing() }
      }
      try reclaim(sparing: .none)
      try store.emptyWriteAheadLog()
      return before - (try store.read { try $0.fileBytes() })
    }
  }

  /// Releases unused space after a call has committed its change. A failure is logged only,
  /// because the change is committed: a later call or another process releases the space.
  func reclaimAfterCommit() {
    tryingCleanup { try reclaim() }
  }

  /// Releases an abandoned space; as with ``reclaimAfterCommit()``, a failure is logged.
  func discard(_ space: NodeSpace) {
    tryingCleanup { try giveBack(space) }
  }

  private func tryingCleanup(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      logger.warning(
        "releasing unused space failed; a later change retries",
        metadata: ["error": .string("\(error)")])
    }
  }

  /// Releases an abandoned space.
  func giveBack(_ space: NodeSpace) throws {
    try store.write { try $0.giveBack(.nodes(space)) }
    try reclaim()
  }

  /// Deletes garbage in short transactions.
  ///
  /// Called after every change that creates garbage. Also deletes garbage left by a killed
  /// process.
  ///
  /// - Parameter spare: The number of free pages to retain in the file.
  func reclaim(sparing spare: FreePages = .some) throws {
    // The mark of a copy goes with its first change, which this is not.
    if store.isMarkedCopy { return }
    func silence() -> Int64 { clock.now() - Budgets.fillingSilence }
    // This check reads only, so it takes no write lock.
    var mayHaveMore = try store.read {
      try $0.canReclaim(sparing: spare, silentSince: silence())
    }
    while mayHaveMore {
      mayHaveMore = try store.write { writer in
        try writer.reclaim(
          rows: Budgets.reclaimedRows, pages: Budgets.reclaimedPages, sparing: spare,
          silentSince: silence())
      }
      if mayHaveMore { store.letOthersWrite() }
    }
  }
}
