import CollectionLayout
import LayoutGeometry
import LayoutStore
import Logging
import SumTree

extension LayoutCache {
  /// Calls `body` with the answer to a query page by page, all of one revision: for answers of
  /// any length, of which nothing is kept.
  ///
  ///     try cache.forEachPage(of: .rect(everything), in: phone) { _, page, _ in
  ///       for element in page.elements { draw(element) }
  ///     }
  ///
  /// An answer of several pages is read in one transaction, so others may change the dataset
  /// in the meantime; until it ends SQLite's write-ahead log can't be emptied.
  ///
  /// - Parameters:
  ///   - query: What is asked for.
  ///   - layout: The layout, which is brought up to date first.
  ///   - withData: Whether to tell what the items carry.
  ///   - freshness: What to do where the layout's configuration has changed.
  ///   - body: Takes the snapshot that the page is of, the page, and what its items carry, if
  ///     that was asked for. It is called at least once, and never again with the same page.
  ///     Only the last page may have a ``ElementsPage/next``, where the query has a limit.
  /// - Throws: As ``read(_:freshness:_:)``; `changedMeanwhile` too where the layout turns out
  ///   to be damaged after the first page. It is then laid out again for whoever asks next.
  /// - Complexity: As the query, in the memory of a page and of a path of nodes.
  public func forEachPage(
    of query: ElementsQuery, in layout: LayoutID, withData: Bool = false,
    freshness: Freshness = .current,
    _ body: (LayoutSnapshot, ElementsPage, ElementsData?) throws -> Void
  ) throws {
    try call { _ in
      for _ in 0..<Budgets.readAttempts {
        // Brings the layout up to date, and lays out again what is damaged at its beginning;
        // most answers are no longer.
        let (snapshot, first) = try read(layout, freshness: freshness) { snapshot in
          (snapshot, try snapshot.wholeAnswer(to: query, withData: withData))
        }
        if let first { return try body(snapshot, first.page, first.data) }
        var hasBegun = false
        let isDone = try stream(query, layout, like: snapshot, withData: withData) {
          hasBegun = true
          try body($0, $1, $2)
        }
        if isDone { return }
        if hasBegun { break }
      }
      throw LayoutCacheError(.changedMeanwhile(dataset: layout.dataset))
    }
  }

  /// Gives an answer out of one committed state of the file, if that has the layout.
  ///
  /// - Parameter last: A snapshot of the layout that is good enough.
  /// - Returns: Whether all of the answer has been given. Where not, damage that was met has
  ///   been seen to.
  private func stream(
    _ query: ElementsQuery, _ layout: LayoutID, like last: LayoutSnapshot, withData: Bool,
    _ body: (LayoutSnapshot, ElementsPage, ElementsData?) throws -> Void
  ) throws -> Bool {
    var space: NodeSpace?
    do {
      return try store.read { reader in
        var state = try current(layout.dataset, reader: reader)
        let readiness = try state.bring(
          layout.layout, mayBeBehind: false, reader: reader, kinds: customKinds)
        guard case .ready = readiness, let present = state.layout(named: layout.layout) else {
          return false
        }
        let snapshot = LayoutSnapshot(state, present, source: PooledNodes(store: store))
        if snapshot.isOutdated && !last.isOutdated { return false }
        space = snapshot.resultSpace
        let session = TreeSession(reader, keepsNodes: false)
        try snapshot.forEachPage(of: query, withData: withData, QueryState(session)) {
          try body(snapshot, $0, $1)
        }
        return true
      }
    } catch {
      guard let damage = Damage(error), let space, damage.space == nil || damage.space == space
      else { throw error }
      logger.warn(.isLaidOutAnew, layout, damage.detail)
      try publish(layout, discardingSpace: space, false)
      return false
    }
  }
}

extension LayoutSnapshot {
  /// The answer to a query, if it is no longer than a page.
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
          next: paging.continuation(behind: run), work: .none),
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
      let work = QueryWork(
        nodesVisited: session.nodesVisited, nodesLoaded: session.nodesLoaded)
      session.restart()
      let isLast = !run.isCut || rest == 0
      try body(
        ElementsPage(
          elements: run.elements,
          next: isLast ? paging.continuation(behind: run) : nil,
          work: work),
        data.map { ElementsData(data: $0, work: .none) })
      guard !isLast, let next = paging.place(behind: run) else { return }
      start = next
    }
  }
}
