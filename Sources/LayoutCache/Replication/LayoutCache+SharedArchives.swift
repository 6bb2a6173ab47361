import LayoutStore
import SumTree

// Applies archive entries: an archive's items become a dataset's.

extension LayoutCache {
  /// Applies an entry of the shared log that names an archive: the dataset's sections and items,
  /// with their measured lengths, are replaced by the archive's. Its layouts lose their results
  /// and pins.
  ///
  /// The archive is loaded in short transactions, while reads continue with the present data, and
  /// published in one transaction.
  ///
  /// - Parameters:
  ///   - entry: The entry after `position`.
  ///   - position: The dataset's position.
  ///   - next: The archive's next chunk; `nil` after the last.
  /// - Throws: ``ArchiveError`` for a damaged archive; ``ReplicationError``; ``LayoutCacheError``
  ///   with `database`; the errors of `next`. Nothing has changed then.
  /// - Complexity: O(items), in constant memory.
  package func acceptArchive(
    _ entry: SharedEntry, after position: SharedPosition, in log: [UInt8],
    into dataset: String, next: @escaping () throws -> [UInt8]?
  ) throws -> AppliedChange {
    try loadItems(of: entry, next) { archive, loaded, spaces in
      try change(dataset, isReplaced: true, at: entry.time) { change in
        var replica = try change.replica(at: position, of: log)
        try spaces.keep(change.writer)
        try change.replaceItems(
          with: loaded.trees, in: loaded.filler.space, nextNode: loaded.filler.next)
        try change.writer.deletePins(in: change.state.row.id)
        if archive.isReplacement { try change.writer.deleteMarks(of: change.state.row.id) }
        try change.note(entry, in: &replica)
        try change.writer.put(replica)
        var applied = AppliedChange(
          Commit(changingNothingAt: change.state.revision, of: change.state.row))
        applied.madeRevision = true
        applied.commit.updates = try LoggedBatch.build().updates()
        applied.commit.sequence = entry.sequence
        return applied
      }
    }
  }

  /// Creates a dataset in its state after the first entry of the shared log, which names an
  /// archive: with the archive's sections and items, at revision 1.
  ///
  /// An existing dataset of that name in the file is deleted.
  ///
  /// - Parameter begin: The dataset's position before the entry.
  /// - Throws: The errors of ``acceptArchive(_:after:in:into:next:)``.
  package func adoptArchive(
    _ entry: SharedEntry, as name: String, at begin: SharedPosition, in log: [UInt8],
    epoch: Int = 1, next: @escaping () throws -> [UInt8]?
  ) throws {
    try loadItems(of: entry, next) { _, loaded, spaces in
      try store.write { writer in
        if let old = try writer.reader.dataset(named: name) { try writer.delete(old) }
        try spaces.keep(writer)
        let row = DatasetRow(
          id: try writer.freshDatasetID(), name: name, space: loaded.filler.space,
          nextNode: loaded.filler.next, revision: 0, sectionCount: 0, itemCount: 0, roots: [],
          incarnation: HistoryNumber(of: begin.chain, in: log, epoch: epoch))
        try put(row, loaded.trees, at: entry.time, writer)
        let position = SharedPosition(
          dataset: begin.dataset, sequence: entry.sequence, chain: entry.chain)
        try writer.beginLoading(ReplicaRow(of: row, at: position, in: log))
      } didCommit: {
        drop(name)
      }
    }
  }

  /// Loads an archive of sections and items into unpublished spaces, which `publish` then assigns
  /// to a dataset.
  private func loadItems<R>(
    of entry: SharedEntry, _ next: @escaping () throws -> [UInt8]?,
    _ publish: (SharedArchive, ImportedArchive, ArchiveSpaces) throws -> R
  ) throws -> R {
    try call { _ in
      let archive: SharedArchive
      do {
        archive = try SharedArchive(entry.payload)
      } catch let error as ByteError {
        throw ReplicationError.doesNotApply("entry \(entry.sequence): \(error)")
      }
      let spaces = ArchiveSpaces(store, now: clock.now)
      let result: R
      do {
        let loaded = try ImportedArchive(
          into: spaces, of: store, options.treeShapes, sortBytesMax: options.importBytes / 2,
          digest: archive.digest, next: next)
        result = try publish(archive, loaded, spaces)
      } catch {
        // The first error is reported; the space is reclaimed eventually in any case.
        try? spaces.giveBack()
        try? reclaim()
        throw error
      }
      reclaimAfterCommit()
      return result
    }
  }
}
