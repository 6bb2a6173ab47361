import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension DatasetState {
  /// Returns the present state of a dataset in the file: a known state advanced by later commits,
  /// or the checkpoint advanced by the log's tail.
  ///
  /// - Parameters:
  ///   - known: Another state; reused as far as the file still has its checkpoint, unless a commit
  ///     that `reader` does not see has led to it.
  ///   - wanted: A layout that the caller will activate: if its result is of the dataset's
  ///     checkpoint, it follows the log together with the trees.
  ///   - reader: One committed state of the file.
  ///   - shapes: The sizes of nodes created by edits.
  /// - Throws: ``LayoutCacheError`` with `noSuchDataset`; `StoreError` with `corrupt` if the log
  ///   is damaged.
  /// - Complexity: O(log items) nodes for each operation of the tail, whose length is bounded.
  static func current(
    _ name: String, known: DatasetState?, wanted: String? = nil, reader: StoreReader,
    kinds: CustomKinds, shapes: TreeShapes
  ) throws -> DatasetState {
    let row = try reader.requireDataset(name)
    let head = try reader.logHead(of: row.id)
    let active = known?.layouts.values.sorted { $0.row.id < $1.row.id } ?? []
    var state: DatasetState
    if let known, known.revision <= head.revision, known.row.isSameCheckpoint(as: row) {
      state = known
      for (id, layout) in known.layouts {
        let stored = try reader.presentLayout(named: layout.row.name, of: row)
        if stored.map({ layout.row.isSameCheckpoint(as: $0) }) != true {
          state.layouts[id] = nil
        }
      }
    } else {
      state = try DatasetState(checkpoint: row, reader, shapes)
      // The log is decoded once for the trees and these layouts.
      for layout in active.map(\.row.name) + [wanted].compactMap(\.self)
      where try reader.presentLayout(named: layout, of: row)?.result?.revision == row.revision {
        _ = try state.bring(layout, mayLag: false, reader: reader, kinds: kinds)
      }
    }
    try state.followLog(to: head, reader)
    // Active layouts stay active if possible. An obstacle is found and handled when the layout is
    // next requested, which this is not.
    for layout in active {
      _ = try state.bring(layout.row.name, mayLag: true, reader: reader, kinds: kinds)
      state.layouts[layout.row.id]?.lastAsked = layout.lastAsked
    }
    assert(state.revision >= row.revision, "the state is older than its checkpoint")
    assert(
      state.layouts.values.allSatisfy { $0.row.result?.revision ?? 0 <= state.revision },
      "a layout's checkpoint is newer than its dataset")
    return state
  }

  /// Creates the state of a row of the file, before the log is followed.
  init(checkpoint row: DatasetRow, _ reader: StoreReader, _ shapes: TreeShapes) throws {
    self.init(
      row: row, head: LogHead(dataset: row.id, revision: row.revision, time: 0, total: .none),
      trees: try DatasetTrees(row, reader, shapes), shapes: shapes)
  }

  /// Returns the dataset as of a revision, without layouts: the checkpoint moved forward along
  /// the log, or back by the inverse of its entries.
  ///
  /// - Parameters:
  ///   - row: The dataset's row in the file.
  ///   - revision: At most the log's last revision.
  /// - Returns: `nil` if the log does not lead to the revision, or undo cannot revert one of its
  ///   entries.
  /// - Complexity: O(log items) nodes for each operation of the log between the two.
  static func past(
    _ row: DatasetRow, at revision: Int, _ reader: StoreReader, _ shapes: TreeShapes
  ) throws -> DatasetState? {
    var past = try DatasetState(checkpoint: row, reader, shapes)
    past.isPast = true
    guard let head = try reader.logHead(of: row.id, at: revision) else { return nil }
    if revision < row.revision {
      guard try past.rewindLog(to: head, reader) else { return nil }
    } else {
      try past.followLog(to: head, reader)
    }
    return past
  }

  /// Returns a dataset whose items are about to be replaced, without its items.
  ///
  /// - Throws: ``LayoutCacheError`` with `noSuchDataset`.
  static func beforeReplacing(
    _ name: String, reader: StoreReader, shapes: TreeShapes
  ) throws -> DatasetState {
    let row = try reader.requireDataset(name)
    return DatasetState(
      row: row, head: try reader.logHead(of: row.id),
      trees: DatasetTrees(hash: reader.hash, shapes: shapes), shapes: shapes)
  }

  /// Advances the state by the log's entries after its revision.
  private mutating func followLog(to head: LogHead, _ reader: StoreReader) throws {
    guard head.revision >= revision else {
      throw StoreError(
        .corrupt(detail: "the log of dataset '\(row.name)' ends before the revision of its trees"),
        path: reader.path)
    }
    let session = TreeSession(reader, edits: edits)
    defer { edits = session.edits }
    try reader.forEachLogRow(after: revision, upTo: head) { entry in
      let batch = try LoggedBatch(entry, path: reader.path)
      try follow(entry, batch, in: session, path: reader.path) { _, _ in }
    }
    assert(revision == head.revision, "the log has been followed to another revision")
    self.head = head
  }

  /// Moves the state back by the inverse of the log's entries, without layouts.
  ///
  /// - Returns: `false` if undo cannot revert one of them, or one is damaged. The state is then
  ///   unusable.
  private mutating func rewindLog(to head: LogHead, _ reader: StoreReader) throws -> Bool {
    let session = TreeSession(reader, edits: edits)
    defer { edits = session.edits }
    do {
      try reader.forEachLogRowBackward(of: row.id, in: (head.revision + 1)...revision) { entry in
        try carryOut(
          try LoggedBatch(entry, path: reader.path).reverted(), in: session, path: reader.path)
      }
    } catch is BatchError {
      return false
    } catch let error as StoreError where error.isCorrupt {
      // The present state does not depend on an entry before the checkpoint.
      return false
    }
    self.head = head
    return true
  }

  /// Advances the state and its active layouts by the next entry of the log. A layout that cannot
  /// follow becomes inactive: it is opened again when it is next requested, and the reason is
  /// found then.
  ///
  /// - Parameters:
  ///   - batch: The batch of the entry.
  ///   - note: Receives the outcome for each layout.
  /// - Throws: `StoreError` with `corrupt` if the entry does not fit; errors of reading the
  ///   dataset. The state is then unusable.
  mutating func follow(
    _ entry: LogRow, _ batch: LoggedBatch, in session: TreeSession, path: String,
    _ note: (LayoutState, Followed) -> Void
  ) throws {
    assert(entry.revision == revision + 1, "revisions rise by one")
    try carryOut(batch, in: session, path: path)
    head = LogHead(entry)
    tail.add(entry)
    for (id, layout) in layouts {
      let followed = try follow(batch, id, in: session)
      note(layout, followed)
      guard case .context = followed else {
        layouts[id] = nil
        continue
      }
    }
  }

  /// Applies a resolved batch to the dataset's trees.
  ///
  /// - Throws: `StoreError` with `corrupt` if the batch does not fit them.
  mutating func carryOut(
    _ batch: LoggedBatch, in session: TreeSession, path: String
  ) throws {
    do {
      try trees.apply(batch, in: session)
    } catch is Damage {
      throw StoreError(
        .corrupt(
          detail: "log entry \(revision + 1) of dataset '\(excerpt(row.name))' does not apply"),
        path: path)
    }
  }

  /// The outcome for an active layout when its dataset changes.
  enum Followed {
    /// The layout has followed; contains its changes.
    case context(InvalidationContext)
    /// The layout cannot be laid out.
    case exceedsLimits(LayoutRefusal)
    /// The layout must be laid out from scratch: the batch requires it, or its nodes are damaged.
    case needsLayout
  }

  /// Advances an active layout by a batch.
  private mutating func follow(
    _ batch: LoggedBatch, _ id: Int64, in session: TreeSession
  ) throws -> Followed {
    guard !batch.isEverything(for: id) else { return .needsLayout }
    do {
      let revision = revision
      let context = try layouts[id]?.apply(batch, at: revision, trees, shapes, in: session)
      return context.map { .context($0) } ?? .needsLayout
    } catch {
      if let refusal = LayoutRefusal(error) { return .exceedsLimits(refusal) }
      guard Damage(error) != nil || error is HistoryIsLost else { throw error }
      return .needsLayout
    }
  }
}

extension LogExtent {
  mutating func add(_ row: LogRow) {
    batches += 1
    // A damaged count only results in a long tail.
    let (sum, overflow) = operations.addingReportingOverflow(row.operations)
    operations = overflow ? .max : sum
    bytes += row.payload.count
  }
}
