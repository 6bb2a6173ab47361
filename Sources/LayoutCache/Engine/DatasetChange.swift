import CollectionLayout
import LayoutGeometry
import LayoutStore
import Logging
import SumTree

/// A change of one dataset under way: the transaction that writes it down, and the state
/// that it leads to.
struct DatasetChange {
  let writer: StoreWriter
  var state: DatasetState
  /// Reads and edits the dataset's trees.
  let session: TreeSession
  private let kinds: CustomKinds
  private let logger: Logger

  init(_ state: DatasetState, _ writer: StoreWriter, kinds: CustomKinds, logger: Logger) {
    self.writer = writer
    self.state = state
    self.kinds = kinds
    self.logger = logger
    session = TreeSession(writer.reader, edits: state.edits)
  }

  /// Moves the layouts in use on by a batch that the dataset's trees have carried
  /// out, and writes it down: as a row of the log, or, where it is large or the log
  /// has grown long, in the trees.
  ///
  /// - Returns: What the batch did to each layout, by name.
  /// - Throws: ``LayoutCacheError`` with `cannotLayOut`; what writing throws.
  mutating func commit(_ batch: LoggedBatch) throws -> [Commit.LayoutChange] {
    state.edits = session.edits
    state.revision += 1
    var changes: [Commit.LayoutChange] = []
    for layout in state.layouts.values.sorted(by: { $0.row.name < $1.row.name }) {
      guard let context = try follow(batch, layout) else { continue }
      changes.append(Commit.LayoutChange(layout: layout.row.name, context: context))
    }
    let entry = LogRow(
      dataset: state.row.id, revision: state.revision, operations: batch.weight,
      payload: batch.encode())
    if entry.payload.count > Budgets.logRowBytes {
      try state.checkpoint(writer)
      try writer.cutLog(of: state.row.id, through: state.revision)
      return changes
    }
    try writer.append(entry)
    state.tail.add(entry)
    state.hasOwnCommits = true
    if state.isCheckpointDue { try state.checkpoint(writer) }
    assert(state.holdsInvariantsIfChecked(writer.reader))
    return changes
  }

  /// Moves a layout in use on by a batch.
  ///
  /// - Returns: What the batch did to it; `nil` where it is left behind.
  private mutating func follow(
    _ batch: LoggedBatch, _ layout: LayoutState
  ) throws -> InvalidationContext? {
    if batch.isEverything(for: layout.row.id) { return try layOut(layout.row) }
    var layout = layout
    do {
      let context = try layout.apply(batch, state.trees, state.shapes, in: session)
      state.layouts[layout.row.id] = layout
      return context
    } catch let limit as LimitError {
      throw LayoutCacheError(.cannotLayOut(state.id(ofLayout: layout.row.name), limit))
    } catch {
      // Nothing but the layout's own nodes was read. It is laid out anew when it
      // is next asked for; that is no reason to refuse the batch.
      guard let damage = Damage(error) else { throw error }
      leaveBehind(layout, damage)
      return nil
    }
  }

  /// Takes a damaged layout out of use.
  mutating func leaveBehind(_ layout: LayoutState, _ damage: Damage) {
    state.layouts[layout.row.id] = nil
    logger.warn(.isLeftBehind, state.id(ofLayout: layout.row.name), damage.detail)
  }
}

// MARK: - Layouts

extension DatasetChange {
  /// Brings a layout up to date, and saves what that takes.
  ///
  /// - Parameter damaged: A space that is known to be damaged: what stands in it is
  ///   laid out anew.
  /// - Returns: What that did; `nil` where there was nothing to do.
  mutating func prepare(
    _ name: String, discardingSpace damaged: NodeSpace?
  ) throws -> InvalidationContext? {
    var row = try writer.reader.requireLayout(name, of: state.row)
    if let damaged, row.result?.space == damaged {
      state.layouts[row.id] = nil
    } else if !row.isOutdated {
      switch try state.bring(name, mayBeBehind: true, reader: writer.reader, kinds: kinds) {
      case .ready(let context):
        if context == nil { return nil }
        if try state.checkpoint(layout: row.id, writer) {
          try state.cutLog(writer)
          return context
        }
        row.result = nil
      case .isRefused(let error): throw error
      case .isDamaged(let detail):
        logger.warn(.isLaidOutAnew, state.id(ofLayout: name), detail)
      case .needsLayout, .isBehindCheckpoint: break
      }
    }
    let context = try layOut(row)
    try state.cutLog(writer)
    return context
  }

  /// Lays a layout out from scratch, in a fresh space, and brings it into use.
  ///
  /// - Returns: What that did to the layout that was in use, if any.
  /// - Throws: ``LayoutCacheError`` with `cannotLayOut`.
  /// - Complexity: O(items · columns), in constant memory.
  private mutating func layOut(_ row: LayoutRow) throws -> InvalidationContext {
    var row = row
    let plan = try row.plan(of: row.configuration, writer.reader, kinds: kinds)
    let space = try writer.makeSpace()
    let sink = writer.nodeSink(in: space, next: 1)
    let builder = LayoutBuilder(
      plan: plan, view: ItemView(layout: row.id, space: plan.space), shapes: state.shapes,
      session: TreeSession(writer.reader, keepsNodes: false), sink: sink)
    let results: SumTree<SectionResultLeaf>
    var context = InvalidationContext.everything
    do {
      results = try builder.layOut(state.trees, work: &context.work)
    } catch let limit as LimitError {
      throw LayoutCacheError(.cannotLayOut(state.id(ofLayout: row.name), limit))
    }
    context.work.changedNodes = Int(sink.next) - 1
    if let old = row.result { try writer.deleteNodes(in: old.space) }
    row.result = LayoutRow.Result(
      results, space: space, nextNode: sink.next, revision: state.revision,
      configuration: row.configuration)
    try writer.put(row)
    let layout = LayoutState(row: row, plan: plan, results: results)
    context.contentSizeAdjustment =
      layout.contentSize - (state.layouts[row.id]?.contentSize ?? .zero)
    state.layouts[row.id] = layout
    return context
  }

  /// Brings the layouts that a commit takes along into use.
  mutating func bringIntoUse(_ layouts: UpdatedLayouts) throws {
    switch layouts {
    case .inUse: break
    case .none: state.layouts = [:]
    case .upToDate:
      for row in try writer.reader.layouts(of: state.row.id)
      where !row.isOutdated
        && row.result.map({ $0.revision >= state.row.revision }) ?? false
      {
        _ = try state.bring(row.name, mayBeBehind: false, reader: writer.reader, kinds: kinds)
      }
    }
  }
}

extension Logger.Message {
  static let isLaidOutAnew: Logger.Message = "A stored layout is damaged and is laid out anew."
  static let isLeftBehind: Logger.Message = "A stored layout is damaged and is left behind."
}

extension Logger {
  /// Logs the damage of a stored layout, and what comes of it.
  func warn(_ message: Message, _ layout: LayoutID, _ detail: String) {
    warning(
      message,
      metadata: [
        "dataset": .string(layout.dataset), "layout": .string(layout.layout),
        "damage": .string(detail),
      ])
  }
}
