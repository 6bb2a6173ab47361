public import CollectionLayout
public import LayoutGeometry
import LayoutStore
import SumTree

/// A layout after changes that are not committed: a batch, an undo, another configuration.
///
/// It is in memory only. Nothing is stored, and no other call sees it.
public struct LayoutPreview: Sendable {
  /// The layout after the changes, which answers all queries. It has the revision of the snapshot
  /// that it was made from, and its own incarnation: equal previews of one state have equal ones.
  public internal(set) var snapshot: LayoutSnapshot
  /// The result that a commit of the changes would have, for this layout alone, with the revision
  /// and the incarnation of ``snapshot``. No layout is listed if nothing changes.
  public internal(set) var commit: Commit

  /// The changes of the layout; empty if nothing changes.
  public var context: InvalidationContext { commit.layouts.first?.context ?? InvalidationContext() }
}

/// The changes that a preview shows.
package struct PreviewRequest: Hashable, Sendable {
  package enum Changes: Hashable, Sendable {
    case batch([BatchOperation])
    /// The reversal of the commits after a revision.
    case undo(to: Int)
  }

  package var changes: Changes
  /// The configuration in place of the layout's; `nil` for the present one.
  package var configuration: LayoutConfiguration?

  package init(_ changes: Changes, configuration: LayoutConfiguration? = nil) {
    (self.changes, self.configuration) = (changes, configuration)
  }

  /// Whether the preview may need a pass over the dataset or its log, whatever the layout.
  fileprivate var takesPass: Bool {
    guard configuration == nil, case .batch(let operations) = changes else { return true }
    return operations.takePass
  }
}

extension LayoutSnapshot {
  /// Returns the layout as it would be after a batch, without committing it.
  ///
  ///     let preview = try cache.read(phone) { try $0.preview([.delete(keys: ["b"])]) }
  ///     show(try preview.snapshot.elements(in: visible), preview.context)
  ///
  /// It equals the layout after ``LayoutCache/update(_:with:visible:anchor:direction:preparing:expecting:)``
  /// with the batch. Operations on other layouts are checked and do not show. With another
  /// configuration, a draft, the layout is laid out from scratch after the batch; so are batches
  /// that a commit answers in that way. A stable waterfall is then placed like an `exact` one, so
  /// the preview follows from the items alone. Lengths measured for the layout count if setting
  /// the configuration would keep them.
  ///
  /// - Parameters:
  ///   - operations: The batch; empty for a draft alone.
  ///   - configuration: The configuration in place of the layout's; a responsive one at the
  ///     width in the layout's name. `nil` for the present one.
  ///   - visible: The visible rectangle of a client, for
  ///     `InvalidationContext.contentOffsetAdjustment`.
  ///   - anchor: What keeps its place in that rectangle.
  /// - Throws: ``LayoutCacheError``: `refused`, `batchTooLong`, `configuration`, `variant`,
  ///   `cannotLayOut`, `temporaryTooLarge` if more than 2,097,152 items would be placed; errors of
  ///   reading.
  /// - Complexity: That of the commit, without writing. With another configuration O(items), and
  ///   some 100 bytes per item for as long as the preview is retained.
  public func preview(
    _ operations: [BatchOperation], configuration: LayoutConfiguration? = nil,
    visible: Rect? = nil, anchor: OffsetAnchor = .cell
  ) throws -> LayoutPreview {
    try preview(PreviewRequest(.batch(operations), configuration: configuration))
      .keeping(visible, anchor, of: self)
  }

  /// Returns the layout as it was at a revision: as it would be after
  /// ``LayoutCache/undo(_:to:visible:anchor:direction:preparing:expecting:)``.
  ///
  /// - Parameters:
  ///   - revision: The revision, at most the snapshot's.
  ///   - configuration: As for ``preview(_:configuration:visible:anchor:)``.
  ///   - visible: As for that call.
  ///   - anchor: As for that call.
  /// - Throws: Also `noSuchRevision` and `cannotUndo`, as undo does; a preview cannot be undone.
  /// - Complexity: That of the undone commits.
  public func preview(
    undoTo revision: Int, configuration: LayoutConfiguration? = nil,
    visible: Rect? = nil, anchor: OffsetAnchor = .cell
  ) throws -> LayoutPreview {
    try preview(PreviewRequest(.undo(to: revision), configuration: configuration))
      .keeping(visible, anchor, of: self)
  }

  private func preview(_ request: PreviewRequest) throws -> LayoutPreview {
    guard let preview = try preview(request, mayTakePass: true) else {
      preconditionFailure("a preview that may take a pass is made")
    }
    return preview
  }
}

extension LayoutSnapshot {
  /// Returns the layout after some changes, without the offset that keeps cells in place.
  ///
  /// - Returns: `nil` if that takes a pass over the dataset or its log, and it may not.
  func preview(_ request: PreviewRequest, mayTakePass: Bool) throws -> LayoutPreview? {
    if request.takesPass && !mayTakePass { return nil }
    return try withSession(keepsNodes: !request.takesPass) { reader, session in
      let draft = try request.configuration.flatMap { try PreviewDraft($0, of: self) }
      var state = DatasetState(
        row: datasetRow, head: try head(for: request.changes, reader), trees: trees, shapes: shapes)
      var (batch, commit) = try state.preview(request.changes, reader, kinds: kinds, in: session)
      if batch == nil && draft == nil { return LayoutPreview(snapshot: self, commit: commit) }
      let trees = state.trees
      var made: (snapshot: LayoutSnapshot, context: InvalidationContext)?
      if draft == nil, let batch, !batch.isEverything(for: layoutID) {
        do {
          made = try following(
            batch, trees, as: identity(after: batch),
            placing: mayTakePass ? Budgets.previewItems : shapes.committedMax, in: session)
          commit.undone?.placesColumns = placesColumns(batch)
        } catch is ExceedsCommit {
          guard mayTakePass else { return nil }
          throw LayoutCacheError(previewOf: trees.items.count)
        }
      }
      if made == nil {
        guard mayTakePass else { return nil }
        made = try laidOut(trees, after: batch, as: draft, from: reader)
      }
      guard let (snapshot, context) = made else { return nil }
      commit.add(
        Commit.LayoutChange(
          layout: layout.layout, incarnation: snapshot.resultIncarnation, context: context))
      return LayoutPreview(snapshot: snapshot, commit: commit)
    }
  }

  /// Lays out a dataset from scratch, with all nodes in memory.
  private func laidOut(
    _ trees: DatasetTrees, after batch: LoggedBatch?, as draft: PreviewDraft?,
    from reader: StoreReader
  ) throws -> (LayoutSnapshot, InvalidationContext) {
    if trees.items.count > Budgets.previewItems {
      throw LayoutCacheError(previewOf: trees.items.count)
    }
    var identity = try identity(after: batch, draft: draft?.text)
    identity.view = draft?.view ?? view
    var context = InvalidationContext.everything(.relaid)
    let snapshot = try laidOut(
      trees, draft?.plan ?? plan, as: identity, work: &context.work,
      in: TreeSession(reader, keepsNodes: false))
    context.contentSizeAdjustment = snapshot.contentSize - contentSize
    return (snapshot, context)
  }

  /// Lays out some trees from scratch, with all nodes in memory. A stable waterfall is placed like
  /// an `exact` one.
  func laidOut(
    _ trees: DatasetTrees, _ plan: LayoutPlan, as identity: Identity, work: inout LayoutWork,
    in session: TreeSession
  ) throws -> LayoutSnapshot {
    var identity = identity
    identity.elementCountMax = 1 << 60
    let plan = plan.measured(trees.layoutLengths[identity.view.layout] ?? .none)
    let builder = LayoutBuilder(
      plan: plan, view: identity.view, shapes: shapes, session: session, sink: nil)
    let results = try layingOut(layout) { try builder.layOut(trees, work: &work) }
    return LayoutSnapshot(
      of: self, trees: trees, plan: plan, results: results, carouselOffsets: carouselOffsets,
      as: identity)
  }

  /// Returns the layout as it was at an earlier revision: as an undo would restore it.
  ///
  /// - Returns: `nil` if an undo does not reach that far, would place items again, or would restore
  ///   another configuration's result.
  /// - Complexity: That of the undone commits.
  func past(at revision: Int) throws -> LayoutSnapshot? {
    try withSession(keepsNodes: false) { reader, session in
      guard let result = try reader.layout(id: layoutID)?.result, !isOutdated,
        result.historyBegin <= revision, Incarnation(result.incarnation) == resultIncarnation
      else { return nil }
      let undo = PreviewRequest.Changes.undo(to: revision)
      do {
        var state = DatasetState(
          row: datasetRow, head: try head(for: undo, reader), trees: trees, shapes: shapes)
        guard let batch = try state.preview(undo, reader, kinds: kinds, in: session).batch,
          !batch.isEverything(for: layoutID), !placesColumns(batch)
        else { return nil }
        let identity = Identity(
          history: history, result: result.incarnation, view: view,
          elementCountMax: elementCountMax + batch.insertedCount, revision: revision)
        return try following(batch, state.trees, as: identity, in: session).snapshot
      } catch let error as LayoutCacheError {
        switch error.code {
        case .cannotUndo, .batchTooLong, .cannotLayOut: return nil
        default: throw error
        }
      }
    }
  }

  /// Whether an undo does not restore the columns, as in a commit.
  private func placesColumns(_ batch: LoggedBatch) -> Bool {
    guard plan.hasHistory, !batch.isOfData, let undo else { return false }
    return undo.record(of: revision + 1 - batch.undone.count, at: revision) == nil
  }

  /// Returns the head of the log at the snapshot's revision, which only an undo reads.
  private func head(for changes: PreviewRequest.Changes, _ reader: StoreReader) throws -> LogHead {
    guard case .undo = changes else {
      return LogHead(dataset: datasetID, revision: revision, time: 0, total: .none)
    }
    let isCommitted = undo != nil || isTemporary && history == datasetIncarnation
    if isCommitted, try reader.dataset(named: layout.dataset)?.id == datasetID {
      let last = try reader.logHead(of: datasetID)
      if last.revision == revision { return last }
      if let head = try reader.logHead(of: datasetID, at: revision) { return head }
    }
    throw LayoutCacheError(.cannotUndo(revision: revision, .notLogged, dataset: layout.dataset))
  }
}

extension DatasetState {
  /// Resolves the changes of a preview and applies them to the trees.
  ///
  /// - Returns: The batch, `nil` if nothing changes, and the result of its commit, without layouts.
  /// - Throws: The errors of the commit.
  fileprivate mutating func preview(
    _ changes: PreviewRequest.Changes, _ reader: StoreReader, kinds: CustomKinds,
    in session: TreeSession
  ) throws -> (batch: LoggedBatch?, commit: Commit) {
    var commit = Commit(changingNothingAt: revision, of: row)
    let batch: LoggedBatch
    switch changes {
    case .batch(let operations):
      if let repeated = try reader.repeatedRevision(of: operations, in: row.id) {
        return (nil, Commit(repeating: repeated, of: row))
      }
      var resolver = OperationResolver(trees, of: row, reader, kinds: kinds, in: session)
      try resolver.apply(operations)
      guard let resolved = resolver.loggedBatch else { return (nil, commit) }
      (batch, trees) = (resolved, resolver.trees)
    case .undo(let target):
      guard let undo = try reverted(to: target, reader) else { return (nil, commit) }
      try carryOut(undo.batch, in: session, path: reader.path)
      (batch, commit.undone) = (undo.batch, undo.undone)
    }
    _ = try batch.encodedWithinLimits()
    commit.updates = try batch.updates()
    return (batch, commit)
  }
}

/// Another configuration of a layout.
private struct PreviewDraft {
  let plan: LayoutPlan
  /// The layout's view of the items: without its measured lengths if setting the configuration
  /// drops them.
  let view: ItemView
  let text: String

  /// - Returns: `nil` for the layout's present configuration.
  /// - Throws: ``LayoutCacheError`` with `variant` for a responsive configuration without a width;
  ///   `ConfigurationError`.
  init?(_ configuration: LayoutConfiguration, of snapshot: LayoutSnapshot) throws {
    try configuration.check(custom: snapshot.kinds)
    var own = configuration
    if configuration.isResponsive {
      own = configuration.configuration(
        of: try configuration.variant(named: snapshot.layout.layout).size)
    }
    let present = snapshot.plan.configuration
    if own == present { return nil }
    text = try ConfigurationText.encode(own)
    plan = try LayoutPlan(ConfigurationText.decode(text), custom: snapshot.kinds)
    let keepsLengths = own.keepsMeasuredLengths || present.isMeasuredAlike(own)
    // No layout has the ID 0.
    view = ItemView(layout: keepsLengths ? snapshot.layoutID : 0, space: plan.space)
  }
}

extension LayoutPreview {
  /// The number of items that were placed, for the preview's memory.
  var placedCount: Int { context.work.recomputedItems }

  /// Returns the preview with the change of the content offset that keeps visible cells, or the
  /// end, in place.
  func keeping(
    _ visible: Rect?, _ anchor: OffsetAnchor, of present: LayoutSnapshot
  ) throws -> LayoutPreview {
    guard let visible, !commit.layouts.isEmpty else { return self }
    var preview = self
    let seen = try present.anchorCandidates(in: visible, anchor)
    preview.commit.layouts[0].context.contentOffsetAdjustment = try snapshot.query {
      try snapshot.contentOffsetAdjustment(keeping: seen, ItemMoves(commit.updates), in: $0.session)
    }.result
    return preview
  }
}

extension LayoutCache {
  /// Returns a preview of a snapshot from those in memory, or makes it.
  ///
  /// - Parameter mayTakePass: Whether it may take a pass over the dataset or its log. Only such
  ///   previews are retained, for further queries of the same one.
  /// - Returns: `nil` if that is needed.
  /// - Throws: As `LayoutSnapshot.preview`.
  package func preview(
    _ request: PreviewRequest, of snapshot: LayoutSnapshot, visible: Rect?, anchor: OffsetAnchor,
    mayTakePass: Bool
  ) throws -> LayoutPreview? {
    if let known = temporary.preview(request, of: snapshot) {
      return try known.keeping(visible, anchor, of: snapshot)
    }
    guard let made = try snapshot.preview(request, mayTakePass: mayTakePass) else { return nil }
    if mayTakePass {
      temporary.keep(made, of: snapshot, for: request)
      // The nodes are part of the cache's memory, and are released with the others.
      noteLoaded(bytes: made.placedCount * Budgets.itemBytes)
    }
    return try made.keeping(visible, anchor, of: snapshot)
  }

  /// Returns the result of ``update(_:with:visible:anchor:direction:preparing:expecting:)`` without
  /// committing the batch; with the dataset's present revision.
  ///
  /// - Throws: As that call.
  package func preview(
    _ dataset: String, with operations: [BatchOperation], visible: Rect?, anchor: OffsetAnchor,
    direction: LayoutConfiguration.LayoutDirection?, preparing layouts: UpdatedLayouts,
    expecting expected: Int?
  ) throws -> Commit {
    var (commit, names) = try mappingErrors(path) {
      try store.readLong { reader in
        var state = try current(dataset, reader: reader)
        try state.row.require(expected, at: state.revision)
        let (batch, commit) = try state.preview(
          .batch(operations), reader, kinds: customKinds, in: passSession(over: state, reader))
        if batch == nil { return (commit, [String]()) }
        guard case .upToDate = layouts else { return (commit, layouts.names) }
        let upToDate = try reader.layouts(of: state.row.id).filter {
          !$0.isOutdated && $0.result.map { $0.revision >= state.row.revision } ?? false
        }
        return (commit, upToDate.map(\.name))
      }
    }
    for name in names {
      do {
        let own = try read(LayoutID(name, of: dataset)) { snapshot in
          guard snapshot.revision == commit.revision else {
            throw LayoutCacheError(.concurrentModification(dataset: dataset))
          }
          return try snapshot.reading(direction)
            .preview(operations, visible: visible, anchor: anchor).commit
        }
        for layout in own.layouts { commit.add(layout) }
      } catch let error as LayoutCacheError {
        // A commit lists a layout that fails, too.
        switch error.code {
        case .cannotLayOut, .temporaryTooLarge:
          commit.add(Commit.LaggingLayout(layout: name, error))
        default: throw error
        }
      }
    }
    ChangeRequest(.batch(operations), CommitViewport(layouts: layouts)).list(in: &commit)
    return commit
  }
}
