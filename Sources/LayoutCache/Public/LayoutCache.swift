public import CollectionLayout
import LayoutGeometry
package import LayoutStore
public import Logging
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
/// A cache can be used from any thread, and several processes can share a file. Calls block
/// while they read the file. Programs that must not block use the async forms of long calls,
/// and ``perform(_:)`` for all others: <doc:UsingLayoutCacheInAServer>.
public final class LayoutCache: Sendable {
  let store: Store
  let logger: Logger
  let options: LayoutCacheOptions
  let customKinds: CustomKinds
  package let clock: WallClock
  let openDatasets = OpenDatasets()
  let temporary = TemporaryResults()
  /// The variants of responsive layouts that calls use.
  let variants: VariantUses
  /// The executor for the blocking work of async calls.
  let executor: any TaskExecutor
  /// The listeners to commits.
  let following: CommitFollowing
  /// The layouts that tasks are bringing up to date.
  let layoutLocks = AsyncKeyedLock<LayoutID>()
  /// The changes of tasks that wait for a transaction.
  let commits = CommitQueue()
  /// The coordinator that commits the cache's changes, if the cache has joined one.
  let joined = Mutex(WeakCoordinator())
  /// Whether the file belongs to a cluster node, and the store's generation at the check: `nil` if
  /// this cache is the node. `nil` before the first check.
  let isOfNodeIfKnown = Mutex<(isOfNode: Bool, generation: Int?)?>(nil)
  /// The file's folder, if it is deleted with the cache.
  private let folder: TemporaryFolder?

  /// Opens a database file, creating it if it does not exist.
  ///
  /// - Parameters:
  ///   - path: The file. While it is open, `-wal` and `-shm` files exist next to it. A `-lock` file
  ///     stays.
  ///   - options: How the cache works with its file.
  ///   - sectionLayouts: The custom section kinds that layouts may use. A layout that names an
  ///     unknown kind can't be read by this cache.
  ///   - waterfallLayouts: The custom kinds that are waterfalls.
  ///   - snapRules: Rules of `snap`.
  ///   - appearanceRules: Rules of sections' `appearance`.
  ///   - effects: Kinds of `effect`.
  ///   - decorators: Kinds of sections' `decorators`.
  ///   - logger: The logger for repaired damage.
  ///   - executor: The executor for the blocking work of async calls. Its threads must be
  ///     allowed to block. By default the cache creates up to
  ///     ``LayoutCacheOptions/threadCountMax`` threads on first use, which end with the cache.
  /// - Throws: ``LayoutCacheError`` with `database`.
  public convenience init(
    path: String, options: LayoutCacheOptions = LayoutCacheOptions(),
    sectionLayouts: [any SectionLayout.Type] = [],
    waterfallLayouts: [any WaterfallSectionLayout.Type] = [],
    snapRules: [any SnapRule.Type] = [], appearanceRules: [any AppearanceRule.Type] = [],
    effects: [any QueryEffect.Type] = [], decorators: [any SectionDecorator.Type] = [],
    logger: Logger = Logger(label: "layoutcache"), executor: (any TaskExecutor)? = nil
  ) throws {
    try self.init(
      path: path, options,
      CustomKinds(
        sectionLayouts, waterfalls: waterfallLayouts, snapRules: snapRules,
        appearanceRules: appearanceRules, effects: effects, decorators: decorators), logger,
      executor, .system, .system, folder: nil)
  }

  /// As the public initializer, with a custom clock, source of random numbers and way to change
  /// files: what a file contains follows from them, from the calls and from the file's place.
  package convenience init(
    path: String, options: LayoutCacheOptions = LayoutCacheOptions(),
    sectionLayouts: [any SectionLayout.Type] = [],
    logger: Logger = Logger(label: "layoutcache"), executor: (any TaskExecutor)? = nil,
    clock: WallClock, random: RandomSource = .system, files: FileCalls = .system
  ) throws {
    try self.init(
      path: path, options, CustomKinds(sectionLayouts), logger, executor, clock, random,
      folder: nil, files)
  }

  init(
    path: String, _ options: LayoutCacheOptions, _ customKinds: CustomKinds, _ logger: Logger,
    _ executor: (any TaskExecutor)?, _ clock: WallClock, _ random: RandomSource,
    folder: TemporaryFolder?, _ files: FileCalls = .system
  ) throws {
    self.executor = executor ?? WorkerThreads(countMax: max(1, options.threadCountMax))
    // A separate thread, so that events for listeners do not wait for long work.
    let followingExecutor = executor ?? WorkerThreads(countMax: 1)
    (self.clock, self.folder, self.options) = (clock, folder, options)
    (self.customKinds, self.logger) = (customKinds, logger)
    store = try mappingErrors(path) {
      try Store(
        path: path,
        options: StoreOptions(
          createsFile: options.createsFile, survivesPowerCut: options.durability == .power,
          busyTimeout: options.busyTimeout, random: random, files: files))
    }
    let variants = VariantUses(store, clock, self.executor)
    self.variants = variants
    following = CommitFollowing(
      CommitFollower.Sources(
        store: store, kinds: customKinds, shapes: options.treeShapes,
        lookInterval: options.lookInterval, openDatasets: openDatasets, variants: variants,
        executor: followingExecutor, memory: EventMemory(bytesMax: options.eventBytesMax)))
  }

  /// The path of the database file.
  public var path: String { store.path }

  /// Whether this process can only read the file: the file or its folder is read-only.
  package var isReadOnly: Bool { store.isReadOnly }

  /// Waits for running calls in other threads, and closes the file.
  ///
  /// Listeners receive no further commits. Calls that begin in the meantime or later throw
  /// `closed`, and so do queries of retained snapshots. Calls that are already running
  /// complete, including nested calls on the same thread. Closing again has no effect. A cache
  /// that is released without being closed closes the file too.
  ///
  /// This process's commits are first checkpointed from the log into the trees, so that the
  /// next process need not replay them.
  ///
  /// - Throws: ``LayoutCacheError``: `inUse` within a call to the same cache, such as the
  ///   closure of ``read(_:freshness:_:)``, where closing would deadlock; the cache stays open
  ///   then. `database` if SQLite fails.
  public func close() throws {
    try mappingErrors(path) {
      try store.close {
        following.end()
        // A failure loses nothing: the log contains every commit, and the times of variants only
        // order them.
        if isReadOnly { return }
        do {
          try variants.storeTimes()
          try checkpoint()
        } catch {
          logger.warning(
            "checkpoint on close failed; the changes remain in the log",
            metadata: ["error": .string("\(error)")])
        }
      }
    }
  }

  /// Runs a library call. The file stays open until it returns.
  ///
  /// - Parameter body: Called with the store's generation at the start of the call.
  func call<R>(_ body: (_ generation: Int) throws -> R) throws -> R {
    try mappingErrors(path) { try store.call(body) }
  }
}

/// A weak reference to a cache's coordinator, which retains the cache.
struct WeakCoordinator {
  weak var coordinator: (any ChangeCoordinator)?
}

/// Options of a cache.
public struct LayoutCacheOptions: Hashable, Sendable {
  /// The kinds of failure that an acknowledged change survives.
  public enum Durability: String, Hashable, Sendable {
    /// A killed process. A power failure may lose the last changes, but never damages the file.
    case process
    /// Also a power failure, at several times the cost per change.
    case power
  }

  /// Whether a missing file is created.
  public var createsFile = true
  public var durability = Durability.process
  /// The time to wait for another process's write, in seconds; negative values and NaN count as 0.
  public var busyTimeout = 5.0
  /// The capacity of the cache of tree nodes, in bytes; negative values count as 0.
  public var nodeCacheBytes = 256 << 20
  /// The sort memory of an import, in bytes; larger imports spill to SQLite's temporary file;
  /// negative values count as 0.
  public var importBytes = 128 << 20
  /// The number of threads for the blocking work of async calls, if no executor is passed;
  /// values below 1 count as 1.
  public var threadCountMax = 8
  /// The interval for polling the commits of other processes, while there are listeners; `nil`
  /// for never.
  package var lookInterval: Duration? = .milliseconds(200)
  /// The memory limit of all events that wait for listeners, in bytes.
  package var eventBytesMax = Budgets.eventBytes
  /// The size of each chunk of an archive except the last, in bytes.
  package var archiveChunkBytes = 256 << 10
  /// The maximum numbers of datasets in the file and of layouts of a dataset.
  package var datasetsMax = Limits.datasetsMax
  package var layoutsMax = Limits.layoutsMax
  /// The node sizes of new trees.
  package var treeShapes = TreeShapes.standard

  public init() {}
}
