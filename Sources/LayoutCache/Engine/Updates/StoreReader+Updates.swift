import LayoutStore

extension StoreReader {
  /// Returns the changes that the entries of a log make to a dataset's lists.
  ///
  /// - Parameters:
  ///   - revision: The revision after which entries are considered, up to the head.
  ///   - operationsMax: The maximum number of operations to examine.
  /// - Returns: The changes; ``DatasetUpdates/everything`` if there are more operations, the log
  ///   does not reach back that far, or an entry is damaged.
  /// - Complexity: O(operations · log operations) time, O(named elements) memory.
  func updates(
    since revision: Int, upTo head: LogHead, operationsMax: Int
  ) throws -> DatasetUpdates {
    do {
      guard let extent = try logExtent(after: revision, upTo: head),
        extent.operations <= operationsMax
      else { return .everything }
      var composer = UpdateComposer()
      try forEachLogRow(after: revision, upTo: head) { row in
        for operation in try LoggedBatch(row, path: path).operations {
          try composer.append(operation)
        }
      }
      return composer.finish()
    } catch is MisplacedOperation {
      return .everything
    } catch let error as StoreError {
      guard case .corrupt = error.code else { throw error }
      return .everything
    }
  }

  /// Returns the changes of a dataset's lists between two revisions.
  ///
  /// - Returns: The changes, like ``updates(since:upTo:operationsMax:)``.
  func updates(
    ofDataset dataset: Int64, since revision: Int, upTo last: Int, operationsMax: Int
  ) throws -> DatasetUpdates {
    do {
      guard let head = try logHead(of: dataset, at: last) else { return .everything }
      return try updates(since: revision, upTo: head, operationsMax: operationsMax)
    } catch let error as StoreError {
      guard case .corrupt = error.code else { throw error }
      return .everything
    }
  }
}
