import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// A dataset in memory at one revision, with its active layouts.
///
/// The log is authoritative, and the file's rows are checkpoints of it: the state is the row
/// advanced by the later entries of the log. A state is a value that shares its trees' nodes with
/// earlier states; discarding it loses no data.
struct DatasetState: Sendable {
  /// The checkpoint from which the state was advanced.
  @Shared var row: DatasetRow
  /// The head of the log at the state's revision.
  var head: LogHead
  var trees: DatasetTrees
  let shapes: TreeShapes
  /// The changes of stored nodes since the checkpoint.
  var edits = TreeEdits()
  /// The log's entries after the checkpoint.
  var tail = LogExtent.none
  /// The active layouts, by ID; all of them at ``revision``.
  var layouts: [Int64: LayoutState] = [:]
  /// Whether the state may be of an earlier revision than its row and layout rows. Such a state
  /// is read and followed, but never stored.
  var isPast = false
  /// Whether this process has committed part of the tail, and so should write the checkpoint.
  var hasOwnCommits = false

  /// The number of committed changes.
  var revision: Int { head.revision }

  /// Returns the layout with a name, if it is active.
  func layout(named name: String) -> LayoutState? {
    layouts.values.first { $0.row.name.isExactly(name) }
  }

  func id(ofLayout name: String) -> LayoutID { LayoutID(name, of: row.name) }

  /// Releases the loaded nodes.
  mutating func unload() {
    trees.unload()
    for id in layouts.keys { layouts[id]?.unload() }
  }
}

extension DatasetState {
  /// Returns the changes of a layout since an earlier revision, up to this state's.
  ///
  /// The result depends only on the file and is the same for every process: a stored result is
  /// moved to the revision along the log, and from there to the present. Nothing is published or
  /// laid out.
  ///
  /// - Parameters:
  ///   - name: The layout's name.
  ///   - revision: At most this state's revision.
  ///   - rect: A rectangle of the present content; only sections that intersect it are included.
  ///     `nil` for all.
  ///   - direction: The direction of the rectangle; `nil` for the configuration's.
  ///   - reader: A reader for which this state is current.
  ///   - beyondReach: The reason why the changes of the dataset are unknown; `nil` if they are known.
  /// - Returns: The changes; `everything` if ``past(ofLayout:at:_:kinds:)`` returns no layout.
  /// - Throws: ``LayoutCacheError`` with `noSuchLayout`; read errors, except damage of the layout
  ///   itself.
  /// - Complexity: As for ``past(ofLayout:at:_:kinds:)``, plus O(log items) nodes for each
  ///   operation since the revision; O(1) if nothing has been committed.
  func changes(
    inLayout name: String, since revision: Int, in rect: Rect?,
    _ direction: LayoutConfiguration.LayoutDirection?, _ reader: StoreReader, kinds: CustomKinds,
    beyondReach: InvalidationReason?
  ) throws -> Commit.LayoutChange {
    let row = try reader.requireLayout(name, of: self.row)
    try row.requireOneSize(path: reader.path)
    var change = Commit.LayoutChange(
      layout: row.name, incarnation: row.result.map { Incarnation($0.incarnation) } ?? "",
      context: .everything(beyondReach ?? (row.result == nil ? .notFollowed : .relaid)))
    guard row.canBePast(at: revision) else { return change }
    if revision == self.revision {
      change.context = InvalidationContext()
      return change
    }
    change.context = .everything(beyondReach ?? .notFollowed)
    do {
      guard var layout = try past(ofLayout: name, at: revision, reader, kinds: kinds)?.layout,
        var context = try follow(&layout, from: revision, reader, lagMax: historyLagMax)
      else { return change }
      if let rect {
        try context.cut(to: rect, direction, layout.plan, layout.results, TreeSession(reader))
      }
      change.context = context
    } catch {
      // The layout could not follow: it cannot be laid out after a later change.
      if LayoutRefusal(error) != nil { return change }
      // Damage of the layout itself is handled when the layout is next requested.
      guard let damage = Damage(error), damage.space != self.row.space else { throw error }
    }
    return change
  }
}

extension DatasetState {
  /// Returns a layout and its dataset as of an earlier revision.
  ///
  /// The dataset's trees, and a layout that follows from its items, are moved to the revision
  /// from their stored state, in either direction. A layout with a history is moved forward from
  /// its last checkpoint that is not later.
  ///
  /// - Parameters:
  ///   - revision: At most this state's revision.
  ///   - reader: A reader for which this state is current.
  /// - Returns: `nil` beyond the reach of history, which is ``historyLagMax`` operations; also if
  ///   the layout's history began later, the layout has no checkpoint that early, the log does
  ///   not reach back, or undo cannot revert one of its entries.
  /// - Throws: Read errors, except damage of the layout itself.
  /// - Complexity: O(log items) nodes for each operation of the log between the revision and the
  ///   stored trees, and between the revision and the stored layout.
  func past(
    ofLayout name: String, at revision: Int, _ reader: StoreReader, kinds: CustomKinds
  ) throws -> (dataset: DatasetState, layout: LayoutState)? {
    guard try reader.requireLayout(name, of: row).canBePast(at: revision),
      let extent = try reader.logExtent(after: revision, upTo: head),
      extent.operations <= historyLagMax,
      var past = try Self.past(row, at: revision, reader, shapes),
      case .ready = try past.bring(
        name, mayLag: true, reader: reader, kinds: kinds, lagMax: historyLagMax),
      let layout = past.layout(named: name)
    else { return nil }
    return (past, layout)
  }
}

extension LayoutRow {
  /// Returns whether the stored result is of the present configuration and its history reaches
  /// back to a revision.
  fileprivate func canBePast(at revision: Int) -> Bool {
    guard let result else { return false }
    return hasReadableResult && !isOutdated && result.historyBegin <= revision
  }
}

extension InvalidationContext {
  /// Reduces the context to the sections that intersect a rectangle of the content.
  mutating func cut(
    to rect: Rect, _ direction: LayoutConfiguration.LayoutDirection?, _ plan: LayoutPlan,
    _ results: SumTree<SectionResultLeaf>, _ session: TreeSession
  ) throws {
    let rect = plan.reading(direction).space.canonical(
      rect.bounded, mainLength: plan.mainLength(of: results))
    try keepSections { section in
      let found = try results.place(at: section.section, in: session)
      return rect.intersects(
        Rect(
          x: .zero, y: section.start, width: plan.space.crossLength,
          height: found.leaf.entries[found.index].length))
    }
  }
}

extension DatasetState {
  /// Whether the tail is long enough for a checkpoint.
  var isCheckpointDue: Bool {
    tail.batches >= Budgets.tailBatches || tail.operations >= Budgets.tailOperations
      || tail.bytes >= Budgets.tailBytes || dirtyNodes >= Budgets.tailNodes
  }

  /// The number of nodes that a checkpoint must write.
  private var dirtyNodes: Int {
    layouts.values.reduce(edits.dirtyNodes) { $0 + $1.edits.dirtyNodes }
  }

  /// Writes all changes that are only in memory, including the active layouts, and cuts the log.
  ///
  /// Nodes receive their IDs immediately. If the transaction is rolled back, this state and those
  /// that share nodes with it are unusable for edits.
  ///
  /// - Complexity: O(nodes created since the last checkpoint).
  mutating func checkpoint(_ writer: StoreWriter, at now: Int64) throws {
    let sink = writer.nodeSink(in: row.space, next: row.nextNode)
    try trees.store(into: sink)
    let left = try sink.rows(leftBy: edits)
    try sink.delete(rows: left)
    edits = TreeEdits()
    row.nextNode = sink.next
    row.revision = revision
    row.sectionCount = trees.sections.count
    row.itemCount = trees.items.count
    row.roots = trees.encodedRoots
    try writer.put(row)
    for id in layouts.keys.sorted() { try checkpoint(layout: id, writer) }
    tail = .none
    hasOwnCommits = false
    try cutLog(writer, at: now)
  }

  /// Writes the changes of an active layout that are only in memory. A damaged layout loses its
  /// result and is laid out again when it is next requested.
  ///
  /// - Returns: Whether the layout is still active.
  @discardableResult
  mutating func checkpoint(layout id: Int64, _ writer: StoreWriter) throws -> Bool {
    do {
      let (head, operationsMax) = (head, historyLagMax)
      try layouts[id]?.checkpoint(at: head, reach: operationsMax, writer)
      return true
    } catch {
      guard Damage(error) != nil, var row = layouts[id]?.row else { throw error }
      layouts[id] = nil
      if let result = row.result { try writer.giveBack(.nodes(result.space)) }
      row.result = nil
      try writer.put(row)
      return false
    }
  }

  /// Deletes old log entries that no checkpoint needs.
  ///
  /// A layout that lags so far that it will be laid out from scratch needs none. The operations
  /// that count for a layout are not known here: if there is data, some may be changes of it.
  private func cutLog(_ writer: StoreWriter, at now: Int64) throws {
    var needed = row.revision
    for layout in try writer.reader.layouts(of: row.id) {
      guard let result = layout.result else { continue }
      // The first checkpoint beyond the reach of history is the last one needed.
      var isFar = false
      for revision in [result.revision] + result.trailing.reversed().map(\.revision)
      where !isFar {
        let lag = try writer.reader.logExtent(after: revision, upTo: head)
        guard let lag,
          revision < result.revision
            || lag.bytes < Budgets.keptLogBytes
              && (lag.operations <= historyLagMax || !trees.data.isEmpty)
        else { break }
        needed = min(needed, revision)
        isFar = lag.operations >= historyLagMax || lag.bytes >= Budgets.keptLogBytes
      }
    }
    try writer.cutLog(
      upTo: head, needed: needed, since: now - Budgets.keptMilliseconds,
      count: Budgets.keptBatches, operations: Budgets.followedOperations,
      bytes: Budgets.keptLogBytes)
  }
}

/// A value shared by the copies of a state.
///
/// A state is copied several times per commit. For a rarely changed value with many strings and
/// arrays, each copy would retain each of them; in shared storage it takes one retain.
@propertyWrapper
struct Shared<Value: Sendable>: Sendable {
  private final class Storage: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(wrappedValue: Value) { storage = Storage(wrappedValue) }

  var wrappedValue: Value {
    get { storage.value }
    set { storage = Storage(newValue) }
  }
}

/// The readiness of a layout to answer queries, and otherwise the work that this takes.
enum Readiness {
  /// The layout is active at its dataset's revision. Contains the changes from catching up, if it
  /// lagged.
  case ready(InvalidationContext?)
  /// The layout lags behind its dataset's checkpoint. The result of catching up should be saved.
  case behindCheckpoint
  /// The layout must be laid out from scratch: it has no result, or the log does not lead to the
  /// present revision.
  case needsLayout
  /// The stored result contradicts itself or its dataset: the layout must be laid out from
  /// scratch, and the damage reported.
  case damaged(String)
  /// The layout cannot be laid out: it would exceed a limit, its kind is unknown to this process,
  /// or it does not exist.
  case rejected(LayoutCacheError)
}
