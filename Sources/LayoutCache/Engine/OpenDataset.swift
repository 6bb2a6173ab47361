import LayoutGeometry
import LayoutStore
import Synchronization

/// A dataset in memory: the only owner of its state and of the snapshots that answer queries.
///
/// A state is valid until the next commit. A commit of this process replaces it. Commits of other
/// processes change the store's generation; the state is then advanced to the file's before it is
/// used again. Nothing waits for the object: it is locked only to look at its values, and readers
/// that advance the state at the same time do so each on a copy, of which the first one stays.
final class OpenDataset: Sendable {
  fileprivate struct Content {
    var state: DatasetState?
    /// The store's generation at which the state was current.
    var generation = 0
    /// Rises whenever the state is replaced.
    var number = 0
    /// Snapshots of the state's layouts that queries have requested, by name.
    var snapshots: [ExactKey: LayoutSnapshot] = [:]
    /// The most recently requested one: a lookup by name takes as long as several elements of an
    /// answer.
    var last: LayoutSnapshot?

    /// - Returns: The previous content.
    mutating func replace(with state: DatasetState, _ generation: Int) -> Content {
      defer { self = Content(state: state, generation: generation, number: number + 1) }
      return self
    }
  }

  let name: String
  private let content = Mutex(Content())

  init(_ name: String) { self.name = name }

  /// Whether no state has been read yet.
  var isEmpty: Bool { content.withLock { $0.state == nil } }

  /// Whether no query has used the present state.
  var isIdle: Bool { content.withLock { $0.snapshots.isEmpty } }

  /// Whether the state has commits of this process that no checkpoint contains.
  var hasOwnCommits: Bool { content.withLock { $0.state?.hasOwnCommits ?? false } }

  /// Returns the state, if it was current at a generation; `nil` for any.
  func state(at generation: Int?) -> DatasetState? {
    content.withLock { $0.generation == generation ?? $0.generation ? $0.state : nil }
  }

  /// Returns the snapshot of an active layout, which is created if necessary.
  ///
  /// - Parameters:
  ///   - generation: The generation at which the state must be current; `nil` for any.
  ///   - make: Creates the snapshot of a layout of a state.
  func snapshot(
    of layout: String, at generation: Int?, _ make: (LayoutState, DatasetState) -> LayoutSnapshot
  ) -> LayoutSnapshot? {
    content.withLock { content in
      guard generation ?? content.generation == content.generation else { return nil }
      if let last = content.last, last.layout.layout.isExactly(layout) { return last }
      let key = ExactKey(layout)
      if content.snapshots[key] == nil, let state = content.state {
        content.snapshots[key] = state.layout(named: layout).map { make($0, state) }
      }
      content.last = content.snapshots[key]
      return content.last
    }
  }

  /// Whether a layout was requested since the last commit.
  func isRequested(_ layout: String) -> Bool {
    content.withLock { $0.snapshots[ExactKey(layout)] != nil }
  }

  /// Stores the state that this process has committed.
  func commit(_ state: DatasetState, generation: Int) {
    // Unneeded nodes are released after the lock: that takes longer than everything else here,
    // and readers wait.
    _ = content.withLock { $0.replace(with: state, generation) }
  }

  /// Releases the loaded nodes.
  func unload() {
    content.withLock { content in
      (content.snapshots, content.last) = ([:], nil)
      content.state?.unload()
    }
  }
}

extension OpenDataset {
  /// A read of a dataset, which begins before its transaction.
  struct Reading {
    /// The state in memory at the begin, which may be older or newer than the transaction's.
    let known: DatasetState?
    private let dataset: OpenDataset
    private let knownGeneration: Int
    /// The store's generation at the begin.
    private let generation: Int
    private var number: Int

    init(_ dataset: OpenDataset, generation: Int) {
      (self.dataset, self.generation) = (dataset, generation)
      (known, knownGeneration, number) = dataset.content.withLock {
        ($0.state, $0.generation, $0.number)
      }
    }

    /// The state in memory, unless another process has committed since: it has no commit less than
    /// the file, and perhaps more than the transaction sees.
    var current: DatasetState? { knownGeneration == generation ? known : nil }

    /// Gives the dataset the state that the transaction has seen, unless it has another one by now:
    /// that of a commit, or of a read that was earlier.
    mutating func advance(to state: DatasetState) {
      // The former one is released after the lock.
      _ = dataset.content.withLock { content -> Content? in
        guard content.number == number else { return nil }
        if let present = content.state, present.isSame(as: state) {
          content.generation = max(content.generation, generation)
          return nil
        }
        let old = content.replace(with: state, generation)
        number = content.number
        return old
      }
    }
  }
}

extension DatasetState {
  /// Whether another state is the same revision of the same checkpoint with the same active
  /// layouts. Renaming a layout makes no revision.
  fileprivate func isSame(as other: DatasetState) -> Bool {
    revision == other.revision && row.isSameCheckpoint(as: other.row)
      && layouts.count == other.layouts.count
      && layouts.allSatisfy { id, layout in
        other.layouts[id].map {
          $0.row.isSameWork(as: layout.row) && $0.row.name.isExactly(layout.row.name)
        } ?? false
      }
  }
}
