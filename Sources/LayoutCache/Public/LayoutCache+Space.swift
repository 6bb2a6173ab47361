import LayoutStore
import Logging

extension LayoutCache {
  /// Gives all space that nobody needs back to the file system, in short transactions:
  /// other writers do not wait for long.
  ///
  /// Earlier checkpoints of layouts are released too: afterwards the newest commit of a dataset
  /// cannot be undone, and the history of layouts with a stable waterfall begins again.
  ///
  /// A file that an older version has made is first written again as a whole, once;
  /// nobody can write to it in the meantime.
  ///
  /// - Parameter willRewriteFile: Called before that.
  /// - Returns: By how many bytes the file is smaller.
  /// - Throws: ``LayoutCacheError`` with `database`; nothing is lost then.
  /// - Complexity: O(file).
  @discardableResult
  public func compact(willRewriteFile: () -> Void = {}) throws -> Int {
    try call { _ in
      let before = try store.read { try $0.fileBytes() }
      try checkpoint()
      for dataset in try datasetNames() {
        try change(dataset) { try $0.releaseTrailing() }
      }
      try reclaim(sparing: .none)
      if try !store.canGiveBackPages() {
        willRewriteFile()
        try store.rewriteFile()
      }
      try store.emptyWriteAheadLog()
      return before - (try store.read { try $0.fileBytes() })
    }
  }

  /// Releases unused space once a call has committed its change, which a failure here does not
  /// undo and must not report as failed: a later call or another process releases the space.
  func reclaimAfterCommit() {
    tryingCleanup { try reclaim() }
  }

  /// Releases a space that was filled in vain; as ``reclaimAfterCommit()``, a failure is logged.
  func discard(_ space: NodeSpace) {
    tryingCleanup { try giveBack(space) }
  }

  private func tryingCleanup(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      logger.warning(
        "Unused space was not released; a later change releases it.",
        metadata: ["error": .string("\(error)")])
    }
  }

  /// Gives a space back that was filled for nothing.
  func giveBack(_ space: NodeSpace) throws {
    try store.write { try $0.giveBack(.nodes(space)) }
    try reclaim()
  }

  /// Deletes what nobody needs any more, in short transactions.
  ///
  /// Whoever makes something superfluous calls it; what a process that was killed has left
  /// comes along.
  ///
  /// - Parameter spare: The free pages that the file keeps.
  func reclaim(sparing spare: FreePages = .some) throws {
    func silence() -> Int64 { clock.now() - Budgets.fillingSilence }
    // Who only reads takes no lock.
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
