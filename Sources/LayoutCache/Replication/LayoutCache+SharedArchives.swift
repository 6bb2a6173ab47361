import LayoutStore
import SumTree

// Carrying out what an import has had decided on: an archive's items become a dataset's.

extension LayoutCache {
  /// Carries an entry of the shared log out that names an archive: the dataset's sections and
  /// items, with what has been measured of them, are the archive's from then on. Its layouts are
  /// without results, and begin nowhere.
  ///
  /// The archive is loaded in short transactions, while reads continue with what there is, and
  /// published in one.
  ///
  /// - Parameters:
  ///   - entry: The one after the position.
  ///   - position: Where the dataset stands.
  ///   - next: The archive's next chunk; `nil` after the last.
  /// - Throws: ``ArchiveError`` for a damaged archive; ``ReplicationError``; ``LayoutCacheError``
  ///   with `database`; what `next` throws. Nothing is changed then.
  /// - Complexity: O(items), in constant memory.
  package func acceptArchive(
    _ entry: SharedEntry, after position: SharedPosition, in log: [UInt8],
    into dataset: String, next: @escaping () throws -> [UInt8]?
  ) throws -> AppliedChange {
    try loadItems(of: entry, next) { archive, loaded, spaces in
      try change(dataset, isReplaced: true, at: entry.time) { change in
        let replica = try change.replica(at: position, of: log)
        try spaces.keep(change.writer)
        try change.replaceItems(
          with: loaded.trees, in: loaded.filler.space, nextNode: loaded.filler.next)
        try change.writer.deletePins(in: change.state.row.id)
        if archive.isReplacement { try change.writer.deleteMarks(of: change.state.row.id) }
        try change.note(entry, in: replica)
        var applied = AppliedChange(
          Commit(changingNothingAt: change.state.revision, of: change.state.row))
        applied.madeRevision = true
        applied.commit.updates = try LoggedBatch.build.updates()
        applied.commit.sequence = entry.sequence
        return applied
      }
    }
  }

  /// Makes a dataset as the shared log has it behind its first entry, which names an archive: with
  /// the archive's sections and items, at revision 1.
  ///
  /// A dataset of the name in the file is deleted.
  ///
  /// - Parameter begin: Where the dataset is before the entry.
  /// - Throws: As ``acceptArchive(_:after:in:into:next:)``.
  package func adoptArchive(
    _ entry: SharedEntry, as name: String, at begin: SharedPosition, in log: [UInt8],
    next: @escaping () throws -> [UInt8]?
  ) throws {
    try loadItems(of: entry, next) { _, loaded, spaces in
      try store.write { writer in
        if let old = try writer.reader.dataset(named: name) { try writer.delete(old) }
        try spaces.keep(writer)
        let row = DatasetRow(
          id: try writer.freshDatasetID(), name: name, space: loaded.filler.space,
          nextNode: loaded.filler.next, revision: 0, sectionCount: 0, itemCount: 0, roots: [],
          incarnation: HistoryNumber(of: begin.chain, in: log))
        try put(row, loaded.trees, at: entry.time, writer)
        try writer.put(
          ReplicaRow(
            dataset: row.id, log: log, number: begin.dataset, sequence: entry.sequence,
            chain: entry.chain))
      } didCommit: {
        drop(name)
      }
    }
  }

  /// Loads an archive of sections and items into spaces that nobody sees, and has `publish` make
  /// them a dataset's.
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
        // The first error is reported; the space is given back in time in any case.
        try? spaces.giveBack()
        try? reclaim()
        throw error
      }
      reclaimAfterCommit()
      return result
    }
  }
}
