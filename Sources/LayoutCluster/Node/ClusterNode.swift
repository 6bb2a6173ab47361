package import LayoutCache
import Synchronization

/// A node of a cluster: its cache follows a log that it shares with others, and changes are
/// decided on there.
///
/// The log is the truth, and the node's file a cache of it that may be thrown away. A dataset is
/// **resident** where the file has it. All that concerns one dataset's log is done by one thread
/// at a time (``DatasetRoom``); queries go past that, and are answered from the file.
package final class ClusterNode: SharedLog {
  /// 16 bytes that name the node.
  package let name: [UInt8]
  package let options: ClusterOptions
  /// The name of the log.
  package let log: [UInt8]
  let store: any SharedLogStore
  let cache: LayoutCache
  let contact: Mutex<LogContact>
  private let counts = Mutex(NodeCounts())
  /// The threads for the work of ``run(_:)``: one for each dataset that is followed, the poll,
  /// the upkeep and the sweep. That work waits for the log, so it does not take the cache's
  /// threads from queries.
  let threads: WorkerThreads
  /// What changes of several datasets have to append at one time goes in one call.
  let appends: Gathering<SharedAppend, Result<SharedAppending, any Error>>
  /// What is to be carried out at one time goes in one transaction of the file.
  let runs: Gathering<LayoutCache.DecidedRun, Result<[Commit], any Error>>

  /// The datasets that are gathered at most.
  private static let gatheredMax = 16

  private struct State {
    var rooms: [RoomKey: Place] = [:]
  }

  /// A room, and how many are about to enter it or have.
  private struct Place {
    let room: DatasetRoom
    var userCount = 0
  }

  /// A dataset's name, compared by its bytes.
  private struct RoomKey: Hashable {
    let bytes: [UInt8]
    init(_ name: String) { bytes = Array(name.utf8) }
  }

  private let state = Mutex(State())

  /// Makes a cache a node of the log's cluster.
  ///
  /// - Precondition: The cache is used by nobody yet.
  /// - Throws: ``SharedLogFailure``; ``ClusterError`` with `hasOwnDatasets` for a file with
  ///   datasets that follow no log; ``LayoutCacheError``.
  package init(
    _ name: [UInt8], of store: any SharedLogStore, on cache: LayoutCache,
    options: ClusterOptions = ClusterOptions()
  ) throws {
    self.name = name
    self.store = store
    self.cache = cache
    self.options = options
    threads = WorkerThreads(countMax: max(1, options.followersMax) + 3)
    let (following, own) = try cache.replicas()
    guard own.isEmpty else { throw ClusterError.hasOwnDatasets(own) }
    let known = following.first?.log
    let log: [UInt8]
    var contact = LogContact()
    do {
      log = try store.read(node: name) { try $0.info() }.incarnation
    } catch SharedLogFailure.isAway(let reason) {
      // What the file has can be read meanwhile.
      guard let known else { throw SharedLogFailure.isAway(reason) }
      log = known
      contact.isAway(reason, at: options.now())
    }
    self.log = log
    self.contact = Mutex(contact)
    appends = Gathering(countMax: Self.gatheredMax) { store.append($0) }
    runs = Gathering(countMax: Self.gatheredMax) { Self.accept($0, in: log, by: cache) }
    cache.join(self)
    for replica in following {
      // Of a log that there was before a backup was restored.
      guard replica.log == log else {
        try cache.forget(replica.name)
        continue
      }
      withRoom(of: replica.name) { room in room.standing { $0.arrive(at: replica.position) } }
    }
  }

  /// The changes that go into the log together at most: so many threads may wait for it at once
  /// with profit.
  package static var groupMax: Int { DatasetRoom.groupMax }

  // MARK: Rooms

  /// Runs `body` with the place where a dataset's log is dealt with. It is kept as long as
  /// somebody uses it or the dataset is resident.
  func withRoom<R>(of dataset: String, _ body: (DatasetRoom) throws -> R) rethrows -> R {
    let key = RoomKey(dataset)
    let room = state.withLock { state in
      var place = state.rooms[key] ?? Place(room: DatasetRoom(of: dataset))
      place.userCount += 1
      state.rooms[key] = place
      return place.room
    }
    defer {
      state.withLock { state in
        state.rooms[key]?.userCount -= 1
        if state.rooms[key]?.userCount == 0, room.standing({ $0.reached == nil }) {
          state.rooms[key] = nil
        }
      }
    }
    return try body(room)
  }

  /// The place of a dataset that is resident, or in use.
  func roomIfKnown(of dataset: String) -> DatasetRoom? {
    state.withLock { $0.rooms[RoomKey(dataset)]?.room }
  }

  /// How many datasets are resident or in use.
  package var roomCount: Int { state.withLock { $0.rooms.count } }

  /// The places of all datasets that are resident.
  func residents() -> [DatasetRoom] {
    state.withLock { state in
      state.rooms.values.lazy.map(\.room).filter { $0.standing { $0.reached != nil } }
    }
  }

  /// Runs `body` alone among those who deal with a dataset's log.
  func alone<R: Sendable>(
    with dataset: String, _ body: @escaping @Sendable (DatasetRoom) throws -> R
  ) throws -> R {
    try withRoom(of: dataset) { room in
      try room.run {
        try body(room)
      } orDecide: {
        decide($0, dataset, room)
      }
    }
  }

  /// Notes what the node does.
  func count<R>(_ body: (inout NodeCounts) -> R) -> R { counts.withLock { body(&$0) } }

  // MARK: Changes

  package func commit(
    _ change: SharedChange, to dataset: String, _ view: BatchView
  ) throws -> SharedOutcome {
    try withRoom(of: dataset) { room in
      try room.commit(change, view) { decide($0, dataset, room) }
    }
  }

  package func freshLayoutID() throws -> Int64 {
    try Self.mapped {
      if let reason = reasonNotToTry ?? reasonOfRules { throw SharedLogFailure.isAway(reason) }
      return try writing { try store.freshLayoutID() }
    }
  }

  // MARK: Errors

  /// Runs `body`, and says in the library's words why the log has failed.
  static func mapped<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let failure as SharedLogFailure {
      throw failure.asError
    }
  }
}

/// Why a cache can't be a node, or a node can't answer as it is asked to.
package enum ClusterError: Error, Hashable, Sendable {
  /// Its file has datasets that follow no log.
  case hasOwnDatasets([String])
  /// The node has not come as far as a reader wants, or what it has is older than that.
  case isBehind(String)
  /// A checkpoint and the entries behind it do not lead to what a later one holds.
  case checkpointMisleads(dataset: String, from: Int, to: Int)
  /// A position is of another history: the dataset was removed, or the log restored.
  case isElsewhere
}

extension SharedLogFailure {
  var asError: LayoutCacheError {
    switch self {
    case .isAway(let reason): LayoutCacheError(.sharedLogIsAway(reason))
    case .isUnknown(let reason): LayoutCacheError(.outcomeIsUnknown(reason))
    case .isForeign(let reason): LayoutCacheError(.database(.corrupt, message: reason))
    }
  }
}
