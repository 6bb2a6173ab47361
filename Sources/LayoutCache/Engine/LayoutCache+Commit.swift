import CollectionLayout
import LayoutGeometry
import LayoutStore
import Logging
import SumTree

extension LayoutCache {
  /// A batch whose log row would be longer goes into the trees at once, and leaves a
  /// gap in the log: layouts that are behind are laid out from scratch.
  private static let payloadBytesMax = 16 << 20

  /// Moves the layouts in use on by a batch that the dataset's trees have carried
  /// out, and writes it down: as a row of the log, or, where it is large or the log
  /// has grown long, in the trees.
  ///
  /// - Returns: What the batch did to each layout, by name.
  /// - Throws: ``LayoutCacheError`` with `cannotLayOut`; what writing throws.
  func commit(
    _ batch: LoggedBatch, to state: inout DatasetState, writer: StoreWriter, nodes: TreeReader
  ) throws -> [Commit.LayoutChange] {
    state.revision += 1
    var changes: [Commit.LayoutChange] = []
    for (id, layout) in state.layouts.sorted(by: { $0.value.row.name < $1.value.row.name }) {
      let name = layout.row.name
      if batch.isEverything(for: id) {
        let context = try layOut(layout.row, of: &state, writer: writer)
        changes.append(Commit.LayoutChange(layout: name, context: context))
        continue
      }
      var moved = layout
      do {
        let context = try moved.apply(batch, state.trees, reader: nodes)
        state.layouts[id] = moved
        changes.append(Commit.LayoutChange(layout: name, context: context))
      } catch let limit as LimitError {
        throw LayoutCacheError(.cannotLayOut(name, dataset: state.row.name, limit))
      } catch {
        // Nothing but the layout's own nodes was read. It is laid out anew when it
        // is next asked for; that is no reason to refuse the batch.
        guard let damage = Damage(error) else { throw error }
        state.layouts[id] = nil
        warn(
          "A stored layout is damaged and is left behind.", layout: name,
          of: state.row.name, damage.detail)
      }
    }
    let entry = LogRow(
      dataset: state.row.id, revision: state.revision, operations: batch.weight,
      payload: batch.encode())
    if entry.payload.count > Self.payloadBytesMax {
      try state.checkpoint(writer)
      try writer.cutLog(of: state.row.id, through: state.revision)
      return changes
    }
    try writer.append(entry)
    state.tail.add(entry)
    state.hasOwnCommits = true
    if state.isCheckpointDue { try state.checkpoint(writer) }
    return changes
  }

  /// Lays a layout out from scratch, in a fresh space, and brings it into use.
  ///
  /// - Returns: What that did to the layout that was in use, if any.
  /// - Throws: ``LayoutCacheError`` with `cannotLayOut`.
  /// - Complexity: O(items · columns), in constant memory.
  func layOut(
    _ row: LayoutRow, of state: inout DatasetState, writer: StoreWriter
  ) throws -> InvalidationContext {
    var row = row
    let plan = try row.plan(of: row.configuration, writer.reader, kinds: customKinds)
    let space = try writer.makeSpace()
    let sink = writer.nodeSink(in: space, next: 1)
    let builder = LayoutBuilder(
      plan: plan, layout: row.id, reader: TreeReader(writer.reader, keepsNodes: false),
      sink: sink)
    let results: SumTree<SectionResultLeaf>
    var context = InvalidationContext.everything
    do {
      results = try builder.layOut(state.trees, work: &context.work)
    } catch let limit as LimitError {
      throw LayoutCacheError(.cannotLayOut(row.name, dataset: state.row.name, limit))
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

  /// Brings the layouts that a commit takes along into the state.
  func bringIntoUse(
    _ layouts: UpdatedLayouts, of state: inout DatasetState, reader: StoreReader
  ) throws {
    switch layouts {
    case .inUse: break
    case .none: state.layouts = [:]
    case .upToDate:
      for row in try reader.layouts(of: state.row.id)
      where !row.isOutdated
        && row.result.map({ $0.revision >= state.row.revision }) ?? false
      {
        try state.bringIfPossible(row.name, mayBeBehind: false, reader: reader, kinds: customKinds)
      }
    }
  }

  /// Works out what keeps the first visible cell that is still there in its place.
  func adjustOffset(
    _ change: inout Commit.LayoutChange, visible: Rect, from old: DatasetState,
    to new: DatasetState
  ) throws {
    guard let before = old.layout(named: change.layout),
      let after = new.layout(named: change.layout)
    else { return }
    let source = PooledNodes(store: store)
    let (shown, current) = (
      LayoutSnapshot(old, before, source: source), LayoutSnapshot(new, after, source: source)
    )
    var next: Continuation?
    repeat {
      // Where an effect shows a cell is not where it stands.
      let page = try shown.storedElements(in: visible, limit: 64, from: next)
      for element in page.elements {
        guard case .cell(let key) = element.category,
          let moved = try current.attributes(forKey: key)
        else { continue }
        switch after.plan.space.scrollAxis {
        case .vertical:
          change.context.contentOffsetAdjustment.y = moved.frame.minY - element.frame.minY
        case .horizontal:
          change.context.contentOffsetAdjustment.x = moved.frame.minX - element.frame.minX
        }
        return
      }
      next = page.next
    } while next != nil
  }
}
