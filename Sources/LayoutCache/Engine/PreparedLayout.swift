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

/// Brings layouts up to date from one committed state of the file. It takes the write lock only
/// for short transactions that fill a space.
struct LayoutPreparer {
  let store: Store
  let reader: StoreReader
  let kinds: CustomKinds
  let clock: WallClock
  /// The receiver of progress, which can stop the work.
  let watch: ProgressReporter
  /// Reports repaired damage.
  let warn: (LayoutID, String) -> Void

  /// Brings a layout up to date with a dataset's state.
  ///
  /// - Parameter damaged: A space known to be damaged: a layout in it is laid out again.
  /// - Returns: `nil` if the layout is active and up to date.
  /// - Throws: ``LayoutCacheError`` with `noSuchLayout`, `cannotLayOut`, `configuration`; read
  ///   and write errors; errors of ``watch``. A partly filled space is then released.
  func prepare(
    _ name: String, of state: inout DatasetState, discardingSpace damaged: NodeSpace?
  ) throws -> PreparedLayout? {
    let base = try reader.requireLayout(name, of: state.row)
    try base.requireOneSize(path: reader.path)
    let begin = try HistoryBegin(of: base, reader)
    if let result = base.result, result.space == damaged {
      state.layouts[base.id] = nil
      return try layOut(base, of: state, reusing: nil, begin)
    }
    switch try state.bring(
      name, mayLag: true, reader: reader, kinds: kinds, lagMax: begin.lagMax)
    {
    case .ready(let context):
      guard let layout = state.layout(named: name) else { return nil }
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
      guard let context else { return nil }
      // The state does not include the layout until it is published.
      state.layouts[base.id] = nil
      let prepared = PreparedLayout(
        base: base, layout: layout, revision: state.revision, context: context)
      // A copy lacks the earlier columns that a later undo restores; other nodes have them.
      return layout.edits.dirtyNodes > Budgets.publishedNodes && !begin.isPinned
        ? try copied(prepared, of: state, begin) : prepared
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
  ) throws -> PreparedLayout {
    let plan = try base.plan(of: base.configuration, reader, kinds: kinds)
    try begin.require(
      state.id(ofLayout: base.name), plan, from: earlier, at: state.revision)
    var context = InvalidationContext.everything
    let layout = try fill(
      base, plan, of: state, reusing: earlier, incarnation: begin.incarnation,
      work: &context.work)
    if let earlier {
      let written = TreeSession(PooledNodes(store: store), keepsNodes: false)
      let work = context.work
      context = try layout.context(
        since: earlier, state.trees, in: written, old: TreeSession(reader, keepsNodes: false))
      context.work = work
    } else {
      let before = state.layout(named: base.name)
      context.contentSizeAdjustment = layout.contentSize - (before?.contentSize ?? .zero)
    }
    return PreparedLayout(
      base: base, layout: layout, revision: state.revision, context: context)
  }

  /// Applies a changed configuration.
  private func reconfigure(
    _ base: LayoutRow, _ earlier: LayoutState, of state: DatasetState, _ begin: HistoryBegin
  ) throws -> PreparedLayout {
    let plan = try base.plan(of: base.configuration, reader, kinds: kinds)
    try begin.require(
      state.id(ofLayout: base.name), plan, from: earlier, at: state.revision)
    let session = TreeSession(reader)
    var layout = earlier
    var context = InvalidationContext.everything
    let isDone: Bool
    do {
      isDone = try layout.reconfigure(
        to: plan, state.trees, state.shapes, in: session, work: &context.work)
    } catch {
      guard let refusal = LayoutRefusal(error) else { throw error }
      throw LayoutCacheError(.cannotLayOut(state.id(ofLayout: base.name), refusal))
    }
    guard isDone, layout.edits.createdNodes <= Budgets.publishedNodes else {
      return try layOut(base, of: state, reusing: earlier, begin)
    }
    var work = context.work
    work.changedNodes = layout.edits.createdNodes - earlier.edits.createdNodes
    context = try layout.context(since: earlier, state.trees, in: session, old: session)
    context.work = work
    layout.row = base
    layout.former = nil
    layout.beginsHistory = true
    layout.row.result?.configuration = base.configuration
    layout.row.result?.incarnation = begin.incarnation
    return PreparedLayout(
      base: base, layout: layout, revision: state.revision, context: context)
  }

  /// Writes a layout with many nodes to store into a separate space, so that publishing it takes
  /// no longer than any other commit.
  private func copied(
    _ prepared: PreparedLayout, of state: DatasetState, _ begin: HistoryBegin
  ) throws -> PreparedLayout {
    var copy = prepared
    var work = LayoutWork()
    // The copy has no trailing checkpoints, so it begins a history.
    copy.layout = try fill(
      prepared.base, prepared.layout.plan, of: state, reusing: prepared.layout,
      incarnation: begin.incarnation, work: &work)
    return copy
  }

  /// Fills a space with a layout.
  private func fill(
    _ base: LayoutRow, _ plan: LayoutPlan, of state: DatasetState,
    reusing earlier: LayoutState?, incarnation: HistoryNumber, work: inout LayoutWork
  ) throws -> LayoutState {
    let filler = try SpaceFiller(store, now: clock.now)
    do {
      let builder = LayoutBuilder(
        plan: plan, view: ItemView(layout: base.id, space: plan.space), shapes: state.shapes,
        session: TreeSession(reader, keepsNodes: false), sink: filler, watch: watch)
      try watch.begin(itemCount: state.trees.items.count)
      let results = try builder.layOut(
        state.trees,
        reusing: earlier.map { EarlierLayout(plan: $0.plan, results: $0.results) }, work: &work)
      try filler.flush()
      watch.end()
      work.changedNodes = Int(filler.next) - 1
      var row = base
      row.result = LayoutRow.Result(
        space: filler.space, nextNode: filler.next, revision: state.revision,
        root: results.encodedRoot, configuration: base.configuration,
        incarnation: incarnation, rules: LayoutRules.version)
      return LayoutState(row: row, plan: plan, results: results)
    } catch {
      // The first error is reported; the space is reclaimed eventually in any case.
      try? store.write { try $0.giveBack(.nodes(filler.space)) }
      guard let refusal = LayoutRefusal(error) else { throw error }
      throw LayoutCacheError(.cannotLayOut(state.id(ofLayout: base.name), refusal))
    }
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
