import LayoutStore

/// A batch resolved on a snapshot of its dataset. Work that needs a pass over all items, such as
/// a difference to a list, is thus done without the write lock.
struct BatchResolution: Sendable {
  /// The dataset's ID.
  var dataset: Int64
  /// The revision at which the batch was resolved and for which it is valid.
  var revision: Int
  /// The resolved batch; `nil` if it creates no revision.
  var batch: LoggedBatch?
}

extension ChangeRequest {
  /// Returns the change's resolution if it is valid for the present dataset; `nil` if the change
  /// must be resolved in its transaction.
  ///
  /// - Throws: ``LayoutCacheError`` with `concurrentModification` if the change must be resolved
  ///   on a snapshot, for the first time or again.
  func resolution(on dataset: DatasetRow, at revision: Int) throws -> BatchResolution? {
    guard takesPass else { return nil }
    if let resolution, resolution.dataset == dataset.id, resolution.revision == revision {
      return resolution
    }
    if mayPassInTransaction { return nil }
    throw LayoutCacheError(.concurrentModification(dataset: dataset.name))
  }
}

extension OperationResolver {
  /// The resolved operations as a batch; `nil` if they create no revision.
  var loggedBatch: LoggedBatch? { makesRevision ? LoggedBatch(operations: resolved) : nil }
}

extension [BatchOperation] {
  /// Whether resolving the operations requires a pass over the dataset.
  var takePass: Bool {
    contains {
      switch $0 {
      case .match, .resetLengths: true
      default: false
      }
    }
  }
}
