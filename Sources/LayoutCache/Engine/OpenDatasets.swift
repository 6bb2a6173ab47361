import CollectionLayout
import Dispatch
import LayoutGeometry
import LayoutStore
import SumTree
import Synchronization

/// The datasets in memory, and the snapshots that queries answer from.
///
/// A state stands until somebody commits. What this process commits replaces it;
/// what others commit is seen by the store's generation, and the state is then
/// checked against the file before it is used again.
final class OpenDatasets: Sendable {
  fileprivate struct Entry {
    var state: DatasetState
    /// The store's generation at which the state was the file's.
    var generation: Int
    /// Snapshots of the state's layouts, by name, as far as queries have asked.
    var snapshots: [ExactKey: LayoutSnapshot] = [:]
  }

  fileprivate struct Content {
    var entries: [ExactKey: Entry] = [:] { didSet { last = nil } }
    /// The snapshot that was asked for last, as long as the entries stay what they are: to
    /// find one by its names takes as long as some elements of its answer.
    var last: (snapshot: LayoutSnapshot, generation: Int)?
    var commits: RecentCommits
    /// The layouts that threads of this process are bringing up to date, and the wait for
    /// their end.
    var underWay: [LayoutID: DispatchGroup] = [:]
    /// The memory that queries and edits have filled, in bytes.
    var bytes = 0
  }

  private let content: Mutex<Content>

  /// - Parameter commitsMax: The number of datasets whose last commits are told apart.
  init(commitsMax: Int = 4096) {
    content = Mutex(Content(commits: RecentCommits(countMax: commitsMax)))
  }

  /// The number of datasets in memory, and of those whose last commits are told apart.
  var counts: (entries: Int, commits: Int) {
    content.withLock { ($0.entries.count, $0.commits.count) }
  }

  /// The snapshot of a layout, if it is in memory and was the file's at a generation.
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
    /// The state, which may be behind the file.
    var state: DatasetState?
    /// The store's generation at which the state was the file's.
    var generation: Int?
    /// The layouts of the state that somebody has asked for, by name.
    var asked = AskedLayouts()
    fileprivate var commitCount: Int
  }

  /// The layouts that somebody has asked for since the last commit.
  struct AskedLayouts {
    // The snapshots as they are: a set of their names would be made with each commit.
    private let snapshots: [ExactKey: LayoutSnapshot]

    fileprivate init(_ snapshots: [ExactKey: LayoutSnapshot] = [:]) {
      self.snapshots = snapshots
    }

    func contains(_ layout: String) -> Bool { snapshots[ExactKey(layout)] != nil }
  }

  func known(_ dataset: String) -> Known {
    content.withLock { content in
      let key = ExactKey(dataset)
      let entry = content.entries[key]
      return Known(
        state: entry?.state, generation: entry?.generation,
        asked: AskedLayouts(entry?.snapshots ?? [:]), commitCount: content.commits.total)
    }
  }

  /// Takes over a state that was read from the file, unless this process has
  /// committed to the dataset in the meantime: that state is newer.
  ///
  /// - Parameters:
  ///   - generation: The store's generation before the file was read.
  ///   - known: What was known at that time.
  func take(_ state: DatasetState, generation: Int, since known: Known) {
    content.withLock { content in
      let key = ExactKey(state.row.name)
      guard content.commits.isUnchanged(key, since: known.commitCount) else { return }
      content.put(state, generation: generation)
    }
  }

  /// Takes over the state that this process has committed.
  func takeCommitted(_ state: DatasetState, generation: Int) {
    // The nodes that nobody needs any more are let go of after the lock: that takes
    // longer than all else here, and readers wait.
    _ = content.withLock { content in
      content.commits.add(ExactKey(state.row.name))
      return content.put(state, generation: generation)
    }
  }

  /// Whether this process is bringing a layout up to date: those who ask for it in the meantime
  /// are answered from its last result, if there is one, and do not wait.
  func isUnderWay(_ layout: LayoutID) -> Bool {
    content.withLock { $0.underWay[layout] != nil }
  }

  /// Runs `body`, which may lay a layout out, once no other thread does.
  func layingOut<Result>(_ layout: LayoutID, _ body: () throws -> Result) rethrows -> Result {
    let own = DispatchGroup()
    own.enter()
    while let other = begin(layout, own) { other.wait() }
    defer {
      content.withLock { $0.underWay[layout] = nil }
      own.leave()
    }
    return try body()
  }

  /// - Returns: The other thread's wait, where one is at work.
  private func begin(_ layout: LayoutID, _ own: DispatchGroup) -> DispatchGroup? {
    content.withLock { content in
      if let other = content.underWay[layout] { return other }
      content.underWay[layout] = own
      return nil
    }
  }

  /// Lets go of a dataset's state: what this process has committed, or failed to,
  /// has made it useless.
  func drop(_ dataset: String) {
    content.withLock { content in
      content.commits.add(ExactKey(dataset))
      content.entries[ExactKey(dataset)] = nil
    }
  }

  /// Keeps a snapshot for the next query, if it is of the state in memory.
  func keep(_ snapshot: LayoutSnapshot) {
    content.withLock { content in
      let key = ExactKey(snapshot.layout.dataset)
      guard let entry = content.entries[key], entry.state.revision == snapshot.revision,
        entry.state.row.id == snapshot.datasetID
      else { return }
      content.entries[key]?.snapshots[ExactKey(snapshot.layout.layout)] = snapshot
    }
  }

  /// The datasets whose log holds commits of this process that no checkpoint has.
  func uncheckpointed() -> [String] {
    content.withLock { content in
      content.entries.values.filter(\.state.hasOwnCommits).map(\.state.row.name).sorted()
    }
  }

  /// Notes memory that nodes have filled, and lets go of nodes where that exceeds the
  /// budget.
  ///
  /// Letting go of all nodes at once is crude and cheap: what is in use is read
  /// again, which is a small part of what filling the budget took. A dataset that
  /// no query has asked for since the last change goes as a whole: the log has what
  /// the file's trees lack.
  ///
  /// - Returns: Whether nodes were let go of.
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

/// The commits of this process, numbered, and the last one to each of the datasets with the most
/// recent commits: memory for a bounded number of names.
private struct RecentCommits {
  private let countMax: Int
  /// The number of commits to all datasets.
  private(set) var total = 0
  /// The number of the last commit to a dataset.
  private var last: [ExactKey: Int] = [:]
  /// Commits up to this number are forgotten: any dataset may have had them.
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
      // A reader that began earlier reads again. The commits until then are many, and readers
      // take milliseconds.
      last.removeAll(keepingCapacity: true)
      forgotten = total
    }
    total += 1
    last[dataset] = total
  }

  /// Whether it is known that a dataset has had no commit after the first `count`.
  func isUnchanged(_ dataset: ExactKey, since count: Int) -> Bool {
    count >= last[dataset] ?? forgotten
  }
}

extension OpenDatasets.Content {
  /// The approximate size of an entry besides its nodes, in bytes.
  private static let entryBytes = 4096

  /// - Returns: The entry that was there before.
  @discardableResult
  fileprivate mutating func put(
    _ state: DatasetState, generation: Int
  ) -> OpenDatasets.Entry? {
    let entry = OpenDatasets.Entry(state: state, generation: generation)
    let replaced = entries.updateValue(entry, forKey: ExactKey(state.row.name))
    if replaced == nil { bytes += Self.entryBytes }
    return replaced
  }
}

extension OpenDatasets.Entry {
  /// The entry with no nodes in memory but those that the file lacks.
  fileprivate func unloaded() -> OpenDatasets.Entry {
    var entry = self
    entry.snapshots = [:]
    entry.state.unload()
    return entry
  }
}
