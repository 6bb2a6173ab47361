package import LayoutCache
package import LayoutReplication

/// The store of a shared log: PostgreSQL, or memory in simulations. Another engine conforms to
/// the four parts and to this protocol; `SharedLogContract` checks what must hold:
///
/// * **Reads** return only what stays in the log. A server that has lost the leadership without
///   knowing it may have entries that no other server has, so a read counts only after a write
///   that the standbys have acknowledged. A read that cannot be confirmed throws `unavailable`,
///   or `busy`.
/// * **Writes** that return their effect are durable. After ``SharedLogFailure/unknown(_:)`` a
///   write may have been applied, or may still be applied. After any other failure nothing was
///   written. A result other than the effect, such as ``SharedAppending/refused``, is unconfirmed:
///   the caller reads before it relies on it.
/// * **Names** are unique, by their bytes. Numbers of datasets and archives are never reused.
/// * **Entries** of a dataset form one sequence. An append cannot lose a race, only wait: the log
///   gives its requests the next numbers. It has all of its entries or none, and has them once, even
///   if it is made again within the hour.
/// * **Chains** are hashes by the log over the chain before and the requests of an append, so that
///   the positions of diverged histories differ.
/// * **Archives** are invisible until an entry names them or they become checkpoints. An archive
///   that an entry names is stored as long as the entry, and an archive that is being deleted
///   cannot be named.
/// * **Checkpoints** are at positions of the log, one per position. The newest checkpoint of a
///   dataset is never deleted, and the log is never cut beyond it.
///
/// Calls block. Any thread may call. All of them throw ``SharedLogFailure``.
package protocol SharedLog: SharedNames, SharedEntries, SharedArchives, SharedCheckpoints {
  /// Reserves numbers that no layout of the cluster has used, or ever will.
  ///
  /// - Returns: The first of `count` successive numbers.
  func reserveLayoutIDs(_ count: Int) throws -> Int64
}

/// The names of the datasets, and the templates.
package protocol SharedNames: Sendable {
  /// Returns the dataset with a name; `nil` if there is none.
  func dataset(named name: String) throws -> SharedHead?

  /// Returns datasets in the order of their names' UTF-8 bytes.
  ///
  /// - Parameter name: The name after which to start; `nil` to start with the first.
  func datasets(after name: String?, countMax: Int) throws -> [SharedHead]

  /// Creates a dataset, or returns the existing one of that name.
  ///
  /// - Parameters:
  ///   - chain: The dataset's chain before any entry; random.
  ///   - time: The creation time in milliseconds since 1970, by the caller's clock.
  ///   - request: The first request, which names an archive; `nil` for an empty dataset.
  /// - Returns: The dataset. If ``SharedHead/begin`` equals `chain`, this call created it, or an
  ///   earlier call with the same chain whose answer was lost.
  /// - Throws: ``SharedLogFailure/archiveDeleted(_:)`` if the archive is deleted.
  func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith request: SharedRequest?
  ) throws -> SharedHead

  /// Removes a dataset with its log, if it still has a name.
  ///
  /// - Parameter position: The position at which its log must end; `nil` for any.
  /// - Returns: Whether this call removed it.
  func removeDataset(_ id: Int64, named name: String, at position: SharedPosition?) throws -> Bool

  /// Renames a dataset, unless another one has the new name.
  ///
  /// - Parameters:
  ///   - tag: The expected ``SharedHead/nameTag``. After any other rename the call has no effect,
  ///     even if the dataset has its former name again; so it can be repeated.
  ///   - newTag: 16 random bytes, by which the caller recognises its rename.
  ///   - position: As for the removal.
  /// - Returns: Whether this call renamed it.
  func renameDataset(
    _ id: Int64, tagged tag: [UInt8], to newName: String, tagged newTag: [UInt8],
    at position: SharedPosition?
  ) throws -> Bool

  func templates() throws -> SharedTemplates

  /// Replaces the templates, if the number of their last change is the one before.
  ///
  /// - Returns: Whether this call replaced them.
  func putTemplates(_ templates: SharedTemplates) throws -> Bool
}

/// The entries of the datasets.
package protocol SharedEntries: Sendable {
  /// Returns the properties of the log and the heads of datasets. Nodes poll it, for all datasets
  /// that they follow in one call. Deleted datasets are missing from the result.
  func look(at datasets: [Int64]) throws -> SharedLook

  /// Returns the head of a dataset and its entries after a sequence, the oldest first.
  ///
  /// - Parameter bytesMax: The approximate limit on the entries' bytes. At least one entry is
  ///   returned, and entries that were appended together may be returned together.
  /// - Returns: `nil` if the dataset is deleted.
  func tail(of dataset: Int64, after sequence: Int, bytesMax: Int) throws -> SharedTail?

  /// Appends requests to several datasets. The appends are independent: one may fail while others
  /// succeed.
  ///
  /// - Parameter appends: At least one, each to a different dataset. One that is made again is made
  ///   alone.
  /// - Returns: The result of each append, in order: ``SharedLogFailure/unknown(_:)`` if the
  ///   requests may be in the log, now or later; ``SharedLogFailure/archiveDeleted(_:)`` if an
  ///   archive that a request names is deleted, and nothing was appended.
  func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>]

  /// Raises the epoch of a dataset, if it still is `epoch`. The log has lost entries: nodes that
  /// followed it before must load the dataset again, and get another history.
  func raiseEpoch(of dataset: Int64, from epoch: Int, to newEpoch: Int) throws

  /// Deletes the entries of a dataset up to a sequence, but none after its newest checkpoint,
  /// since nodes could not follow the log then. Archives that only these entries name are deleted
  /// too, immediately or by ``SharedArchives/sweepArchives(olderThan:)``.
  func cut(_ dataset: Int64, upTo sequence: Int) throws
}

/// Archives: bytes in chunks.
package protocol SharedArchives: Sendable {
  /// Begins an archive. Other nodes do not see it until an entry names it or it is published as a
  /// checkpoint.
  ///
  /// - Returns: The archive's number.
  func beginArchive(of dataset: Int64?) throws -> Int64

  /// Stores a chunk of an archive, in a separate transaction. If the archive is deleted, nothing
  /// is stored, and the call may throw ``SharedLogFailure/archiveDeleted(_:)``.
  ///
  /// - Parameter number: The chunk's index, from 0.
  func putChunk(_ bytes: [UInt8], number: Int, of archive: Int64) throws

  /// Returns a chunk of an archive; `nil` after the last.
  func chunk(_ number: Int, of archive: Int64) throws -> [UInt8]?

  /// Deletes an archive with its chunks, unless an entry names it or it is the newest checkpoint
  /// of its dataset. No entry can name it afterwards.
  func removeArchive(_ archive: Int64) throws

  /// Deletes some archives that were begun longer ago than `seconds` and neither published nor
  /// named by an entry. Also continues interrupted deletions of removed datasets.
  ///
  /// - Returns: The number of deleted archives.
  func sweepArchives(olderThan seconds: Double) throws -> Int
}

/// The checkpoints of the datasets: archives with the state at a position.
package protocol SharedCheckpoints: Sendable {
  /// Returns the checkpoints of a dataset, the newest first.
  func checkpoints(of dataset: Int64) throws -> [SharedCheckpoint]

  /// Reserves the making of a dataset's next checkpoint, until one is published or `seconds` have
  /// passed.
  ///
  /// - Returns: `false` if another caller has reserved it, or the dataset is deleted.
  func claimCheckpoint(of dataset: Int64, for seconds: Double) throws -> Bool

  /// Makes an archive the checkpoint of a dataset at a position.
  ///
  /// - Parameter cost: The ``SharedHead/cost`` at the position, or at an earlier one.
  /// - Returns: `false` if a checkpoint already exists at that sequence, the archive is deleted,
  ///   or the dataset's log does not contain the position.
  func publishCheckpoint(
    _ archive: Int64, at position: SharedPosition, digest: [UInt8], covering cost: Int
  ) throws -> Bool
}
