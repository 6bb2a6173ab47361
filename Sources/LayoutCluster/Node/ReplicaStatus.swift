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
  /// The time of the last request for the dataset; `nil` if there was none since the node started.
  var used: Duration?
  /// The number of this node's requests that were rejected in a minute, and its beginning.
  private var rejected = (count: 0, since: Duration.zero)
  /// Since when a reader has been waiting for the log; `nil` if none is.
  var awaited: Duration?
  /// Whether a task started by a poll is following the log for the dataset.
  var isBeingFollowed = false
  /// Whether a checkpoint may have become due since the last check.
  var mayBeDue = false
  /// The chains of the last entries, by which positions of another branch are recognised.
  private var chains: [Int: UInt64] = [:]
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
    (confirmed, reached) = (nil, nil)
    beginCount += 1
    chains = [:]
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
    isLoading = replica.isLoading
    (reached, promised, history) = (position, position, replica.history)
    add(position.chain, at: position.sequence)
    mayBeDue = true
  }

  /// Returns whether a checkpoint may be due, and records that it is checked now.
  mutating func takeMayBeDue() -> Bool {
    defer { mayBeDue = false }
    return mayBeDue
  }

  /// The number of entries whose chains are known: a resident dataset takes about 1 KiB for them.
  private static let chainCountMax = 64

  private mutating func add(_ chain: [UInt8], at sequence: Int) {
    chains[sequence] = PositionToken.prefix(of: chain)
    chains[sequence - Self.chainCountMax] = nil
  }

  /// Returns whether a position is on the present branch; `nil` if that is not known.
  func contains(_ token: PositionToken) -> Bool? {
    chains[token.sequence].map { $0 == token.chain }
  }

  /// The maximum number of a node's rejected requests per minute: they fill the log.
  private static let rejectedMax = 1_000

  /// Returns whether requests may be appended at a time, after some were rejected then.
  mutating func mayAppend(rejected count: Int = 0, at time: Duration) -> Bool {
    if time - rejected.since > .seconds(60) { rejected = (0, time) }
    rejected.count += count
    return rejected.count < Self.rejectedMax
  }

  /// Records that entries up to a position are about to be applied.
  mutating func willAccept(at position: SharedPosition) { promised = position }

  /// Records that an entry was applied.
  mutating func didAccept(_ entry: SharedEntry, at position: SharedPosition) {
    reached = position
    add(entry.chain, at: entry.sequence)
    mayBeDue = true
  }
}

extension [SharedRequest] {
  /// The approximate size of an operation in a request: a short key and two lengths.
  private static var operationBytes: Int { 8 }

  /// Returns the cost of deciding the requests, in operations, estimated from their sizes.
  ///
  /// - Parameter itemCount: Returns the number of the dataset's items. A layout that is computed
  ///   from scratch, or an import, costs that much.
  func cost(itemCount: () throws -> Int) rethrows -> Int {
    try reduce(0) { cost, request in
      switch request.kind {
      case .change: cost + 1 + request.payload.count / Self.operationBytes
      case .pin, .archive: cost + (try itemCount())
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
