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

  /// Advances the state and its active layouts by the log's entries after its revision. A layout
  /// that cannot follow becomes inactive: it is opened again when it is next requested, and the
  /// reason is found then.
  ///
  /// - Throws: `StoreError` with `corrupt` if an entry does not fit; errors of reading the dataset.
  ///   The state is then unusable.
  private mutating func followLog(to head: LogHead, _ reader: StoreReader) throws {
    guard head.revision >= revision else {
      throw StoreError(
        .corrupt(detail: "the log of dataset '\(row.name)' ends before the revision of its trees"),
        path: reader.path)
    }
    if head.revision == revision {
      // With the time and the totals, which a checkpoint lacks.
      self.head = head
      return
    }
    let session = TreeSession(reader, edits: edits)
    defer { edits = session.edits }
    try reader.forEachLogRow(after: revision, upTo: head) { entry in
      let batch = try LoggedBatch(entry, path: reader.path)
      assert(entry.revision == revision + 1, "revisions rise by one")
      try carryOut(batch, in: session, path: reader.path)
      self.head = LogHead(entry)
      tail.add(entry)
      for id in layouts.keys {
        guard let context = try follow(batch, id, in: session) else {
          layouts[id] = nil
          continue
        }
        // Otherwise the process that committed has stored the step.
        let space = layouts[id]?.row.result?.space
        if let space, try LoggedContexts(entry).context(in: space, path: reader.path) == nil {
          let step = ContextStep(start: revision - 1, end: revision, context: context)
          layouts[id]?.add(step)
        }
      }
    }
    assert(revision == head.revision, "the log has been followed to another revision")
    self.head = head
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

  /// Advances an active layout by a batch.
  ///
  /// - Returns: The changes; `nil` if the layout cannot follow: it must be laid out from scratch, its
  ///   nodes are damaged, or it cannot be laid out.
  private mutating func follow(
    _ batch: LoggedBatch, _ id: Int64, in session: TreeSession
  ) throws -> InvalidationContext? {
    guard !batch.isEverything(for: id) else { return nil }
    do {
      let revision = revision
      return try layouts[id]?.apply(batch, at: revision, trees, shapes, in: session)
    } catch {
      guard LayoutRefusal(error) != nil || Damage(error) != nil else { throw error }
      return nil
    }
  }
}

extension LogExtent {
  mutating func add(_ row: LogRow) {
    batches += 1
    // A damaged count only results in a long tail.
    let (sum, overflow) = operations.addingReportingOverflow(row.operations)
    operations = overflow ? .max : sum
    bytes += row.bytes
  }
}
