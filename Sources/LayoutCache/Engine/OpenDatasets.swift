import Dispatch
import LayoutGeometry
import LayoutStore
import Synchronization

/// The datasets in memory and the snapshots that answer queries.
///
/// A state is valid until the next commit. A commit of this process replaces it. Commits of other
/// processes change the store's generation; the state is then checked against the file before it
/// is used again.
final class OpenDatasets: Sendable {
  fileprivate struct Entry {
    var state: DatasetState
    /// The store's generation at which the state was current.
    var generation: Int
    /// Distinguishes the entry from earlier and later ones of the dataset.
    let number: Int
    /// Snapshots of the state's layouts that queries have requested, by name.
    var snapshots: [ExactKey: LayoutSnapshot] = [:]
  }

  fileprivate struct Content {
    /// The number of entries so far.
    var entryCount = 0
    var entries: [ExactKey: Entry] = [:] { didSet { last = nil } }
    /// The most recently requested snapshot, while the entries are unchanged: a lookup by name
    /// takes as long as several elements of an answer.
    var last: (snapshot: LayoutSnapshot, generation: Int)?
    var commits: RecentCommits
    /// The layouts that threads of this process are updating, with the groups to wait for.
    var underWay: [LayoutID: (thread: UInt, end: DispatchGroup)] = [:]
    /// The layout that each waiting thread waits for.
    var awaited: [UInt: LayoutID] = [:]
    /// The memory used by nodes that queries and edits loaded, in bytes.
    var bytes = 0
  }

  private let content: Mutex<Content>

  /// - Parameter commitsMax: The number of datasets whose last commits are recorded separately.
  init(commitsMax: Int = 4096) {
    content = Mutex(Content(commits: RecentCommits(countMax: commitsMax)))
  }

  /// The number of datasets in memory, and of datasets with a recorded last commit.
  var counts: (entries: Int, commits: Int) {
    content.withLock { ($0.entries.count, $0.commits.count) }
  }

  /// Returns the snapshot of a layout, if it is in memory and was current at a generation.
  func snapshot(of layout: LayoutID, generation: Int) -> LayoutSnapshot? {
    content.withLock { content in
      if let last = content.last, last.generation == generation,
        last.snapshot.layout == layout
      {
        return last.snapshot
      }
      guard let entry = content.entries[ExactKey(layout.dataset)],
        entry.generation == generation,
        let snapshot = entry.snapshots[ExactKey(layout.layout)]
      else { return nil }
      content.last = (snapshot, generation)
      return snapshot
    }
  }

  /// The cached state of a dataset, without reading the file.
  struct Known {
    /// The state, which may lag behind the file.
    var state: DatasetState?
    /// The store's generation at which the state was current.
    var generation: Int?
    /// The number of the entry that has the state.
    var entry: Int?
    /// The requested layouts of the state, by name.
    var asked = AskedLayouts()
    fileprivate var commitCount: Int
  }

  /// The layouts that were requested since the last commit, or that have listeners.
  struct AskedLayouts {
    // The snapshots themselves: a set of names would have to be created for each commit.
    private let snapshots: [ExactKey: LayoutSnapshot]
    /// Those that have listeners, with their numbers.
    var followed: [ExactKey: Int] = [:]

    fileprivate init(_ snapshots: [ExactKey: LayoutSnapshot] = [:]) {
      self.snapshots = snapshots
    }

    func contains(_ layout: String) -> Bool {
      let key = ExactKey(layout)
      return snapshots[key] != nil || followed[key] != nil
    }
  }

  func known(_ dataset: String) -> Known {
    content.withLock { content in
      let key = ExactKey(dataset)
      let entry = content.entries[key]
      return Known(
        state: entry?.state, generation: entry?.generation, entry: entry?.number,
        asked: AskedLayouts(entry?.snapshots ?? [:]), commitCount: content.commits.total)
    }
  }

  /// Stores a state that was read from the file, unless this process has committed to the dataset
  /// in the meantime and so has a newer state.
  ///
  /// - Parameters:
  ///   - generation: The store's generation before the file was read.
  ///   - known: The cached state at that time.
  /// - Returns: The number of the entry; `nil` if the state is not stored.
  @discardableResult
  func take(_ state: DatasetState, generation: Int, since known: Known) -> Int? {
    content.withLock { content in
      let key = ExactKey(state.row.name)
      guard content.commits.isUnchanged(key, since: known.commitCount) else { return nil }
      content.put(state, generation: generation)
      return content.entryCount
    }
  }

  /// Stores the state that this process has committed.
  func takeCommitted(_ state: DatasetState, generation: Int) {
    // Unneeded nodes are released after the lock: that takes longer than everything else here,
    // and readers wait.
    _ = content.withLock { content in
      content.commits.add(ExactKey(state.row.name))
      return content.put(state, generation: generation)
    }
  }

  /// Returns whether this process is updating a layout. In the meantime queries are answered from
  /// its last result, if any, and do not wait.
  func isUnderWay(_ layout: LayoutID) -> Bool {
    content.withLock { $0.underWay[layout] != nil }
  }

  /// Whether this thread is updating a layout, so that it is in a callback of the work.
  var isUnderWayHere: Bool {
    let thread = currentThread
    return content.withLock { $0.underWay.values.contains { $0.thread == thread } }
  }

  /// Runs `body`, which may lay out the layout, once no other thread is doing so.
  ///
  /// - Throws: ``LayoutCacheError`` with `inUse` if this thread would wait for itself: within a
  ///   callback of the work on the layout, or of work that another thread waits for; errors of
  ///   `body`.
  func layingOut<Result>(
    _ layout: LayoutID, path: String, _ body: () throws -> Result
  ) throws -> Result {
    let own = DispatchGroup()
    own.enter()
    defer { own.leave() }
    while let other = try begin(layout, own, path) { other.wait() }
    defer { content.withLock { $0.underWay[layout] = nil } }
    return try body()
  }

  /// - Returns: The group to wait for, if another thread is at work.
  private func begin(
    _ layout: LayoutID, _ own: DispatchGroup, _ path: String
  ) throws -> DispatchGroup? {
    let thread = currentThread
    return try content.withLock { content in
      content.awaited[thread] = nil
      guard let other = content.underWay[layout] else {
        content.underWay[layout] = (thread, own)
        return nil
      }
      var holder: UInt? = other.thread
      while let waiting = holder {
        if waiting == thread { throw LayoutCacheError(.inUse(path: path)) }
        holder = content.awaited[waiting].flatMap { content.underWay[$0]?.thread }
      }
      content.awaited[thread] = layout
      return other.end
    }
  }

  /// Discards a dataset's state, which a successful or failed commit of this process has
  /// invalidated.
  func drop(_ dataset: String) {
    content.withLock { content in
      content.commits.add(ExactKey(dataset))
      content.entries[ExactKey(dataset)] = nil
    }
  }

  /// Discards all states and snapshots, as ``drop(_:)``.
  func dropAll() {
    content.withLock { content in
      content.commits.forgetAll()
      content.entries = [:]
    }
  }

  /// Stores a snapshot for the next query, unless the entry that it was made from was replaced.
  /// Another one may lack the layout, at the same revision.
  func keep(_ snapshot: LayoutSnapshot, of entry: Int) {
    content.withLock { content in
      let key = ExactKey(snapshot.layout.dataset)
      guard content.entries[key]?.number == entry else { return }
      content.entries[key]?.snapshots[ExactKey(snapshot.layout.layout)] = snapshot
    }
  }

  /// Returns the datasets with commits of this process that no checkpoint contains.
  func uncheckpointed() -> [String] {
    content.withLock { content in
      content.entries.values.filter(\.state.hasOwnCommits).map(\.state.row.name).sorted()
    }
  }

  /// Records memory used by loaded nodes, and unloads nodes if it exceeds the budget.
  ///
  /// Unloading all nodes together is crude and cheap: active nodes are read again, which takes a
  /// small part of the time that filling the budget took. A dataset without queries since its
  /// last change is removed entirely: the log has the changes that the file's trees lack.
  ///
  /// - Returns: Whether nodes were unloaded.
  func noteLoaded(bytes loaded: Int, budget: Int) -> Bool {
    content.withLock { content in
      content.bytes += loaded
      guard content.bytes > budget else { return false }
      content.bytes = 0
      for (key, entry) in content.entries {
        content.entries[key] = entry.snapshots.isEmpty ? nil : entry.unloaded()
      }
      return true
    }
  }
}

/// The commits of this process, numbered, and the last commit to each recently changed dataset.
/// The number of names is bounded.
private struct RecentCommits {
  private let countMax: Int
  /// The number of commits to all datasets.
  private(set) var total = 0
  /// The number of the last commit to each dataset.
  private var last: [ExactKey: Int] = [:]
  /// Commits up to this number are no longer recorded: any dataset may have had them.
  private var forgotten = 0

  init(countMax: Int) {
    precondition(countMax > 0, "the dataset of the last commit is remembered")
    self.countMax = countMax
  }

  /// The number of datasets whose last commits are known.
  var count: Int { last.count }

  /// Adds a commit to a dataset.
  ///
  /// - Complexity: O(1) amortized.
  mutating func add(_ dataset: ExactKey) {
    if last.count == countMax, last[dataset] == nil {
      // A reader that began earlier must read again. This is rare: it takes that many commits
      // during one read, and reads take milliseconds.
      last.removeAll(keepingCapacity: true)
      forgotten = total
    }
    total += 1
    last[dataset] = total
  }

  /// Counts a commit to every dataset.
  mutating func forgetAll() {
    total += 1
    last.removeAll(keepingCapacity: true)
    forgotten = total
  }

  /// Returns whether a dataset is known to have had no commit after the first `count`.
  func isUnchanged(_ dataset: ExactKey, since count: Int) -> Bool {
    count >= last[dataset] ?? forgotten
  }
}

extension OpenDatasets.Content {
  /// The approximate size of an entry without its nodes, in bytes.
  private static let entryBytes = 4096

  /// - Returns: The previous entry.
  @discardableResult
  fileprivate mutating func put(
    _ state: DatasetState, generation: Int
  ) -> OpenDatasets.Entry? {
    entryCount += 1
    let entry = OpenDatasets.Entry(state: state, generation: generation, number: entryCount)
    let replaced = entries.updateValue(entry, forKey: ExactKey(state.row.name))
    if replaced == nil { bytes += Self.entryBytes }
    return replaced
  }
}

extension OpenDatasets.Entry {
  /// Returns the entry with only the nodes in memory that the file lacks.
  fileprivate func unloaded() -> OpenDatasets.Entry {
    var entry = self
    entry.snapshots = [:]
    entry.state.unload()
    return entry
  }
}
