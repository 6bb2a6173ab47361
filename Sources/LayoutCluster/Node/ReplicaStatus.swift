import LayoutCache
import LayoutReplication

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
  /// Whether the dataset was loaded, and has not reached the end of the log since. Its state may
  /// be that of long ago, without layouts that readers have already seen at this node.
  private(set) var isLoading = false
  /// Whether readers may get the state in the file. Of a dataset in quarantine they get the state
  /// before the entry that does not apply, and are told so.
  var isReadable: Bool { reached != nil && (!isLoading || quarantined != nil) }
  /// The identity of the history of the dataset in the file.
  private(set) var history: Int64?
  /// The furthest position that a reader may have seen, including an entry that is being applied.
  private(set) var promised: SharedPosition?
  /// The number of reloads. After a reload, a reader may find an older state than before.
  private(set) var beginCount = 0
  /// The number of reloads that may have passed entries which the node has not examined.
  private(set) var passCount = 0
  /// The position before the current reload.
  private var left: SharedPosition?
  /// The time of the last request for the dataset; `nil` if there was none since the node
  /// started.
  var used: Duration?
  /// Since when a reader has been waiting for the log; `nil` if none is.
  var awaited: Duration?
  /// Whether a task started by a poll is following the log for the dataset.
  var isBeingFollowed = false
  /// Whether a checkpoint may have become due since the last check.
  var mayBeDue = false
  /// The chains of the last entries, by which positions of another branch are recognised.
  private(set) var chains = RecentChains()
  /// The reason why the dataset could not be followed last time; `nil` if it could.
  var followFailure: String?
  /// The reason of the quarantine that was reported last; `nil` once the dataset is followed.
  var reportedQuarantine: String?

  /// Records that the node matched the log at a time.
  mutating func confirm(since time: Duration) {
    confirmed = max(confirmed ?? time, time)
    (quarantined, reportedQuarantine, isLoading) = (nil, nil, false)
  }

  /// Records that the dataset is no longer in the file, or is about to be reloaded.
  mutating func leave() {
    left = reached ?? left
    (confirmed, reached) = (nil, nil)
    beginCount += 1
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
    if let left, left.dataset != position.dataset || left.sequence < position.sequence {
      passCount += 1
    }
    left = nil
    isLoading = replica.isLoading
    (reached, promised, history) = (position, position, replica.history)
    chains.add(position.sequence, position.chain)
    mayBeDue = true
  }

  /// Returns whether a checkpoint may be due, and records that it is checked now.
  mutating func takeMayBeDue() -> Bool {
    defer { mayBeDue = false }
    return mayBeDue
  }

  /// Records that entries up to a position are about to be applied.
  mutating func willAccept(at position: SharedPosition) { promised = position }

  /// Records that an entry was applied.
  mutating func didAccept(_ entry: SharedEntry, at position: SharedPosition) {
    reached = position
    chains.add(entry.sequence, entry.chain)
    mayBeDue = true
  }
}

extension [SharedEntry] {
  /// The approximate size of an operation in an entry: a short key and two lengths.
  private static var operationBytes: Int { 8 }

  /// Returns the cost of applying the entries, in operations, estimated from their sizes.
  ///
  /// - Parameter itemCount: Returns the number of the dataset's items. A layout that is computed
  ///   from scratch, or an import, costs that much.
  func cost(itemCount: () throws -> Int) rethrows -> Int {
    try reduce(0) { cost, entry in
      switch entry.kind {
      case .batch: cost + 1 + entry.payload.count / Self.operationBytes
      case .pin, .archive: cost + (try itemCount())
      case .definition, .rules: cost + 1
      }
    }
  }
}

extension SharedHead {
  /// The cost of applying the entries after the newest checkpoint.
  private var tailCost: Int { cost - coveredCost }

  /// Whether ``needsCheckpoint(itemCount:)`` can hold at all.
  var mayNeedCheckpoint: Bool { tailCost >= Self.tailCostMin }

  /// Returns whether a checkpoint would help a node that joins.
  ///
  /// The cost of a checkpoint is proportional to the dataset's size, so a large dataset must have
  /// changed by a certain share.
  func needsCheckpoint(itemCount: Int) -> Bool {
    tailCost >= max(Self.tailCostMin, itemCount / Self.share)
  }

  private static let tailCostMin = 20_000
  private static let share = 8
}
