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
  package func acceptArchive(
    _ entry: SharedEntry, after position: SharedPosition, in log: [UInt8],
    into dataset: String, next: @escaping () throws -> [UInt8]?
  ) throws -> AppliedChange {
    let (archive, request) = try entry.decoded {
      (try SharedArchive(entry.payload), try entry.request.map { try IdempotentRequest($0) })
    }
    return try replaceItems(
      of: dataset, with: archive, resultingIn: entry.revision, at: entry.time, of: request,
      next: next
    ) { writer, dataset, apply in
      var replica = try writer.replica(of: dataset, at: position, in: log)
      var applied = try apply()
      replica.advance(to: entry)
      try writer.put(replica)
      applied.commit.sequence = entry.sequence
      return applied
    }
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
  /// - Throws: The errors of ``acceptArchive(_:after:in:into:next:)``.
  package func adopt(
    _ name: String, at begin: SharedPosition, in log: [UInt8], epoch: Int = 1, time: Int64,
    first: (entry: SharedEntry, next: () throws -> [UInt8]?)? = nil
  ) throws {
    precondition(begin.sequence == 0, "a dataset with entries is followed")
    let archive = try first.map { first in
      (try first.entry.decoded { try SharedArchive(first.entry.payload) }, first.next)
    }
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
