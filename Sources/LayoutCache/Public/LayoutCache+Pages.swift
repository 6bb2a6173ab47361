public import CollectionLayout
import LayoutStore
import Logging
import SumTree

extension LayoutCache {
  /// Calls `body` with the answer to a query page by page, all of one revision. The answer may
  /// have any length; its pages are not retained.
  ///
  ///     try cache.forEachPage(of: .rect(everything), in: phone) { _, page, _ in
  ///       for element in page.elements { draw(element) }
  ///     }
  ///
  /// The nodes of an answer of several pages are copied into a temporary file first, so `body` may
  /// take its time: it delays no writer, and the write-ahead log stays bounded.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - layout: The layout, which is brought up to date first.
  ///   - view: The view of the dataset; `nil` for the whole one.
  ///   - withData: Whether to read the items' data.
  ///   - offsets: The scroll positions of carousels; a continuation's apply instead of them.
  ///   - direction: The layout direction, or a continuation's; `nil` for the configuration's.
  ///   - freshness: How to answer if the layout's configuration has changed.
  ///   - body: Called with the page's snapshot, the page, and its items' data if requested. It
  ///     is called at least once, and never again with the same page. Only the last page may
  ///     have a ``ElementsPage/next``, if the query has a limit.
  /// - Throws: As ``read(_:freshness:_:)``; errors of `body`.
  /// - Complexity: As the query, or twice that for several pages, in the memory of a page and one
  ///   path of nodes.
  public func forEachPage(
    of query: ElementsQuery, in layout: LayoutID, showing view: DatasetView? = nil,
    withData: Bool = false,
    scrolledTo offsets: CarouselOffsets = CarouselOffsets(),
    direction: LayoutConfiguration.LayoutDirection? = nil, freshness: Freshness = .current,
    _ body: (LayoutSnapshot, ElementsPage, ElementsData?) throws -> Void
  ) throws {
    let offsets = query.continuation?.offsets ?? offsets
    let direction = query.continuation?.layoutDirection ?? direction
    if try view.map({ !$0.isWhole }) ?? isTemporary(layout) {
      // It is in memory, but for the items of a layout that is not stored.
      let snapshot = try read(layout, showing: view) {
        $0.scrolled(to: offsets).reading(direction)
      }
      return try snapshot.query { state in
        do {
          try snapshot.forEachPage(of: query, withData: withData, state) {
            try body(snapshot, $0, $1)
          }
        } catch  where snapshot.isTemporary && Damage(error) != nil {
          throw LayoutCacheError(.concurrentModification(dataset: layout.dataset))
        }
      }.result
    }
    try onVariant(layout, for: .answer(freshness)) { lease in
      let (layout, freshness) = (lease.layout, lease.freshness(freshness))
      for _ in 0..<Budgets.readAttempts {
        // Brings the layout up to date, and repairs damage found in the first page, which is
        // the whole answer in most cases.
        let (snapshot, first) = try read(layout, freshness: freshness) { snapshot in
          let snapshot = snapshot.scrolled(to: offsets).reading(direction)
          return (snapshot, try snapshot.wholeAnswer(to: query, withData: withData))
        }
        if let first { return try body(snapshot, first.page, first.data) }
        guard
          let (copied, nodes) = try copy(query, layout, like: snapshot, withData: withData)
        else { continue }
        let session = TreeSession(nodes, keepsNodes: false)
        return try copied.forEachPage(of: query, withData: withData, QueryState(session)) {
          try body(copied, $0, $1)
        }
      }
      throw LayoutCacheError(.concurrentModification(dataset: layout.dataset))
    }
  }

  /// Copies the nodes of an answer from one committed state of the file.
  ///
  /// - Parameter last: An acceptable snapshot of the layout: the returned one must not be
  ///   outdated unless this one is, and has the same scroll positions and direction.
  /// - Returns: The layout in that state, and the nodes; `nil` if it is not ready there, or any
  ///   damage was found, which has been repaired.
  private func copy(
    _ query: ElementsQuery, _ layout: LayoutID, like last: LayoutSnapshot, withData: Bool
  ) throws -> (LayoutSnapshot, ScratchNodes)? {
    var space: NodeSpace?
    do {
      return try store.read { reader in
        var state = try current(layout.dataset, reader: reader)
        let readiness = try state.bring(
          layout.layout, mayLag: false, reader: reader, kinds: customKinds)
        guard case .ready = readiness, let present = state.layout(named: layout.layout) else {
          return nil
        }
        let snapshot = snapshot(present, of: state)
          .scrolled(to: last.carouselOffsets).reading(last.layoutDirection)
        if snapshot.isOutdated && !last.isOutdated { return nil }
        space = snapshot.resultSpace
        let nodes = try ScratchNodes.copied(from: reader) { session in
          try snapshot.forEachPage(of: query, withData: withData, QueryState(session)) { _, _ in }
        }
        return (snapshot, nodes)
      }
    } catch {
      guard let damage = Damage(error), let space, damage.space == nil || damage.space == space
      else { throw error }
      logger.warn(.isLaidOutAgain, layout, damage.detail)
      try publish(layout, discardingSpace: space, false)
      return nil
    }
  }
}

extension LayoutSnapshot {
  /// Returns the answer to a query, if it fits in a page.
  fileprivate func wholeAnswer(
    to query: ElementsQuery, withData: Bool
  ) throws -> (page: ElementsPage, data: ElementsData?)? {
    let (answer, work) = try self.query { state -> (ElementsPage, [ItemData?]?)? in
      let paging = try paging(query, in: state)
      let limit = min(paging.limit, Budgets.pageElements)
      let run = try paging.run(from: paging.start, limit: limit, in: state)
      if run.isCut && limit < paging.limit { return nil }
      return (
        ElementsPage(
          elements: run.elements,
          next: try paging.continuation(after: run, in: state), work: .none),
        withData ? try self.data(of: run.elements, in: state.session) : nil
      )
    }
    guard let (whole, data) = answer else { return nil }
    var page = whole
    page.work = work
    return (page, data.map { ElementsData(data: $0, work: .none) })
  }

  /// Calls `body` with the answer to a query page by page.
  fileprivate func forEachPage(
    of query: ElementsQuery, withData: Bool, _ state: QueryState,
    _ body: (ElementsPage, ElementsData?) throws -> Void
  ) throws {
    let paging = try paging(query, in: state)
    var (start, rest) = (paging.start, paging.limit)
    while true {
      let run = try paging.run(from: start, limit: min(rest, Budgets.pageElements), in: state)
      rest -= run.elements.count
      let data = withData ? try self.data(of: run.elements, in: state.session) : nil
      let session = state.session
      let work = QueryWork(nodesVisited: session.nodesVisited, nodesLoaded: session.nodesLoaded)
      session.restart()
      let isLast = !run.isCut || rest == 0
      try body(
        ElementsPage(
          elements: run.elements,
          next: isLast ? try paging.continuation(after: run, in: state) : nil,
          work: work),
        data.map { ElementsData(data: $0, work: .none) })
      guard !isLast, let next = paging.place(after: run) else { return }
      start = next
    }
  }
}
