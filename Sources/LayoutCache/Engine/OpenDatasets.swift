import Dispatch
import LayoutGeometry
import LayoutStore
import Synchronization

/// The datasets in memory.
///
/// A dataset that was removed, renamed, or whose state does not match the file is forgotten, and
/// the next call reads it again. Calls that still use the object change nothing then: no other
/// call finds it.
final class OpenDatasets: Sendable {
  private struct Content {
    var datasets: [ExactKey: OpenDataset] = [:] { didSet { last = nil } }
    /// The dataset of the most recent call, while no other one is opened.
    var last: OpenDataset?
    /// The layouts that threads of this process are updating, with the groups to wait for.
    var underWay: [LayoutID: (thread: UInt, end: DispatchGroup)] = [:]
    /// The layout that each waiting thread waits for.
    var awaited: [UInt: LayoutID] = [:]
    /// The memory used by nodes that queries and edits loaded, in bytes.
    var bytes = 0
  }

  /// The approximate size of a dataset without its nodes, in bytes.
  private static let datasetBytes = 4096

  private let content = Mutex(Content())

  /// The number of datasets in memory.
  var count: Int { content.withLock { $0.datasets.count } }

  /// Returns a dataset, if it is in memory.
  func dataset(inMemory name: String) -> OpenDataset? {
    content.withLock { content in
      if let last = content.last, last.name.isExactly(name) { return last }
      content.last = content.datasets[ExactKey(name)]
      return content.last
    }
  }

  /// Runs `body` on a dataset, whether or not it is in memory.
  func withDataset<R>(_ name: String, _ body: (OpenDataset) throws -> R) rethrows -> R {
    let dataset = opened(name)
    defer { forgetIfEmpty(dataset) }
    return try body(dataset)
  }

  /// Stores the state that this process has committed: for the next call that looks for the
  /// dataset, even if it was forgotten during the commit.
  func commit(_ state: DatasetState, generation: Int) {
    opened(state.row.name).commit(state, generation: generation)
  }

  /// Returns a dataset, whether or not it is in memory; see ``forgetIfEmpty(_:)``.
  func opened(_ name: String) -> OpenDataset {
    content.withLock { content in
      if let last = content.last, last.name.isExactly(name) { return last }
      let key = ExactKey(name)
      if let known = content.datasets[key] { return known }
      let dataset = OpenDataset(name)
      content.datasets[key] = dataset
      content.bytes += Self.datasetBytes
      return dataset
    }
  }

  /// Forgets a dataset that does not exist.
  func forgetIfEmpty(_ dataset: OpenDataset) {
    guard dataset.isEmpty else { return }
    content.withLock { content in
      let key = ExactKey(dataset.name)
      guard content.datasets[key] === dataset, dataset.isEmpty else { return }
      content.datasets[key] = nil
      content.bytes -= Self.datasetBytes
    }
  }

  /// Forgets a dataset's state, which a successful or failed commit of this process has
  /// invalidated.
  func forget(_ name: String) {
    _ = content.withLock { $0.datasets.removeValue(forKey: ExactKey(name)) }
  }

  /// Forgets all states, as ``forget(_:)``.
  func forgetAll() {
    content.withLock { $0.datasets = [:] }
  }

  /// Returns the datasets with commits of this process that no checkpoint contains.
  func uncheckpointed() -> [String] {
    content.withLock { $0.datasets.values.filter(\.hasOwnCommits).map(\.name).sorted() }
  }

  /// Records memory used by loaded nodes, and unloads nodes if it exceeds the budget.
  ///
  /// Unloading all nodes together is crude and cheap: active nodes are read again, which takes a
  /// small part of the time that filling the budget took. A dataset without queries since its
  /// last change is forgotten: the log has the changes that the file's trees lack.
  ///
  /// - Parameter isFollowed: Whether a dataset has listeners, for which its layouts stay active.
  /// - Returns: Whether nodes were unloaded.
  func noteLoaded(bytes loaded: Int, budget: Int, isFollowed: (String) -> Bool) -> Bool {
    let datasets = content.withLock { content -> [OpenDataset] in
      content.bytes += loaded
      guard content.bytes > budget else { return [] }
      content.bytes = 0
      return Array(content.datasets.values)
    }
    for dataset in datasets {
      if dataset.isIdle, !isFollowed(dataset.name) {
        forget(dataset.name)
      } else {
        dataset.unload()
      }
    }
    return !datasets.isEmpty
  }
}

// MARK: - Layouts under way

extension OpenDatasets {
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
}
