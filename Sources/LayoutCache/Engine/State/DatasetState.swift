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
  /// Returns the changes of a layout since an earlier revision, up to this state's: those of the
  /// steps in which its result has followed the log. Nothing is published or laid out.
  ///
  /// - Parameters:
  ///   - name: The layout's name.
  ///   - revision: At most this state's revision.
  ///   - logged: The contexts of the commits after it.
  ///   - rect: A rectangle of the present content; only sections that intersect it are included.
  ///     `nil` for all.
  ///   - direction: The direction of the rectangle; `nil` for the configuration's.
  ///   - reader: A reader for which this state is current.
  ///   - beyondReach: The reason why the changes of the dataset are unknown; `nil` if they are known.
  /// - Returns: The changes; `everything` if no steps lead from the revision to the present.
  /// - Throws: ``LayoutCacheError`` with `noSuchLayout`; read errors, except damage of the layout
  ///   itself.
  /// - Complexity: O(steps since the revision), and that of following if the layout is not active.
  func changes(
    inLayout name: String, since revision: Int, _ logged: [LoggedContexts], in rect: Rect?,
    _ direction: LayoutConfiguration.LayoutDirection?, _ reader: StoreReader, kinds: CustomKinds,
    beyondReach: InvalidationReason?
  ) throws -> Commit.LayoutChange {
    let row = try reader.requireLayout(name, of: self.row)
    try row.requireOneSize(path: reader.path)
    var change = Commit.LayoutChange(
      layout: row.name, incarnation: row.result.map { Incarnation($0.incarnation) } ?? "",
      context: .everything(beyondReach ?? (row.result == nil ? .notFollowed : .relaid)))
    guard beyondReach == nil, let result = row.result, row.hasReadableResult, !row.isOutdated,
      result.historyBegin <= revision
    else { return change }
    change.context = InvalidationContext()
    if revision == self.revision { return change }
    change.context = .everything(.notFollowed)
    var state = self
    do {
      guard
        case .ready = try state.bring(row.name, mayLag: true, reader: reader, kinds: kinds),
        let layout = state.layout(named: row.name)
      else { return change }
      let path = try ContextPath(
        of: result, layout.steps, logged, after: revision, upTo: head, reader)
      guard var context = try path.context(since: revision, path: reader.path),
        context.sections.last?.section ?? 0 < max(layout.results.count, 1)
      else { return change }
      let session = TreeSession(reader)
      try context.setStarts { try layout.plan.start(ofSection: $0, in: layout.results, session) }
      if let rect { try context.cut(to: rect, direction, layout.plan, layout.results, session) }
      change.context = context
    } catch {
      // Damage of the layout itself is handled when the layout is next requested, and its contexts
      // are not needed for anything else.
      if (error as? StoreError)?.isCorrupt == true { return change }
      guard let damage = Damage(error), damage.space != self.row.space else { throw error }
    }
    return change
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
  /// - Parameter revision: The layout's revision; `nil` for the state's.
  /// - Returns: Whether the layout is still active.
  @discardableResult
  mutating func checkpoint(
    layout id: Int64, at revision: Int? = nil, _ writer: StoreWriter
  ) throws -> Bool {
    do {
      let revision = revision ?? self.revision
      try layouts[id]?.checkpoint(at: revision, writer)
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

  /// Deletes old log entries that no checkpoint needs, and the contexts of their commits.
  ///
  /// A layout that lags so far that it will be laid out from scratch needs none. The operations
  /// that count for a layout are not known here: if there is data, some may be changes of it.
  private func cutLog(_ writer: StoreWriter, at now: Int64) throws {
    var needed = row.revision
    let results = try writer.reader.layouts(of: row.id).compactMap(\.result)
    for result in results {
      guard let lag = try writer.reader.logExtent(after: result.revision, upTo: head),
        lag.bytes < Budgets.keptLogBytes, lag.operations <= lagMax || !trees.data.isEmpty
      else { continue }
      needed = min(needed, result.revision)
    }
    try writer.cutLog(
      upTo: head, needed: needed, since: now - Budgets.keptMilliseconds,
      count: Budgets.keptBatches, operations: Budgets.followedOperations,
      bytes: Budgets.keptLogBytes)
    let first = try writer.reader.firstLogRevision(of: row.id)
    try writer.cutContexts(
      in: results.map(\.space), upTo: (first ?? 1) - 1, keeping: Budgets.contextBytes)
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
