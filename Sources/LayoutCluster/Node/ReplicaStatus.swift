import LayoutCache

/// A node's knowledge of a dataset, available without reading the file.
struct ReplicaStatus {
  /// The last known ``SharedHead/epoch``.
  var epoch = 1
  /// The reason why entries are not applied, and when that was found; `nil` if they are.
  var quarantined: (reason: String, at: Duration)?
  /// The last time at which the node matched the log; `nil` if unknown.
  private(set) var confirmed: Duration?
  /// The dataset's last known position in the file; `nil` if it is not resident.
  private(set) var reached: SharedPosition?
  /// The identity of the history of the dataset in the file.
  private(set) var history: Int64?
  /// The furthest position that a reader may have seen, including an entry that is being applied.
  private(set) var promised: SharedPosition?
  /// The number of reloads. After a reload, a reader may find an older state than before.
  private(set) var beginCount = 0
  /// The time of the last request for the dataset; `nil` if there was none since the node
  /// started.
  var used: Duration?
  /// Since when a reader has been waiting for the log; `nil` if none is.
  var awaited: Duration?
  /// Whether a task started by a poll is following the log for the dataset.
  var isBeingFollowed = false
  /// Whether this node proposed the last entry. The node that did makes the checkpoints.
  private(set) var hasLastWord = false
  /// The chains of the last entries, by which positions of another branch are recognised.
  private(set) var chains = RecentChains()
  /// The reason why the dataset could not be followed last time; `nil` if it could.
  var followFailure: String?
  /// The reason of the quarantine that was reported last; `nil` once the dataset is followed.
  var reportedQuarantine: String?
  /// The cost of applying the entries since the last known checkpoint.
  var tail = TailCost()

  /// Records that the node matched the log at a time.
  mutating func confirm(since time: Duration) {
    confirmed = max(confirmed ?? time, time)
    (quarantined, reportedQuarantine) = (nil, nil)
  }

  /// Records that the dataset is no longer in the file, or is about to be reloaded.
  mutating func leave() {
    (confirmed, reached) = (nil, nil)
    beginCount += 1
    tail = TailCost()
    chains.forget()
  }

  /// The position and revision at which the log was last found to lack entries that the node had
  /// applied; `nil` if it never was.
  private(set) var fork: (position: SharedPosition, revision: Int)?

  /// Records that the log has lost entries that the node has applied.
  ///
  /// - Returns: Whether that is new.
  mutating func loseTail(at position: SharedPosition, _ revision: Int) -> Bool {
    if fork?.position == position { return false }
    fork = (position, max(revision, fork?.revision ?? 0))
    return true
  }

  /// Records that the dataset is in the file, at a position.
  mutating func arrive(_ replica: LayoutCache.Replica) {
    let position = replica.position
    (reached, promised, history) = (position, position, replica.history)
    chains.add(position.sequence, position.chain)
  }

  /// Records that a checkpoint covers a former tail.
  mutating func didMakeCheckpoint(_ former: TailCost) { tail.subtract(former) }

  /// Records that entries up to a position are about to be applied.
  mutating func willAccept(at position: SharedPosition) { promised = position }

  /// Records that an entry was applied.
  ///
  /// - Parameter isOwn: Whether this node proposed it.
  mutating func didAccept(_ entry: SharedEntry, at position: SharedPosition, isOwn: Bool) {
    reached = position
    chains.add(entry.sequence, entry.chain)
    tail.add(entry)
    hasLastWord = isOwn
  }
}

/// The cost of applying the entries after a checkpoint.
struct TailCost: Hashable {
  /// The number of operations, estimated from payload bytes.
  private(set) var operations = 0
  /// Whether an entry costs as much as the whole dataset: a layout computed from scratch, or an
  /// import.
  private(set) var hasWhole = false

  /// The approximate size of an operation in an entry: a short key and two lengths.
  private static let operationBytes = 8

  mutating func add(_ entry: SharedEntry) {
    switch entry.kind {
    case .batch: operations += 1 + entry.payload.count / Self.operationBytes
    case .pin, .archive: hasWhole = true
    case .layout, .rules: operations += 1
    }
  }

  /// Whether ``isDue(itemCount:)`` can hold at all.
  var mayBeDue: Bool { hasWhole || operations >= Self.operationsMin }

  /// Subtracts the cost that a checkpoint covers.
  mutating func subtract(_ other: TailCost) {
    operations = max(0, operations - other.operations)
    hasWhole = hasWhole && !other.hasWhole
  }

  /// Returns whether a checkpoint would help a node that joins.
  ///
  /// The cost of a checkpoint is proportional to the dataset's size, so a large dataset must have
  /// changed by a certain share.
  func isDue(itemCount: Int) -> Bool {
    operations >= max(Self.operationsMin, itemCount / Self.share)
      || hasWhole && itemCount >= Self.operationsMin
  }

  private static let operationsMin = 20_000
  private static let share = 8
}
