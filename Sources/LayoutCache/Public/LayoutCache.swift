public import CollectionLayout
import LayoutGeometry
import LayoutStore
public import Logging
import SumTree
import Synchronization
import Threads

/// A persistent layout engine for feeds: datasets of items in sections, laid out
/// by named layouts, in one SQLite file.
///
///     let cache = try LayoutCache(path: "feeds.sqlite")
///     try cache.read(LayoutID("phone", of: "tate")) { snapshot in
///       try snapshot.elements(in: Rect(x: .zero, y: top, width: width, height: height))
///     }
///
/// A cache may be used from any thread, and several processes may use one file. Calls
/// block while they read the file; programs that must not have async forms of those that
/// take long, and ``perform(_:)`` for all others: <doc:UsingLayoutCacheInAServer>.
public final class LayoutCache: Sendable {
  let store: Store
  let logger: Logger
  let options: LayoutCacheOptions
  let customKinds: CustomKinds
  let clock: WallClock
  let openDatasets = OpenDatasets()
  /// Where the blocking work of the async forms runs.
  let executor: any TaskExecutor
  /// Those who listen to commits.
  let following: CommitFollowing
  /// The layouts that tasks are bringing up to date.
  let layoutLocks = AsyncKeyedLock<LayoutID>()
  /// The coordinator that decides on changes in place of the file.
  let joined = Mutex(WeakCoordinator())
  /// Whether the file belongs to a node of a cluster; `nil` before anybody has looked.
  let isOfNodeIfKnown = Mutex<Bool?>(nil)
  /// Where the file is, if it goes with the cache.
  private let folder: TemporaryFolder?

  /// Opens a database file, making it where there is none.
  ///
  /// - Parameters:
  ///   - path: The file; `-wal` and `-shm` files stand next to it while it is open.
  ///   - options: How the cache works with its file.
  ///   - sectionLayouts: The kinds of sections that layouts may name besides those built
  ///     in. A layout that names another can't be read by this cache.
  ///   - waterfallLayouts: Likewise, those that are waterfalls.
  ///   - logger: Where damage that has been repaired is reported.
  ///   - executor: Where the blocking work of async calls runs. Its threads must be such as
  ///     may block. Without one the cache makes threads of its own when it first needs
  ///     them, ``LayoutCacheOptions/threadCountMax`` at most, which go with it.
  /// - Throws: ``LayoutCacheError`` with `database`.
  public convenience init(
    path: String, options: LayoutCacheOptions = LayoutCacheOptions(),
    sectionLayouts: [any SectionLayout.Type] = [],
    waterfallLayouts: [any WaterfallSectionLayout.Type] = [],
    logger: Logger = Logger(label: "layoutcache"), executor: (any TaskExecutor)? = nil
  ) throws {
    try self.init(
      path: path, options, CustomKinds(sectionLayouts, waterfalls: waterfallLayouts), logger,
      executor, .system, folder: nil)
  }

  /// As the public one, with a clock of one's own.
  package convenience init(
    path: String, options: LayoutCacheOptions = LayoutCacheOptions(),
    sectionLayouts: [any SectionLayout.Type] = [],
    logger: Logger = Logger(label: "layoutcache"), executor: (any TaskExecutor)? = nil,
    clock: WallClock
  ) throws {
    try self.init(
      path: path, options, CustomKinds(sectionLayouts), logger, executor, clock, folder: nil)
  }

  init(
    path: String, _ options: LayoutCacheOptions, _ customKinds: CustomKinds, _ logger: Logger,
    _ executor: (any TaskExecutor)?, _ clock: WallClock, folder: TemporaryFolder?
  ) throws {
    self.executor = executor ?? WorkerThreads(countMax: max(1, options.threadCountMax))
    // Events for listeners do not wait for long work.
    let followingExecutor = executor ?? WorkerThreads(countMax: 1)
    self.clock = clock
    self.folder = folder
    self.options = options
    self.customKinds = customKinds
    self.logger = logger
    store = try mappingErrors(path) {
      try Store(
        path: path,
        options: StoreOptions(
          createsFile: options.createsFile,
          survivesPowerCut: options.durability == .power,
          busyTimeout: options.busyTimeout))
    }
    following = CommitFollowing(
      CommitFollower.Sources(
        store: store, kinds: customKinds, shapes: options.treeShapes,
        lookInterval: options.lookInterval, openDatasets: openDatasets,
        executor: followingExecutor, memory: EventMemory(bytesMax: options.eventBytesMax)))
  }

  /// The database's file.
  public var path: String { store.path }

  /// Waits for the calls under way in other threads, and closes the file.
  ///
  /// Listeners get no more commits. Calls that begin in the meantime or later
  /// throw `closed`, and so do queries of snapshots
  /// that were kept; what a call under way does until it returns continues, if it does
  /// it in its own thread. Closing again does nothing. A cache that goes without being
  /// closed closes the file too.
  ///
  /// What the log holds of this process's commits goes into the trees first, so that
  /// the next process need not follow it.
  ///
  /// - Throws: ``LayoutCacheError``: `inUse` within a call to the same cache, such as the
  ///   closure given to ``read(_:freshness:_:)``, for which it would wait
  ///   for ever; nothing is done then. `database` where SQLite fails.
  public func close() throws {
    try mappingErrors(path) {
      try store.close {
        following.end()
        // Nothing is lost where that fails: the log holds every commit.
        do {
          try checkpoint()
        } catch {
          logger.warning(
            "The changes were not moved from the log into the trees.",
            metadata: ["error": .string("\(error)")])
        }
      }
    }
  }

  /// Runs a call of the library's: the file stays open until it returns.
  ///
  /// - Parameter body: Takes the store's generation at its begin.
  func call<R>(_ body: (_ generation: Int) throws -> R) throws -> R {
    try mappingErrors(path) { try store.call(body) }
  }
}

/// A cache's coordinator, which retains the cache.
struct WeakCoordinator {
  weak var coordinator: (any ChangeCoordinator)?
}

/// How a cache works with its file.
public struct LayoutCacheOptions: Hashable, Sendable {
  /// The failures that an acknowledged change survives.
  public enum Durability: String, Hashable, Sendable {
    /// A killed process. A power cut may lose the last changes, and never damages
    /// the file.
    case process
    /// A power cut too, at several times the cost of a change.
    case power
  }

  /// Whether a missing file is made.
  public var createsFile = true
  public var durability = Durability.process
  /// How long to wait for another process's change, in seconds; below 0, or no number, counts
  /// as 0.
  public var busyTimeout = 5.0
  /// The memory for tree nodes that have been read, in bytes; below 0 counts as 0.
  public var nodeCacheBytes = 256 << 20
  /// The memory in which an import sorts, in bytes; what exceeds it goes through
  /// SQLite's temporary file; below 0 counts as 0.
  public var importBytes = 128 << 20
  /// The threads for the blocking work of async calls, where the cache has no executor of
  /// the program's; below 1 counts as 1.
  public var threadCountMax = 8
  /// How often somebody looks for the commits of other processes, while anybody listens;
  /// `nil` for never.
  package var lookInterval: Duration? = .milliseconds(200)
  /// The memory of the events that wait for listeners, all together, in bytes.
  package var eventBytesMax = Budgets.eventBytes
  /// The bytes of each chunk of an archive but the last.
  package var archiveChunkBytes = 256 << 10
  /// The most datasets of the file, and layouts of a dataset.
  package var datasetsMax = Limits.datasetsMax
  package var layoutsMax = Limits.layoutsMax
  /// The sizes of the nodes that are made.
  package var treeShapes = TreeShapes.standard

  public init() {}
}
