import LayoutStore

/// A batch that was resolved on a snapshot of its dataset: what takes a pass over all items, such
/// as a difference to a list, is found without the write lock.
struct BatchResolution: Sendable {
  /// The dataset's id.
  var dataset: Int64
  /// The revision that it was resolved at, and holds for.
  var revision: Int
  /// `nil` where it makes no revision.
  var batch: LoggedBatch?
}

extension BatchResolution? {
  /// The resolved batch, where it holds for a dataset as it is.
  ///
  /// - Throws: ``LayoutCacheError`` with `changedMeanwhile` where the batch must be resolved, for
  ///   the first time or again.
  func current(on dataset: DatasetRow, at revision: Int) throws -> LoggedBatch? {
    guard let self, self.dataset == dataset.id, self.revision == revision else {
      throw LayoutCacheError(.changedMeanwhile(dataset: dataset.name))
    }
    return self.batch
  }
}

extension [BatchOperation] {
  /// Whether resolving them takes a pass over the dataset.
  var takePass: Bool {
    contains {
      switch $0 {
      case .match, .resetLengths: true
      default: false
      }
    }
  }
}
