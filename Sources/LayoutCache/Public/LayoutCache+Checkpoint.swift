extension LayoutCache {
  /// Moves what is only in the log into the trees, for every dataset that this
  /// process has changed.
  ///
  /// What the trees before needed alone stays in the file while it trails behind them: what has
  /// changed since then can be told, and the newest commit taken back.
  ///
  /// That happens by itself when the log has grown long, and at ``close()``; a
  /// service may call it when it is idle.
  ///
  /// - Throws: ``LayoutCacheError`` with `database`; nothing is lost then.
  /// - Complexity: O(nodes changed since the last time).
  public func checkpoint() throws {
    try call { _ in
      for dataset in openDatasets.uncheckpointed() { try checkpoint(dataset) }
      try reclaim()
    }
  }

  private func checkpoint(_ dataset: String) throws {
    do {
      try change(dataset) { change in
        // Another process may have seen to it.
        if change.state.hasOwnCommits {
          try change.state.checkpoint(change.writer, at: change.now)
        }
      }
    } catch let error as LayoutCacheError {
      // Another process has removed or renamed it: whoever opens it next finds the log.
      guard case .noSuchDataset = error.code else { throw error }
      drop(dataset)
    }
  }
}
