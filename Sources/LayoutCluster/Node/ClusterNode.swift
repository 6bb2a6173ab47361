import Dispatch
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
  let store: any SharedLogStore
  let cache: LayoutCache
  /// The name of the log.
  let log: [UInt8]
  /// What changes of several datasets have to append at one time goes in one call.
  let appends: Gathering<SharedAppend, Result<SharedAppending, any Error>>
  /// What is to be carried out at one time goes in one transaction of the file.
  let runs: Gathering<LayoutCache.DecidedRun, Result<[Commit], any Error>>

  /// The datasets that are gathered at most.
  private static let gatheredMax = 16

  private struct State {
    var rooms: [RoomKey: DatasetRoom] = [:]
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
    let log = try store.read(node: name) { try $0.info() }.incarnation
    self.log = log
    appends = Gathering(countMax: Self.gatheredMax) { store.append($0) }
    runs = Gathering(countMax: Self.gatheredMax) { Self.accept($0, in: log, by: cache) }
    let (following, own) = try cache.replicas()
    guard own.isEmpty else { throw ClusterError.hasOwnDatasets(own) }
    cache.join(self)
    // Of a log that there was before a backup was restored.
    for replica in following where replica.log != log { try cache.forget(replica.name) }
  }

  /// The place where a dataset's log is dealt with.
  func room(of dataset: String) -> DatasetRoom {
    state.withLock { state in
      let key = RoomKey(dataset)
      if let room = state.rooms[key] { return room }
      let room = DatasetRoom()
      state.rooms[key] = room
      return room
    }
  }

  /// Runs `body` alone among those who deal with a dataset's log.
  func alone<R: Sendable>(
    with dataset: String, _ body: @escaping @Sendable (DatasetRoom) throws -> R
  ) throws -> R {
    let room = room(of: dataset)
    return try room.run {
      try body(room)
    } orDecide: {
      decide($0, dataset, room)
    }
  }

  package func commit(
    _ change: SharedChange, to dataset: String, _ view: BatchView
  ) throws -> SharedOutcome {
    let room = room(of: dataset)
    return try room.commit(change, view) { decide($0, dataset, room) }
  }

  package func freshLayoutID() throws -> Int64 {
    try Self.mapped { try store.freshLayoutID() }
  }

  /// How long ago what the node has of a dataset was all that the log had, at most; `nil` where
  /// that is not known.
  package func age(of dataset: String) -> Duration? {
    room(of: dataset).confirmed.map { options.now() - $0 }
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

/// How a node deals with its log.
package struct ClusterOptions: Sendable {
  /// How long a change waits for the log, if that may still have taken it.
  package var timeout: Duration = .seconds(10)
  /// How many bytes of entries are read at once.
  package var followedBytes = 4 << 20
  /// Time that never goes back, from any begin.
  package var now: @Sendable () -> Duration = {
    .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds))
  }
  /// When it is, in milliseconds since 1970.
  package var time: @Sendable () -> Int64 = { WallClock.system.now() }
  /// Lets others go on for a while.
  package var pause: @Sendable (Duration) -> Void = { duration in
    let (seconds, attoseconds) = duration.components
    let end =
      DispatchTime.now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
    _ = DispatchSemaphore(value: 0).wait(timeout: end)
  }

  package init() {}
}

/// Why a cache can't be a node.
package enum ClusterError: Error, Hashable, Sendable {
  /// Its file has datasets that follow no log.
  case hasOwnDatasets([String])
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
