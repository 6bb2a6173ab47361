import CollectionLayout
import LayoutStore
import SumTree

// Carrying out what a shared log has decided on. Whoever calls sees to it that no two threads
// do so with one dataset at a time.

extension LayoutCache {
  /// An entry of a shared log, and what the caller wants to see of it.
  package struct DecidedEntry: Sendable {
    package var entry: SharedEntry
    package var view: BatchView

    package init(_ entry: SharedEntry, _ view: BatchView = BatchView()) {
      self.entry = entry
      self.view = view
    }
  }

  /// Entries of one dataset, one behind the other.
  package struct DecidedRun: Sendable {
    package var dataset: String
    /// Where the dataset stands.
    package var position: SharedPosition
    /// Those behind the position. What is pinned is to be laid out before the entry behind the
    /// pin: a pin is the last.
    package var entries: [DecidedEntry]

    package init(
      of dataset: String, behind position: SharedPosition, _ entries: [DecidedEntry]
    ) {
      assert(entries.dropLast().allSatisfy { $0.entry.kind != .pin }, "a pin is the last")
      self.dataset = dataset
      self.position = position
      self.entries = entries
    }
  }

  /// Carries entries of the shared log out, in one transaction.
  ///
  /// Images are loaded instead; see ``loadImage``.
  ///
  /// - Parameter runs: Of different datasets.
  /// - Returns: What each entry did, by run.
  /// - Throws: ``SharedMisfit``; ``LayoutCacheError`` with `database`. None is carried out then.
  package func accept(_ runs: [DecidedRun], in log: [UInt8]) throws -> [[Commit]] {
    try call { _ in
      let asked = runs.map { openDatasets.known($0.dataset).asked }
      return try changeAll(runs.map(\.dataset)) { index, change in
        var position = runs[index].position
        return try runs[index].entries.map { decided in
          let entry = decided.entry
          change.begin(at: entry.time)
          do {
            let commit = try accept(
              decided, behind: position, in: log, into: &change, asked: asked[index])
            position.sequence = entry.sequence
            position.chain = entry.chain
            return commit
          } catch let error as ByteError {
            throw SharedMisfit.doesNotApply("entry \(entry.sequence): \(error)")
          }
        }
      }
    }
  }

  private func accept(
    _ decided: DecidedEntry, behind position: SharedPosition, in log: [UInt8],
    into change: inout DatasetChange, asked: OpenDatasets.AskedLayouts
  ) throws -> Commit {
    let entry = decided.entry
    let replica = try change.replica(at: position, of: log)
    var commit = Commit(changingNothingAt: change.state.revision, of: change.state.row)
    switch entry.kind {
    case .batch:
      let batch = try LoggedBatch(entry.payload)
      try change.requireFormer(of: batch)
      // Only its request is to be known. Some batches without operations make a revision.
      if entry.revision == change.state.revision { break }
      (commit, _) = try carryOut(decided.view, in: &change, asked: asked) { change in
        try change.state.carryOut(batch, in: change.session, path: path)
        return batch
      }
      try change.deletePins(endedBy: batch)
    case .layout: try change.change(layout: SharedLayoutChange(entry.payload))
    case .pin: try change.put(SharedPin(entry.payload))
    case .image: throw SharedMisfit.doesNotApply("an image is loaded")
    case .rules: break
    }
    try change.note(entry, in: replica)
    commit.sequence = entry.sequence
    return commit
  }

  /// Lays out what an entry has pinned, if nothing else has come behind it.
  package func layOutPinned(_ entry: SharedEntry, in dataset: String) throws {
    let pin = try SharedPin(entry.payload)
    let name = try mappingErrors(path) {
      try store.read { try $0.layout(id: pin.layout)?.name }
    }
    guard let name else { return }
    do {
      _ = try prepareHere(LayoutID(name, of: dataset), discardingSpace: nil, LayoutWatch(clock))
    } catch let error as LayoutCacheError {
      // Whoever asks for it is told.
      guard case .cannotLayOut = error.code else { throw error }
    }
  }
}
