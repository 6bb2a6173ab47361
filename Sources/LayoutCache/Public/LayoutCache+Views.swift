import CollectionLayout
import LayoutStore
import SumTree

extension LayoutCache {
  /// Runs `body` on a layout of a view of its dataset, as ``read(_:freshness:_:)``; without a view on
  /// the layout itself.
  ///
  /// The view's result is in memory only, and follows later commits; the least recently used of 64
  /// are released, and those beyond 256 MiB. A stable waterfall is placed like an `exact` one, so
  /// that answers follow from the items alone. A variant that is not stored is such a result, too.
  ///
  /// - Parameters:
  ///   - layout: The layout.
  ///   - view: The view.
  ///   - body: Computes the answer; may be run again.
  /// - Throws: Also ``LayoutCacheError`` with `temporaryTooLarge`.
  /// - Complexity: The first read O(items of the dataset), with the data of each; after commits
  ///   O(log² items) nodes for each item that they name.
  public func read<R>(
    _ layout: LayoutID, showing view: DatasetView?, _ body: (LayoutSnapshot) throws -> R
  ) throws -> R {
    guard let view, !view.isWhole else { return try read(layout, body) }
    return try read(layout, of: view) { try body($1) }
  }

  /// Runs `body` on a layout, and on the layout of a view.
  private func read<R>(
    _ layout: LayoutID, of view: DatasetView,
    _ body: (_ base: LayoutSnapshot, _ shown: LayoutSnapshot) throws -> R
  ) throws -> R {
    for _ in 0..<Budgets.readAttempts {
      let result = try readBase(layout) { base in
        try snapshot(showing: view, in: base, by: .pass).map { try body(base, $0) }
      }
      if let result { return result }
    }
    throw LayoutCacheError(.concurrentModification(dataset: layout.dataset))
  }

  /// Runs `body` on a layout of a view if that does not block, as ``readIfWarm(_:freshness:_:)``.
  ///
  /// - Returns: `nil` if the layout of the view is not in memory at the dataset's current revision.
  package func readIfWarm<R>(
    _ layout: LayoutID, showing view: DatasetView?, _ body: (LayoutSnapshot) throws -> R
  ) throws -> R? {
    try readIfWarm(layout, of: view?.isWhole == true ? nil : view, body)
  }

  /// Brings a layout of a view up to date if that takes no pass over the dataset, and places few
  /// items.
  ///
  /// - Returns: Whether it is up to date.
  package func follow(_ layout: LayoutID, showing view: DatasetView) throws -> Bool {
    try readBase(layout) { try snapshot(showing: view, in: $0, by: .following) != nil }
  }

  /// As ``read(from:since:to:_:)``, on layouts of a view. `first` is `nil` if it is not in memory.
  package func read<R>(
    from layout: LayoutID, since revision: Int?, to other: String?, showing view: DatasetView?,
    _ body: (_ first: LayoutSnapshot?, _ last: LayoutSnapshot) throws -> R
  ) throws -> R {
    guard let view, !view.isWhole else {
      return try read(from: layout, since: revision, to: other, body)
    }
    for _ in 0..<Budgets.readAttempts {
      let result = try read(from: layout, to: other) { first, last -> R? in
        try requireReached(revision, by: last)
        guard let base = first, let first = try snapshot(showing: view, in: base, by: .pass),
          let last = try snapshot(showing: view, in: last, by: .pass)
        else { return nil }
        let known = revision.map {
          temporary.results(of: view, in: base)?.layout(of: base, at: $0)
        }
        return try body(known ?? first, last)
      }
      if let result { return result }
    }
    throw LayoutCacheError(.concurrentModification(dataset: layout.dataset))
  }

  /// As ``changes(of:since:layout:in:direction:)``, in a view: everything since a revision whose state
  /// is not in memory. Without changes there is no layout, but for all items.
  package func changes(
    of layout: LayoutID, since revision: Int, in rect: Rect? = nil,
    direction: LayoutConfiguration.LayoutDirection? = nil, showing view: DatasetView
  ) throws -> DatasetChanges {
    try read(layout, of: view) { base, shown in
      try requireReached(revision, by: shown)
      var (updates, context) =
        try base.mappingErrors {
          do {
            return try base.withSession(keepsNodes: false) { _, session in
              try temporary.results(of: view, in: base)?
                .changes(since: revision, in: base, session)
            }
          } catch is ExceedsCommit { return nil }
        } ?? (.everything(.temporary), .everything(.temporary))
      let isSame = updates == DatasetUpdates() && context == InvalidationContext()
      if let rect {
        try shown.withSession(keepsNodes: false) { _, session in
          try context.cut(to: rect, direction, shown.plan, shown.results, session)
        }
      }
      let change = Commit.LayoutChange(
        layout: shown.layout.layout, incarnation: shown.resultIncarnation, context: context)
      return DatasetChanges(
        dataset: layout.dataset, revision: shown.revision, since: revision,
        incarnation: Incarnation(shown.datasetIncarnation),
        updates: updates, layouts: isSame && !view.isWhole ? [] : [change])
    }
  }

  /// Returns what a listener to a view in a layout gets for a commit; `nil` if nothing changes there.
  ///
  /// - Parameter layout: The layout's name; `nil` for none.
  /// - Complexity: O(log items) nodes per item of the commit; no result of the view is needed.
  package func commit(
    _ commit: Commit, of dataset: String, inView view: DatasetView, _ layout: String?
  ) throws -> Commit? {
    let mayChange = try call { _ in
      try reading(dataset) { state, reader in
        guard Incarnation(state.row.incarnation) == commit.incarnation,
          let row = try reader.logRow(of: state.row.id, at: commit.revision)
        else { return true }
        let layout = try layout.map { try reader.layout(named: $0, of: state.row.id)?.id ?? 0 }
        return try LoggedBatch(row, path: path).mayChange(
          view, in: layout, state.trees, passSession(over: state, reader))
      }
    }
    return mayChange ? commit.everything(in: view) : nil
  }

  /// - Throws: ``LayoutCacheError`` with `noSuchRevision` for a later revision.
  func requireReached(_ revision: Int?, by present: LayoutSnapshot) throws {
    guard let revision, revision > present.revision else { return }
    throw LayoutCacheError(
      .noSuchRevision(revision, present: present.revision, dataset: present.layout.dataset))
  }

  /// The work that may bring a view up to date.
  enum Effort {
    /// None: the result must be in memory.
    case lookup
    /// That of following some commits.
    case following
    /// A pass over the dataset.
    case pass
  }

  /// Returns a layout of a view, from those in memory if possible.
  ///
  /// - Returns: `nil` if that takes more effort, or if the view has been shown at a later revision
  ///   than the snapshot's.
  func snapshot(
    showing view: DatasetView, in base: LayoutSnapshot, by effort: Effort
  ) throws -> LayoutSnapshot? {
    var known = temporary.results(of: view, in: base)
    if let present = known?.items.revision, present > base.revision { return nil }
    if known?.items.revision != base.revision {
      if effort == .lookup || known == nil && effort != .pass { return nil }
      known = try base.results(of: view, following: known, mayTakePass: effort == .pass)
    }
    guard var results = known else { return nil }
    results.read(from: base)
    if effort == .lookup { return results.layout(of: base) }
    let passMax = view.isWhole ? Budgets.temporaryItems : Budgets.previewItems
    if effort == .pass, view.isWhole, base.itemCount > passMax {
      throw LayoutCacheError(temporaryOf: base.itemCount)
    }
    let itemsMax = effort == .pass ? passMax : base.shapes.committedMax
    let shown = try base.withSession(keepsNodes: false) { _, session in
      try results.show(in: base, placing: itemsMax, session)
    }
    temporary.keep(results, of: base)
    return shown
  }
}

extension Commit {
  /// Whether it leaves the dataset and all its layouts as they are.
  package var changesNothing: Bool {
    updates == DatasetUpdates() && behind.isEmpty
      && layouts.allSatisfy { $0.context == InvalidationContext() }
  }

  /// The commit as a listener to a view gets it.
  package func everything(in view: DatasetView) -> Commit {
    var own = self
    (own.updates, own.behind) = (.everything(.temporary), [])
    own.layouts = layouts.map {
      let isBase = view.isWhole || $0.incarnation == ""
      return LayoutChange(
        layout: $0.layout,
        incarnation: isBase ? $0.incarnation : Incarnation($0.incarnation.shown(view)),
        context: .everything(.temporary))
    }
    return own
  }
}

extension LayoutSnapshot {
  package var isOfView: Bool { shown != nil }

  /// Sentences about the conditions of a view's filter that compare numbers with texts, from the
  /// values of the first items of the dataset, in the view or not.
  package var hints: [String] { shown?.hints ?? [] }

  /// Returns the items of a view at the snapshot's revision.
  ///
  /// - Parameter known: Earlier results of the view, if there are some.
  /// - Returns: `nil` if that takes a pass over the dataset, and may not.
  fileprivate func results(
    of view: DatasetView, following known: ViewResults?, mayTakePass: Bool
  ) throws -> ViewResults? {
    try withSession(keepsNodes: true) { reader, session in
      if var next = known, try next.follow(to: self, reader, session) { return next }
      guard mayTakePass else { return nil }
      let items = try ViewItems(view, of: trees, at: revision, shapes: shapes, from: reader)
      return ViewResults(items, of: self)
    }
  }
}
