package import LayoutCache
import LayoutStore

// Applies archive entries: an archive's items become a dataset's.

extension LayoutCache {
  /// Applies an entry of the shared log that names an archive; see `replaceItems`.
  ///
  /// - Parameters:
  ///   - entry: The entry after `position`.
  ///   - position: The dataset's position.
  ///   - next: The archive's next chunk; `nil` after the last.
  /// - Throws: ``ReplicationError``, also for a damaged archive; ``LayoutCacheError``
  ///   with `database`; the errors of `next`. Nothing has changed then.
  /// - Complexity: O(items), in constant memory.
  package func decideArchive(
    _ entry: SharedEntry, after position: SharedPosition, in log: [UInt8],
    into dataset: String, next: @escaping () throws -> [UInt8]?
  ) throws -> DecidedOutcome {
    let archive = try entry.archive.archive
    let applied = try replaceItems(of: dataset, with: archive, at: entry.request.time, next: next) {
      writer, dataset, apply in
      var replica = try writer.replica(of: dataset, at: position, in: log)
      let applied = try apply()
      replica.advance(to: entry)
      try writer.put(replica)
      return applied
    }
    return DecidedOutcome.success(.applied(applied)).numbered(entry.sequence)
  }

  /// Creates a dataset in its state before the first entry of the shared log, empty, or after it,
  /// if it names an archive: with the archive's sections and items. Either is at revision 1, and
  /// being loaded.
  ///
  /// An existing dataset of that name in the file is deleted.
  ///
  /// - Parameters:
  ///   - begin: The dataset's position before the first entry.
  ///   - time: The time of its creation, in milliseconds since 1970.
  ///   - first: The first entry, if it names an archive, and the archive's next chunk.
  /// - Throws: The errors of ``decideArchive(_:after:in:into:next:)``.
  package func adopt(
    _ name: String, at begin: SharedPosition, in log: [UInt8], epoch: Int = 1, time: Int64,
    first: (entry: SharedEntry, next: () throws -> [UInt8]?)? = nil
  ) throws {
    precondition(begin.sequence == 0, "a dataset with entries is followed")
    let archive = try first.map { (try $0.entry.archive.archive, $0.next) }
    let position =
      first.map {
        SharedPosition(dataset: begin.dataset, sequence: $0.entry.sequence, chain: $0.entry.chain)
      } ?? begin
    try create(
      name, incarnation: HistoryNumber(of: begin.chain, in: log, epoch: epoch), at: time,
      from: archive
    ) { writer, row in
      try writer.beginLoading(ReplicaRow(of: row, at: position, in: log))
    }
  }
}

extension SharedEntry {
  /// The archive that the entry names.
  ///
  /// - Throws: ``ReplicationError`` if it names none.
  package var archive: NamedArchive {
    get throws {
      if kind == .archive { return try decoded { try NamedArchive(request.payload) } }
      throw ReplicationError.doesNotApply("entry \(sequence) names no archive")
    }
  }
}
