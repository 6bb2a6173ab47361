import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// A layout that was brought up to date with one revision of its dataset without blocking other
/// calls, and is not published yet.
struct PreparedLayout {
  /// The row on which the work is based. If the file has another row by then, the work is
  /// discarded.
  let base: LayoutRow
  /// The layout. Its row contains the new result; its nodes are in the file, in an unpublished
  /// space, or only in memory.
  var layout: LayoutState
  /// The revision of the dataset to which the layout belongs.
  var revision: Int
  /// The changes relative to the base's result.
  var context: InvalidationContext

  /// The space that was filled for the layout; `nil` if it continues in its present space.
  var ownSpace: NodeSpace? {
    let space = layout.row.result?.space
    return space == base.result?.space ? nil : space
  }
}

/// The work that brings a layout up to date.
enum LayoutStep {
  case upToDate
  case prepared(PreparedLayout)
  /// The layout must be written into a separate space, after the read transaction has ended.
  case fill(LayoutFill)
}

/// Decides how layouts are brought up to date from one committed state of the file, and does so in
/// memory if that takes little. It writes nothing.
struct LayoutPreparer {
  let reader: StoreReader
  let kinds: CustomKinds
  let random: RandomSource
  /// Reports repaired damage.
  let warn: (LayoutID, String) -> Void

  /// Brings a layout up to date with a dataset's state.
  ///
  /// - Parameter damaged: A space known to be damaged: a layout in it is laid out again.
  /// - Throws: ``LayoutCacheError`` with `noSuchLayout`, `cannotLayOut`, `configuration`; read
  ///   errors.
  func prepare(
    _ name: String, of state: inout DatasetState, discardingSpace damaged: NodeSpace?
  ) throws -> LayoutStep {
    let base = try reader.requireLayout(name, of: state.row)
    try base.requireOneSize(path: reader.path)
    let begin = try HistoryBegin(of: base, reader, random)
    if let result = base.result, result.space == damaged {
      state.layouts[base.id] = nil
      return try layOut(base, of: state, reusing: nil, begin)
    }
    switch try state.bring(name, mayLag: true, reader: reader, kinds: kinds, lagMax: begin.lagMax)
    {
    case .ready(let context):
      guard let layout = state.layout(named: name) else { return .upToDate }
      switch begin.step(of: layout.row) {
      case .follow: break
      case .reconfigure:
        do {
          return try reconfigure(base, layout, of: state, begin)
        } catch {
          guard let damage = Damage(error), damage.space != state.row.space else { throw error }
          warn(state.id(ofLayout: name), damage.detail)
          state.layouts[base.id] = nil
          return try layOut(base, of: state, reusing: nil, begin)
        }
      case .layOut: return try layOut(base, of: state, reusing: nil, begin)
      }
      guard let context else { return .upToDate }
      // The state does not include the layout until it is published.
      state.layouts[base.id] = nil
      // A copy begins a history; other nodes continue theirs.
      guard layout.edits.dirtyNodes > Budgets.publishedNodes && !begin.isPinned else {
        return .prepared(
          PreparedLayout(
            base: base, layout: layout, revision: state.revision, context: context))
      }
      // Publishing it from a separate space takes no longer than any other commit. The copy has no
      // undo stack, so it begins a history.
      return .fill(
        LayoutFill(
          base: base, plan: layout.plan, state: state, earlier: layout, context: context,
          incarnation: begin.incarnation))
    case .rejected(let error):
      // A layout that cannot follow the log may still be laid out from scratch.
      guard case .cannotLayOut = error.code else { throw error }
    case .damaged(let detail): warn(state.id(ofLayout: name), detail)
    case .needsLayout, .behindCheckpoint: break
    }
    return try layOut(base, of: state, reusing: nil, begin)
  }

  /// Lays out a layout in a separate space.
  ///
  /// - Parameter earlier: A result of the same items, from which identical sections are copied.
  private func layOut(
    _ base: LayoutRow, of state: DatasetState, reusing earlier: LayoutState?,
    _ begin: HistoryBegin
  ) throws -> LayoutStep {
    let plan = try base.plan(of: base.configuration, reader, kinds: kinds)
    try begin.require(state.id(ofLayout: base.name), plan, from: earlier, at: state.revision)
    return .fill(
      LayoutFill(
        base: base, plan: plan, state: state, earlier: earlier, context: nil,
        incarnation: begin.incarnation))
  }

  /// Applies a changed configuration.
  private func reconfigure(
    _ base: LayoutRow, _ earlier: LayoutState, of state: DatasetState, _ begin: HistoryBegin
  ) throws -> LayoutStep {
    let plan = try base.plan(of: base.configuration, reader, kinds: kinds)
    try begin.require(state.id(ofLayout: base.name), plan, from: earlier, at: state.revision)
    let session = TreeSession(reader)
    var layout = earlier
    var context = InvalidationContext.everything(.relaid)
    let isDone = try layingOut(state.id(ofLayout: base.name)) {
      try layout.reconfigure(to: plan, state.trees, state.shapes, in: session, work: &context.work)
    }
    guard isDone, layout.edits.createdNodes <= Budgets.publishedNodes else {
      return try layOut(base, of: state, reusing: earlier, begin)
    }
    var work = context.work
    work.changedNodes = layout.edits.createdNodes - earlier.edits.createdNodes
    context = try layout.context(since: earlier, state.trees, in: session, old: session)
    context.work = work
    layout.row = base
    layout.undo = UndoStack(begin: state.revision)
    layout.beginHistory()
    layout.row.result?.configuration = base.configuration
    layout.row.result?.incarnation = begin.incarnation
    return .prepared(
      PreparedLayout(base: base, layout: layout, revision: state.revision, context: context))
  }

  /// Extends a layout by items that were appended to sections of its dataset, in a separate space,
  /// as a batch of these items would: present items keep their columns.
  ///
  /// - Parameters:
  ///   - state: The state before, not later than ``reader``'s.
  ///   - trees: The trees after, which are only in the file.
  /// - Returns: `nil` if the columns follow from the items, or the layout must be laid out from
  ///   scratch anyway.
  func extendedLayout(
    of base: LayoutRow, in state: DatasetState, to trees: DatasetTrees
  ) throws -> LayoutFill? {
    var state = state
    do {
      guard let result = base.result, result.revision <= state.revision,
        try base.plan(of: result.configuration, reader, kinds: kinds).hasHistory,
        case .ready = try state.bring(base.name, mayLag: true, reader: reader, kinds: kinds),
        let present = state.layout(named: base.name)
      else { return nil }
      let former = state.trees
      state.trees = trees
      state.trees.layoutLengths = former.layoutLengths
      return LayoutFill(
        base: base, plan: present.plan, state: state, earlier: present,
        context: .everything(.imported), incarnation: result.incarnation, former: former)
    } catch {
      guard Self.isOfLayout(error, in: state) else { throw error }
      return nil
    }
  }

  /// Returns whether an error concerns only a layout, which can be laid out from scratch.
  static func isOfLayout(_ error: any Error, in state: DatasetState) -> Bool {
    if let error = error as? LayoutCacheError {
      switch error.code {
      case .configuration, .cannotLayOut: return true
      default: return false
      }
    }
    return LayoutRefusal(error) != nil || Damage(error).map { $0.space != state.row.space } == true
  }
}

/// A layout to be written into a separate space, in short transactions: while it is written, no
/// transaction is open that would hold the write-ahead log.
struct LayoutFill {
  let base: LayoutRow
  let plan: LayoutPlan
  /// The dataset's state, which the layout is of.
  let state: DatasetState
  /// A result of the same items, from which identical sections are copied; of the present items, if
  /// the layout is extended.
  let earlier: LayoutState?
  /// The changes, if they are known; `nil` for those since `earlier`.
  let context: InvalidationContext?
  let incarnation: HistoryNumber
  /// The dataset of `earlier`, whose items keep their columns, if items were appended to them.
  var former: DatasetTrees?

  /// Fills a space with the layout.
  ///
  /// - Parameters:
  ///   - nodes: The source of the nodes of the dataset and of `earlier`.
  ///   - watch: The receiver of progress, which can stop the work.
  /// - Throws: ``LayoutCacheError`` with `cannotLayOut`; read and write errors; errors of
  ///   `watch`. The partly filled space is then released.
  func fill(
    from nodes: any NodeSource, in store: Store, _ clock: WallClock, _ watch: ProgressReporter
  ) throws -> PreparedLayout {
    let filler = try SpaceFiller(store, now: clock.now)
    let measured = state.trees.layoutLengths[base.id] ?? SupplementaryLengths.none
    let plan = plan.measured(measured)
    do {
      var work = LayoutWork()
      var builder = LayoutBuilder(
        plan: plan, view: ItemView(layout: base.id, space: plan.space), shapes: state.shapes,
        session: TreeSession(nodes, keepsNodes: false), sink: filler, watch: watch)
      let present = earlier.map { EarlierLayout(plan: $0.plan, results: $0.results) }
      if let former, let present {
        builder.extended = (former, present, TreeSession(nodes, keepsNodes: false))
      }
      try watch.begin(itemCount: state.trees.items.count)
      let results = try builder.layOut(
        state.trees, reusing: former == nil ? present : nil, work: &work)
      try filler.flush()
      watch.end()
      work.changedNodes = Int(filler.next) - 1
      var row = base
      row.result = LayoutRow.Result(
        space: filler.space, nextNode: filler.next, revision: state.revision,
        root: results.encodedRoot(measured: measured),
        configuration: former == nil
          ? base.configuration : base.result?.configuration ?? base.configuration,
        incarnation: incarnation, rules: LayoutRules.version)
      var layout = try LayoutState(row: row, plan: plan, results: results)
      layout.undo = UndoStack(begin: state.revision)
      if former != nil {
        layout.beginHistory()
        // Each commit continues an overdue rebalance.
        _ = try layout.apply(
          LoggedBatch(operations: []), at: state.revision + 1, state.trees, state.shapes,
          in: TreeSession(PooledNodes(store: store)))
      }
      return PreparedLayout(
        base: base, layout: layout, revision: state.revision,
        context: try context ?? changes(to: layout, work, from: nodes, in: store))
    } catch {
      // The first error is reported; the space is reclaimed eventually in any case.
      try? store.write { try $0.giveBack(.nodes(filler.space)) }
      guard let refusal = LayoutRefusal(error) else { throw error }
      throw LayoutCacheError(.cannotLayOut(state.id(ofLayout: base.name), refusal))
    }
  }

  private func changes(
    to layout: LayoutState, _ work: LayoutWork, from nodes: any NodeSource, in store: Store
  ) throws -> InvalidationContext {
    var context = InvalidationContext.everything(.relaid)
    if let earlier {
      context = try layout.context(
        since: earlier, state.trees, in: TreeSession(PooledNodes(store: store), keepsNodes: false),
        old: TreeSession(nodes, keepsNodes: false))
    } else {
      let before = state.layout(named: base.name)
      context.contentSizeAdjustment = layout.contentSize - (before?.contentSize ?? .zero)
    }
    context.work = work
    return context
  }

  /// Copies all nodes that ``fill(from:in:_:_:)`` may read.
  ///
  /// - Complexity: O(items), in constant memory.
  func copiedNodes(_ reader: StoreReader) throws -> ScratchNodes {
    try ScratchNodes.copied(from: reader) { session in
      try state.trees.read(withData: plan.readsData, in: session)
      try earlier?.results.forEachLeaf(in: session) { leaf, _ in
        for entry in leaf.entries {
          try entry.content.kept?.checkInvariants(state.shapes, in: session)
        }
      }
    }
  }

  /// Returns whether the file still has the nodes of the dataset and of the layout's result.
  func isCurrent(_ reader: StoreReader) throws -> Bool {
    guard let row = try reader.dataset(named: state.row.name),
      row.isSameCheckpoint(as: state.row),
      let layout = try reader.layout(named: base.name, of: row.id)
    else { return false }
    return layout.isSameWork(as: base)
  }
}

extension DatasetTrees {
  /// Reads all nodes that hold sections, and those that hold items from a number on.
  func read(from first: Int = 0, withData: Bool, in session: TreeSession) throws {
    try sections.forEachLeaf(in: session) { _, _ in }
    try sectionKeys.tree.forEachLeaf(in: session) { _, _ in }
    try items.forEachLeaf(overlapping: first..<items.count, in: session) { _, _ in
      LongWork.giveWay()
    }
    if withData { try data.forEachLeaf(in: session) { _, _ in LongWork.giveWay() } }
  }
}

extension DatasetState {
  /// Advances a prepared layout to this state, from one that is not later.
  ///
  /// - Returns: `false` if the log does not lead there or requires the layout to be laid out
  ///   again: the work is discarded.
  func advance(_ prepared: inout PreparedLayout, _ reader: StoreReader) throws -> Bool {
    guard
      let context = try follow(&prepared.layout, from: prepared.revision, reader)
    else { return false }
    prepared.context.formCombination(with: context)
    prepared.revision = revision
    return true
  }
}
