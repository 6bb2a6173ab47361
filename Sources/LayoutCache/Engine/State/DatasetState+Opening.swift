import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

extension DatasetState {
  /// The state of a dataset as the file has it: a known one moved on by what was
  /// committed since, or the checkpoint moved on by the log's tail.
  ///
  /// - Parameters:
  ///   - known: An earlier state; kept as far as the file still has its checkpoint.
  ///   - reader: One committed state of the file.
  ///   - shapes: The sizes of nodes that edits make.
  /// - Throws: ``LayoutCacheError`` with `noSuchDataset`; `StoreError` with `corrupt`
  ///   where the log is damaged.
  /// - Complexity: O(log items) nodes for each operation of the tail, which is
  ///   bounded.
  static func current(
    _ name: String, known: DatasetState?, reader: StoreReader, kinds: CustomKinds,
    shapes: TreeShapes
  ) throws -> DatasetState {
    let row = try reader.requireDataset(name)
    var state: DatasetState
    if let known, known.row.isSameCheckpoint(as: row) {
      state = known
      for (id, layout) in known.layouts {
        let stored = try reader.layout(named: layout.row.name, of: row.id)
        if stored.map({ layout.row.isSameCheckpoint(as: $0) }) != true {
          state.layouts[id] = nil
        }
      }
    } else {
      state = try DatasetState(checkpoint: row, reader, shapes)
    }
    try state.followLog(to: reader.logHead(of: row.id), reader)
    // What was in use stays in use, where it can. What hinders it is found, and dealt
    // with, when it is next asked for.
    for layout in known?.layouts.values.map(\.row.name).sorted() ?? [] {
      _ = try state.bring(layout, mayBeBehind: true, reader: reader, kinds: kinds)
    }
    assert(state.revision >= row.revision, "the state is older than its checkpoint")
    assert(
      state.layouts.values.allSatisfy { $0.row.result?.revision ?? 0 <= state.revision },
      "a layout's checkpoint is newer than its dataset")
    return state
  }

  /// The dataset as a row of the file has it, before the log is followed.
  init(checkpoint row: DatasetRow, _ reader: StoreReader, _ shapes: TreeShapes) throws {
    self.init(
      row: row, head: LogHead(dataset: row.id, revision: row.revision, time: 0, total: .none),
      trees: try DatasetTrees(row, reader, shapes), shapes: shapes)
  }

  /// The dataset as it was at a revision, without layouts: the checkpoint moved forward along
  /// the log, or back by the inverse of its entries.
  ///
  /// - Parameters:
  ///   - row: The dataset's, as the file has it.
  ///   - revision: At most the log's.
  /// - Returns: `nil` where the log does not lead there, or undo cannot revert one of its
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

  /// A dataset whose items are about to be replaced, without them.
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

  /// Moves on by what the log holds after the state's revision.
  private mutating func followLog(to head: LogHead, _ reader: StoreReader) throws {
    guard head.revision >= revision else {
      throw StoreError(
        .corrupt(detail: "the log of dataset '\(row.name)' ends before its trees"),
        path: reader.path)
    }
    try recallFormerIfUndone(reader)
    let session = TreeSession(reader, edits: edits)
    defer { edits = session.edits }
    try reader.forEachLogRow(after: revision, upTo: head) { entry in
      let batch = try LoggedBatch(entry, path: reader.path)
      try follow(entry, batch, in: session, path: reader.path) { _, _ in }
    }
    assert(revision == head.revision, "the log has been followed to another revision")
    self.head = head
  }

  /// Moves back by the inverse of the log's entries, without layouts.
  ///
  /// - Returns: `false` where undo cannot revert one of them, or one is damaged. The state is then
  ///   of no more use.
  private mutating func rewindLog(to head: LogHead, _ reader: StoreReader) throws -> Bool {
    let session = TreeSession(reader, edits: edits)
    defer { edits = session.edits }
    do {
      try reader.forEachLogRowBackward(of: row.id, in: (head.revision + 1)...revision) { entry in
        try carryOut(
          try LoggedBatch(entry, path: reader.path).undone(), in: session, path: reader.path)
      }
    } catch is UndoObstacle {
      return false
    } catch let error as StoreError where error.isCorrupt {
      // The present state does not depend on an entry before the checkpoint.
      return false
    }
    self.head = head
    return true
  }

  /// Moves on by the next entry of the log, with the layouts in use. One that can't follow
  /// is in use no longer: it is opened again when it is next asked for, and what is wrong
  /// with it is found there.
  ///
  /// - Parameters:
  ///   - batch: What the entry holds.
  ///   - note: Told of each layout what became of it.
  /// - Throws: `StoreError` with `corrupt` where the entry does not fit; what reading the
  ///   dataset throws. The state is then of no more use.
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

  /// Carries a resolved batch out on the dataset's trees.
  ///
  /// - Throws: `StoreError` with `corrupt` where it does not fit them.
  mutating func carryOut(
    _ batch: LoggedBatch, in session: TreeSession, path: String
  ) throws {
    do {
      for operation in batch.operations { try trees.apply(operation, in: session) }
    } catch is MisplacedOperation {
      throw StoreError(
        .corrupt(
          detail: "log entry \(revision + 1) of dataset '\(excerpt(row.name))' does not fit it"),
        path: path)
    }
  }

  /// The outcome for an active layout when its dataset changes.
  enum Followed {
    /// It has followed: what that did to it.
    case context(InvalidationContext)
    /// It cannot be laid out.
    case isBeyond(LayoutRefusal)
    /// It is to be laid out from scratch: the batch says so, or its nodes are damaged.
    case needsLayout
  }

  /// Moves a layout in use on by a batch.
  private mutating func follow(
    _ batch: LoggedBatch, _ id: Int64, in session: TreeSession
  ) throws -> Followed {
    guard !batch.isEverything(for: id) else { return .needsLayout }
    do {
      let context = try layouts[id]?.apply(batch, trees, shapes, in: session)
      return context.map { .context($0) } ?? .needsLayout
    } catch {
      if let refusal = LayoutRefusal(error) { return .isBeyond(refusal) }
      guard Damage(error) != nil else { throw error }
      return .needsLayout
    }
  }
}

extension LogExtent {
  mutating func add(_ row: LogRow) {
    batches += 1
    // A damaged count is a long tail, and no more.
    let (sum, overflow) = operations.addingReportingOverflow(row.operations)
    operations = overflow ? .max : sum
    bytes += row.payload.count
  }
}
