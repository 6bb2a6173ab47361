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
