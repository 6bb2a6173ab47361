extension LayoutCache {
  /// Writes the changes that are only in the log to the trees, for every dataset that this
  /// process has changed.
  ///
  /// Nodes needed only by the previous trees stay in the file as a trailing checkpoint: they
  /// allow computing the changes since then, and undoing the newest commit.
  ///
  /// Happens automatically when the log has grown long, and at ``close()``; a service may call
  /// it when idle.
  ///
  /// - Throws: ``LayoutCacheError`` with `database`; nothing is lost then.
  /// - Complexity: O(nodes changed since the last checkpoint).
  public func checkpoint() throws {
    try call { _ in
      for dataset in openDatasets.uncheckpointed() { try checkpoint(dataset) }
      try reclaim()
    }
  }

  private func checkpoint(_ dataset: String) throws {
    do {
      try change(dataset) { change in
        // Another process may have checkpointed the dataset.
        if change.state.hasOwnCommits {
          try change.state.checkpoint(change.writer, at: change.now)
        }
      }
    } catch let error as LayoutCacheError {
      // Another process has removed or renamed the dataset: the next process that opens it
      // replays the log.
      guard case .noSuchDataset = error.code else { throw error }
      drop(dataset)
    }
  }
}
