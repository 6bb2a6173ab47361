package import LayoutCache

/// The store of a shared log: PostgreSQL, or memory in simulations.
///
/// Calls block. Unless documented otherwise, each is one round trip on a connection that the
/// store chooses. Any thread may call.
///
/// - Throws: All calls: ``SharedLogFailure``.
package protocol SharedLog: SharedLogReader {
  /// Runs `body` and then a barrier on the same connection, and returns the result only if the
  /// barrier succeeds.
  ///
  /// The only reliable read: a deposed primary that is unaware of it continues to answer, and may
  /// have rows that no other server has.
  ///
  /// - Parameter node: 16 bytes that name the node.
  func read<R>(node: [UInt8], _ body: (any SharedLogReader) throws -> R) throws -> R

  /// Confirms that everything read before on the same connection is durable. It writes this
  /// node's row, and a standby must acknowledge the write.
  ///
  /// - Parameter node: 16 bytes that name the node.
  func barrier(node: [UInt8]) throws

  // MARK: Datasets

  /// Creates a dataset, or returns the existing one of that name.
  ///
  /// - Parameters:
  ///   - chain: The dataset's chain before any entry; random.
  ///   - time: The creation time in milliseconds since 1970, by the caller's clock.
  /// - Returns: The dataset. If ``SharedHead/begin`` equals `chain`, this call created it, or an
  ///   earlier call with the same chain whose answer was lost.
  func createDataset(named name: String, chain: [UInt8], time: Int64) throws -> SharedHead

  /// Creates a dataset together with its first entry, in one step; otherwise like
  /// ``createDataset(named:chain:time:)``.
  ///
  /// - Parameter entry: One that names an archive.
  /// - Throws: As ``append(_:after:epoch:)``.
  func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith entry: SharedEntry
  ) throws -> SharedHead

  /// Removes a dataset with its log, if it still has a name.
  func removeDataset(_ id: Int64, named name: String) throws -> SharedRemoval

  /// Renames a dataset, if it still has a name or has the new one already.
  func renameDataset(
    _ id: Int64, from name: String, to newName: String
  ) throws -> SharedRenaming

  /// Raises the epoch of a dataset, if it still is `epoch`. The log has lost entries: who followed
  /// it before must load the dataset again, and gets another history.
  func raiseEpoch(of dataset: Int64, from epoch: Int, to newEpoch: Int) throws

  // MARK: Entries

  /// Appends entries after a position, all or none.
  ///
  /// - Parameters:
  ///   - entries: At least one. Their sequences continue that of `position`, and their proposals
  ///     differ.
  ///   - position: The position, with its chain, at which the dataset's log must end.
  ///   - epoch: The expected ``SharedHead/epoch``.
  /// - Returns: Any result but `appended` is unconfirmed, like a read without a barrier. A caller
  ///   at another position gets `behind`, even if one of its proposals is in the log.
  /// - Throws: ``SharedLogFailure/unknown(_:)`` if the entries may be in the log, now or later;
  ///   ``SharedLogFailure/archiveDeleted(_:)`` if an archive that an entry names is deleted, and
  ///   nothing was appended.
  func append(
    _ entries: [SharedEntry], after position: SharedPosition, epoch: Int
  ) throws -> SharedAppending

  /// Appends entries to several datasets, to each like ``append(_:after:epoch:)``. The appends
  /// are independent: one may fail while others succeed.
  ///
  /// - Parameter appends: At least one, each to a different dataset.
  /// - Returns: The result of each append, in order.
  func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>]

  /// Deletes the entries of a dataset up to a sequence, but none after its newest checkpoint,
  /// since nodes could not follow the log then. Archives that only these entries name are deleted
  /// too, immediately or by ``sweepArchives(olderThan:)``.
  func cut(_ dataset: Int64, upTo sequence: Int) throws

  // MARK: Archives

  /// Begins an archive: bytes in chunks, invisible to other nodes until it is published or an
  /// entry names it.
  ///
  /// - Returns: The archive's number.
  func beginArchive(of dataset: Int64?) throws -> Int64

  /// Stores a chunk of an archive, in a separate transaction. If the archive is deleted, nothing
  /// is stored, and the call may throw ``SharedLogFailure/archiveDeleted(_:)``.
  ///
  /// - Parameter number: The chunk's index, from 0.
  func putChunk(_ bytes: [UInt8], number: Int, of archive: Int64) throws

  /// Makes an archive the checkpoint of a dataset at a position.
  ///
  /// - Returns: `false` if a checkpoint already exists at that sequence, the archive is deleted,
  ///   or the dataset's log does not contain the position.
  func publishCheckpoint(
    _ archive: Int64, at position: SharedPosition, digest: [UInt8]
  ) throws -> Bool

  /// Deletes an archive with its chunks, unless an entry names it. No entry can name it
  /// afterwards.
  func removeArchive(_ archive: Int64) throws

  /// Deletes some archives that were begun longer ago than `seconds` and neither published nor
  /// named by an entry. Also continues interrupted deletions of removed datasets.
  ///
  /// - Returns: The number of deleted archives.
  func sweepArchives(olderThan seconds: Double) throws -> Int

  /// Returns a number that no layout of the cluster has used.
  func freshLayoutID() throws -> Int64
}

extension SharedLog {
  package func read<R>(
    node: [UInt8], _ body: (any SharedLogReader) throws -> R
  ) throws -> R {
    let result = try body(self)
    try barrier(node: node)
    return result
  }

  /// Appends to one dataset after another.
  package func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
    appends.map { each in
      Result { try append(each.entries, after: each.position, epoch: each.epoch) }
    }
  }
}

/// Reads of a shared log. Their results may still be rolled back; see
/// ``SharedLog/read(node:_:)``.
package protocol SharedLogReader: Sendable {
  /// Returns the properties of the whole log.
  func info() throws -> SharedLogInfo

  /// Returns the dataset with a name; `nil` if there is none.
  func dataset(named name: String) throws -> SharedHead?

  /// Returns datasets in the order of their names' UTF-8 bytes.
  ///
  /// - Parameter name: The name after which to start; `nil` to start with the first.
  func datasets(after name: String?, countMax: Int) throws -> [SharedHead]

  /// Returns the heads of datasets. Followers poll it, for all datasets that they follow in one
  /// call. Deleted datasets are missing from the result.
  func heads(of datasets: [Int64]) throws -> [SharedHead]

  /// Returns the entries of a dataset after a sequence, the oldest first.
  ///
  /// - Parameter bytesMax: The limit on payload bytes; at least one entry is returned in any
  ///   case.
  /// - Throws: ``SharedLogFailure/newerEntry(_:)`` if the first entry is of a kind that this
  ///   version does not know. If a later one is, the entries before it are returned.
  func entries(
    of dataset: Int64, after sequence: Int, bytesMax: Int
  ) throws -> [SharedEntry]

  /// Returns the sequence of the entry with a proposal; `nil` if the log has none.
  func sequence(of proposal: [UInt8], in dataset: Int64) throws -> Int?

  /// Returns a chunk of an archive; `nil` after the last.
  func chunk(_ number: Int, of archive: Int64) throws -> [UInt8]?

  /// Returns the checkpoints of a dataset, the newest first.
  func checkpoints(of dataset: Int64) throws -> [SharedCheckpoint]
}

/// The properties of a whole shared log.
package struct SharedLogInfo: Hashable, Sendable {
  /// 16 random bytes, new when the log is created or restored.
  package var incarnation: [UInt8]
  /// The version of its tables.
  package var format: Int
  /// The version of the layout rules in effect.
  package var rules: Int
  /// Whether commits wait for a standby.
  package var isReplicated: Bool

  package init(incarnation: [UInt8], format: Int, rules: Int, isReplicated: Bool) {
    self.incarnation = incarnation
    self.format = format
    self.rules = rules
    self.isReplicated = isReplicated
  }
}

/// A dataset of a shared log, and where its log ends.
package struct SharedHead: Hashable, Sendable {
  package var name: String
  package var epoch: Int
  package var position: SharedPosition
  /// The revision of the last entry; 1 before any.
  package var revision: Int
  /// The sequence up to which entries are deleted.
  package var cut: Int
  /// The chain before any entry.
  package var begin: [UInt8]
  /// The creation time in milliseconds since 1970, by the creator's clock.
  package var time: Int64

  package init(
    name: String, epoch: Int, position: SharedPosition, revision: Int, cut: Int,
    begin: [UInt8], time: Int64
  ) {
    self.begin = begin
    self.time = time
    self.name = name
    self.epoch = epoch
    self.position = position
    self.revision = revision
    self.cut = cut
  }
}

/// Entries to append to a dataset; see ``SharedLog/append(_:after:epoch:)``.
package struct SharedAppend: Sendable {
  package var entries: [SharedEntry]
  package var position: SharedPosition
  package var epoch: Int

  package init(_ entries: [SharedEntry], after position: SharedPosition, epoch: Int) {
    self.entries = entries
    self.position = position
    self.epoch = epoch
  }
}

/// The result of an append.
package enum SharedAppending: Hashable, Sendable {
  case appended
  /// The log does not end at the position, or the epoch has changed; nothing was appended.
  case behind
  /// One of the proposals is already in the log; nothing was appended.
  case repeated
  /// The dataset is deleted; nothing was appended.
  case deleted
}

/// The result of a rename.
package enum SharedRenaming: Hashable, Sendable {
  /// The dataset has the new name.
  case renamed
  /// Another dataset has the new name.
  case nameTaken
  /// The dataset does not exist, or has neither name.
  case deleted
}

/// The outcome of removing a dataset.
package enum SharedRemoval: Hashable, Sendable {
  case removed
  /// The dataset does not exist.
  case deleted
  /// The dataset has another name; nothing was removed.
  case renamed
}

/// An archive with the state of a dataset at a position.
package struct SharedCheckpoint: Hashable, Sendable {
  package var archive: Int64
  package var position: SharedPosition
  /// A hash of the archived state.
  package var digest: [UInt8]

  package init(archive: Int64, position: SharedPosition, digest: [UInt8]) {
    self.archive = archive
    self.position = position
    self.digest = digest
  }
}

extension [UInt8] {
  /// Returns the 16-byte name of the node with a title.
  package static func nodeName(of title: String) -> [UInt8] {
    // FNV-1a with two offset bases. Collisions are no concern: nodes are few, and an
    // administrator names them.
    [0xcbf2_9ce4_8422_2325, 0x6c62_272e_07bb_0142].flatMap { (begin: UInt64) in
      let hash = title.utf8.reduce(begin) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      return Swift.withUnsafeBytes(of: hash.bigEndian) { [UInt8]($0) }
    }
  }
}
