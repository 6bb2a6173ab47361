import LayoutCache

/// What a node knows of a dataset without a look at its file.
struct ReplicaStatus {
  /// What ``SharedHead/epoch`` was when the log was last asked.
  var epoch = 1
  /// Why entries are no longer carried out, and since when; `nil` where they are.
  var quarantined: (reason: String, at: Duration)?
  /// The last time at which the node had all that the log had; `nil` where that is not known.
  private(set) var confirmed: Duration?
  /// Where the file is, or was; `nil` where the dataset is not resident.
  private(set) var reached: SharedPosition?
  /// How far a reader may have seen the dataset: the entry that is being carried out counts.
  private(set) var promised: SharedPosition?
  /// Rises where the dataset starts again: what a reader finds may then be older than before.
  private(set) var beginCount = 0
  /// When somebody last asked for the dataset; `nil` where nobody has since the node began.
  var used: Duration?
  /// Whether somebody follows the log already, because a poll has said so.
  var isBeingFollowed = false
  /// Whether the last entry is this node's: then it is the one that makes checkpoints.
  private(set) var hasLastWord = false
  /// What it takes to carry out what has come since the last checkpoint that is known of.
  var tail = TailCost()

  /// The node has all that the log had at a time.
  mutating func confirm(since time: Duration) {
    confirmed = max(confirmed ?? time, time)
    quarantined = nil
  }

  /// The dataset is not in the file, or is about to start again.
  mutating func leave() {
    (confirmed, reached) = (nil, nil)
    beginCount += 1
    tail = TailCost()
  }

  /// The dataset is in the file, at a position.
  mutating func arrive(at position: SharedPosition) {
    (reached, promised) = (position, position)
  }

  /// There is a checkpoint of what had come so far.
  mutating func didMakeCheckpoint(_ former: TailCost) { tail.subtract(former) }

  /// An entry that the log has taken is about to be carried out.
  mutating func willAccept(at position: SharedPosition) { promised = position }

  /// It has been.
  ///
  /// - Parameter isOwn: Whether this node has proposed it.
  mutating func didAccept(_ entry: SharedEntry, at position: SharedPosition, isOwn: Bool) {
    reached = position
    tail.add(entry)
    hasLastWord = isOwn
  }
}

/// What it takes to carry out the entries after a checkpoint.
struct TailCost: Hashable {
  /// Operations, or bytes that would hold as many: what is changed one by one.
  private(set) var operations = 0
  /// Whether something is in it that is as much work as the whole dataset: a layout that is
  /// laid out from scratch, an import.
  private(set) var hasWhole = false

  /// What an operation takes in an entry, about: a short key, two lengths.
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

  /// Takes off what a checkpoint has made needless.
  mutating func subtract(_ other: TailCost) {
    operations = max(0, operations - other.operations)
    hasWhole = hasWhole && !other.hasWhole
  }

  /// Whether a node that joins would be served by a checkpoint.
  ///
  /// Writing one takes as long as the dataset is: a long one must have changed by a share of it.
  func isDue(itemCount: Int) -> Bool {
    operations >= max(Self.operationsMin, itemCount / Self.share)
      || hasWhole && itemCount >= Self.operationsMin
  }

  private static let operationsMin = 20_000
  private static let share = 8
}
