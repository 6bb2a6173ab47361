package import LayoutCache

/// Where a shared log is kept: in PostgreSQL, or in memory where it is simulated.
///
/// Calls block. Each is one round trip, if not said otherwise, on a connection that the store
/// chooses; any thread may call.
///
/// - Throws: All calls: ``SharedLogFailure``.
package protocol SharedLog: SharedLogReader {
  /// Reads what has been decided for good: runs `body` on one connection, then passes a barrier
  /// on the same one, and gives out what was read only then.
  ///
  /// The only way to read what is to be believed: a server that has been deposed without
  /// knowing continues answering, and may have rows that nobody else has.
  ///
  /// - Parameter node: 16 bytes that name the node.
  func read<R>(node: [UInt8], _ body: (any SharedLogReader) throws -> R) throws -> R

  /// Makes sure that what is read before it on its connection has been decided for good: a
  /// write of this node's own row that a standby has acknowledged.
  ///
  /// - Parameter node: 16 bytes that name the node.
  func barrier(node: [UInt8]) throws

  // MARK: Datasets

  /// Makes a dataset, or finds the one of the name.
  ///
  /// - Parameters:
  ///   - chain: That of the dataset before any entry; random.
  ///   - time: When it is made, in milliseconds since 1970, by the caller's clock.
  /// - Returns: The dataset. Whether it is this call that has made it, ``SharedHead/begin``
  ///   tells, also of a call that is made again because its answer was lost.
  func createDataset(named name: String, chain: [UInt8], time: Int64) throws -> SharedHead

  /// As ``createDataset(named:chain:time:)``, with a first entry: there is both or neither.
  ///
  /// - Parameter entry: One that names an archive.
  /// - Throws: As ``append(_:behind:epoch:)``.
  func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith entry: SharedEntry
  ) throws -> SharedHead

  /// Removes a dataset with its log.
  ///
  /// - Returns: Whether there was one.
  func removeDataset(_ id: Int64) throws -> Bool

  /// Gives a dataset another name.
  ///
  /// - Returns: `nameTaken` where another dataset has it, `deleted` where there is no such dataset.
  func renameDataset(_ id: Int64, to name: String) throws -> SharedRenaming

  // MARK: Entries

  /// Appends entries after a position, all or none.
  ///
  /// - Parameters:
  ///   - entries: At least one; their sequences follow on that of the position, and each has
  ///     its own proposal.
  ///   - position: Where the dataset's log must end, with its chain.
  ///   - epoch: What ``SharedHead/epoch`` must be.
  /// - Returns: Any result but `appended` is unconfirmed, like a read without a barrier. A caller
  ///   at another position gets `behind`, even if one of its proposals is in the log.
  /// - Throws: ``SharedLogFailure/unknown(_:)`` where they may be in or not, or may yet come;
  ///   ``SharedLogFailure/archiveDeleted(_:)`` where an archive that one names is deleted; none is
  ///   in then.
  func append(
    _ entries: [SharedEntry], behind position: SharedPosition, epoch: Int
  ) throws -> SharedAppending

  /// Appends entries to several datasets, to each as
  /// ``append(_:behind:epoch:)`` would do: of one it does not matter what becomes of the others.
  ///
  /// - Parameter appends: To different datasets, at least one.
  /// - Returns: What became of each.
  func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>]

  /// Cuts the entries of a dataset up to a sequence, but none after its newest checkpoint:
  /// nobody could follow any more. Archives that only those entries have named go too, at once or
  /// with ``sweepArchives(olderThan:)``.
  func cut(_ dataset: Int64, upTo sequence: Int) throws

  // MARK: Archives

  /// Begins an archive: bytes in chunks that nobody sees before it is published, or named by an
  /// entry.
  ///
  /// - Returns: Its number.
  func beginArchive(of dataset: Int64?) throws -> Int64

  /// Stores a chunk of an archive, in its own transaction; of one that is gone nothing, for
  /// which it may throw ``SharedLogFailure/archiveDeleted(_:)``.
  ///
  /// - Parameter number: From 0.
  func putChunk(_ bytes: [UInt8], number: Int, of archive: Int64) throws

  /// Makes an archive the checkpoint of a dataset at a position.
  ///
  /// - Returns: `false` where there is one at that sequence already, the archive is gone, or the
  ///   dataset's log does not have the position.
  func publishCheckpoint(
    _ archive: Int64, at position: SharedPosition, digest: [UInt8]
  ) throws -> Bool

  /// Deletes an archive with its chunks, unless an entry names it; from then on none can.
  func removeArchive(_ archive: Int64) throws

  /// Deletes some archives that were begun longer ago than a time, and were never published
  /// nor named by an entry. Continues, too, with what a removed dataset has left.
  ///
  /// - Returns: How many archives.
  func sweepArchives(olderThan seconds: Double) throws -> Int

  /// A number that no layout of the cluster has had.
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

  /// One after the other.
  package func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
    appends.map { each in
      Result { try append(each.entries, behind: each.position, epoch: each.epoch) }
    }
  }
}

/// What a shared log says, which may be undone yet: see ``SharedLog/read(node:_:)``.
package protocol SharedLogReader: Sendable {
  /// What holds for the whole log.
  func info() throws -> SharedLogInfo

  /// The dataset of a name; `nil` where there is none.
  func dataset(named name: String) throws -> SharedHead?

  /// Datasets in the order of their names' bytes.
  ///
  /// - Parameter name: Those after it; `nil` from the first.
  func datasets(after name: String?, countMax: Int) throws -> [SharedHead]

  /// Where datasets stand: what a follower asks for again and again, for all datasets that it
  /// follows at once. Those that are gone are missing.
  func heads(of datasets: [Int64]) throws -> [SharedHead]

  /// The entries of a dataset behind a sequence, the oldest first.
  ///
  /// - Parameter bytesMax: Not more than this of payload, but one entry at least.
  func entries(
    of dataset: Int64, after sequence: Int, bytesMax: Int
  ) throws -> [SharedEntry]

  /// The sequence of the entry that has come of a proposal; `nil` where none has.
  func sequence(of proposal: [UInt8], in dataset: Int64) throws -> Int?

  /// The chunk of an archive; `nil` after the last.
  func chunk(_ number: Int, of archive: Int64) throws -> [UInt8]?

  /// The checkpoints of a dataset, the newest first.
  func checkpoints(of dataset: Int64) throws -> [SharedCheckpoint]
}

/// What holds for a whole shared log.
package struct SharedLogInfo: Hashable, Sendable {
  /// 16 random bytes, new where the log is made or restored.
  package var incarnation: [UInt8]
  /// The version of its tables.
  package var format: Int
  /// The version of the layout rules in force.
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
  /// The dataset's revision there: that of the last entry, 1 before any.
  package var revision: Int
  /// Entries up to this sequence are cut off.
  package var cut: Int
  /// The chain before any entry.
  package var begin: [UInt8]
  /// When it was made, in milliseconds since 1970, by its maker's clock.
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

/// Entries that are to be appended to a dataset; see
/// ``SharedLog/append(_:behind:epoch:)``.
package struct SharedAppend: Sendable {
  package var entries: [SharedEntry]
  package var position: SharedPosition
  package var epoch: Int

  package init(_ entries: [SharedEntry], behind position: SharedPosition, epoch: Int) {
    self.entries = entries
    self.position = position
    self.epoch = epoch
  }
}

/// What became of entries that were to be appended.
package enum SharedAppending: Hashable, Sendable {
  case appended
  /// The log does not end at the position any more, or the epoch has changed; nothing was
  /// appended.
  case behind
  /// One of the proposals is in the log already; nothing was appended.
  case repeated
  /// The dataset is gone.
  case deleted
}

/// What became of a renaming.
package enum SharedRenaming: Hashable, Sendable {
  case renamed, nameTaken, deleted
}

/// An archive that holds a dataset at a position.
package struct SharedCheckpoint: Hashable, Sendable {
  package var archive: Int64
  package var position: SharedPosition
  /// A hash of what it holds.
  package var digest: [UInt8]

  package init(archive: Int64, position: SharedPosition, digest: [UInt8]) {
    self.archive = archive
    self.position = position
    self.digest = digest
  }
}

/// Why a call of a shared log has failed.
package enum SharedLogFailure: Error, Hashable, Sendable {
  /// It can't be reached, or does not answer in time: nothing was done.
  case unavailable(String)
  /// It can't be told whether a write was done: the connection was lost, or the server has
  /// warned, after it had been sent.
  case unknown(String)
  /// The server has rejected the statement; nothing was done, and the log is available.
  case rejected(String)
  /// It has a schema of another version, or contents that this version does not write.
  case incompatible(String)
  /// An archive that was named is deleted; nothing was done.
  case archiveDeleted(String)
}

extension SharedLogFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unavailable(let reason), .unknown(let reason), .rejected(let reason),
      .incompatible(let reason), .archiveDeleted(let reason):
      reason
    }
  }
}

extension [UInt8] {
  /// 16 bytes that name the node which people call so.
  package static func nodeName(of title: String) -> [UInt8] {
    // FNV-1a, from two begins: names of nodes are few, and chosen by one who may do everything.
    [0xcbf2_9ce4_8422_2325, 0x6c62_272e_07bb_0142].flatMap { (begin: UInt64) in
      let hash = title.utf8.reduce(begin) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      return Swift.withUnsafeBytes(of: hash.bigEndian) { [UInt8]($0) }
    }
  }
}
