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
  /// - Throws: ``LayoutCacheError`` with `noSuchDataset`; `StoreError` with `corrupt`
  ///   where the log is damaged.
  /// - Complexity: O(log items) nodes for each operation of the tail, which is
  ///   bounded.
  static func current(
    _ name: String, known: DatasetState?, reader: StoreReader, kinds: CustomKinds
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
      state = DatasetState(
        row: row, revision: row.revision,
        trees: try DatasetTrees(row, hash: reader.hash, path: reader.path))
    }
    try state.followLog(reader)
    // What was in use stays in use.
    for layout in known?.layouts.values.map(\.row.name).sorted() ?? [] {
      try state.bringIfPossible(layout, mayBeBehind: true, reader: reader, kinds: kinds)
    }
    return state
  }

  /// A dataset whose items are about to be replaced, without them.
  ///
  /// - Throws: ``LayoutCacheError`` with `noSuchDataset`.
  static func beforeReplacing(_ name: String, reader: StoreReader) throws -> DatasetState {
    let row = try reader.requireDataset(name)
    let logged = try reader.lastLoggedRevision(of: row.id) ?? 0
    return DatasetState(
      row: row, revision: max(row.revision, logged), trees: DatasetTrees(hash: reader.hash))
  }

  /// Moves on by what the log holds behind the state's revision.
  private mutating func followLog(_ reader: StoreReader) throws {
    let nodes = TreeReader(reader)
    try reader.forEachLogRow(of: row.id, after: revision) { entry in
      let batch = try LoggedBatch(entry, path: reader.path)
      do {
        for operation in batch.operations {
          try trees.apply(operation, reader: nodes, edits: &edits)
        }
      } catch is MisplacedOperation {
        throw StoreError(
          .corrupt(
            detail: "log entry \(entry.revision) of dataset '\(row.name)' does not fit it"),
          path: reader.path)
      }
      for (id, layout) in layouts {
        var layout = layout
        // A layout that can't follow is opened again when it is next asked for, and
        // what is wrong with it is found there.
        let followed =
          try? batch.isEverything(for: id) ? nil : layout.apply(batch, trees, reader: nodes)
        layouts[id] = followed == nil ? nil : layout
      }
      revision = entry.revision
      tail.add(entry)
    }
  }

  /// Why a layout can't be brought into the state by reading alone.
  enum Hindrance: Error {
    /// It must be laid out from scratch.
    case needsLayout
    /// It is behind its dataset's checkpoint: what catching up takes is saved.
    case isBehindCheckpoint
  }

  /// Brings a layout into use, as its result stands: which may be of a configuration
  /// that has since been changed.
  ///
  /// - Parameter mayBeBehind: Whether to catch up with what was committed before the
  ///   dataset's checkpoint too.
  /// - Returns: What catching up did; `nil` where there was nothing to do.
  /// - Throws: ``Hindrance``; ``DamagedLayout``; `LimitError` where the content would
  ///   become too long; ``LayoutCacheError`` with `noSuchLayout`.
  mutating func bring(
    _ name: String, mayBeBehind: Bool, reader: StoreReader, kinds: CustomKinds
  ) throws -> InvalidationContext? {
    if layout(named: name) != nil { return nil }
    let row = try reader.requireLayout(name, of: row)
    guard let result = row.result, let results = try row.results() else {
      throw Hindrance.needsLayout
    }
    guard result.revision <= revision else {
      throw DamagedLayout(detail: "it is ahead of its dataset")
    }
    let plan: LayoutPlan
    do {
      plan = try row.plan(of: result.configuration, reader, kinds: kinds)
    } catch is LayoutCacheError where row.isOutdated {
      // The kind that the layout had before is not known to this process.
      throw Hindrance.needsLayout
    }
    var layout = LayoutState(row: row, plan: plan, results: results)
    var context: InvalidationContext?
    if result.revision < revision {
      guard mayBeBehind || result.revision >= self.row.revision else {
        throw Hindrance.isBehindCheckpoint
      }
      context = try follow(&layout, from: result.revision, reader: reader)
    }
    guard layout.results.count == trees.sections.count else {
      throw DamagedLayout(detail: "it does not have its dataset's sections")
    }
    layouts[row.id] = layout
    return context
  }

  /// Brings a layout into use if reading suffices for that.
  ///
  /// What hinders it is found, and dealt with, when the layout is next asked for.
  mutating func bringIfPossible(
    _ name: String, mayBeBehind: Bool, reader: StoreReader, kinds: CustomKinds
  ) throws {
    do {
      _ = try bring(name, mayBeBehind: mayBeBehind, reader: reader, kinds: kinds)
    } catch is Hindrance {
    } catch is LimitError {
    } catch let error as LayoutCacheError {
      switch error.code {
      // A section kind that another program has registered.
      case .noSuchLayout, .configuration: break
      default: throw error
      }
    } catch {
      guard Damage(error) != nil else { throw error }
    }
  }

  /// Moves a layout on to the state's revision.
  private func follow(
    _ layout: inout LayoutState, from start: Int, reader: StoreReader
  ) throws -> InvalidationContext {
    let extent = try reader.logExtent(of: row.id, after: start)
    guard extent.batches == revision - start, extent.operations <= Self.lagMax(trees) else {
      throw Hindrance.needsLayout
    }
    var editor = layout.editor(reader: TreeReader(reader))
    do {
      try forEachBatch(after: start, reader: reader) { _, batch in
        if batch.isEverything(for: layout.row.id) { throw Hindrance.needsLayout }
        try editor.apply(batch)
      }
      let context = try editor.finish(trees)
      layout.take(editor)
      return context
    } catch is MisplacedOperation {
      throw DamagedLayout(detail: "the log does not fit it")
    }
  }

  /// Calls `body` with the batches that a layout has to follow.
  ///
  /// - Throws: ``Hindrance`` with `needsLayout` where an entry is damaged: a layout can
  ///   do without the log.
  private func forEachBatch(
    after revision: Int, reader: StoreReader,
    _ body: (LogRow, LoggedBatch) throws -> Void
  ) throws {
    do {
      try reader.forEachLogRow(of: row.id, after: revision) { entry in
        try body(entry, LoggedBatch(entry, path: reader.path))
      }
    } catch let error as StoreError {
      guard case .corrupt = error.code else { throw error }
      throw Hindrance.needsLayout
    }
  }

  /// The operations that a layout may be behind before it is laid out from scratch.
  static func lagMax(_ trees: DatasetTrees) -> Int { max(10_000, trees.items.count / 2) }
}

extension LogExtent {
  mutating func add(_ row: LogRow) {
    batches += 1
    operations += row.operations
    bytes += row.payload.count
  }
}

extension LoggedBatch {
  /// The batch of a log entry.
  ///
  /// - Throws: `StoreError` with `corrupt`.
  init(_ row: LogRow, path: String) throws {
    do {
      try self.init(row.payload)
    } catch let error as ByteError {
      throw StoreError(
        .corrupt(detail: "log entry \(row.revision): \(error)"), path: path)
    }
  }
}
