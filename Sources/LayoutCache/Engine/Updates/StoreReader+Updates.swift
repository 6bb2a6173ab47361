import LayoutStore

extension StoreReader {
  /// Returns the changes of the dataset's lists by the entries of a log.
  ///
  /// - Parameters:
  ///   - revision: The entries after it, up to the head.
  ///   - operationsMax: More operations are not looked at one by one.
  /// - Returns: ``DatasetUpdates/everything`` where they are more, or the log does not reach
  ///   back so far: it can be done without, so a damaged entry is no matter.
  /// - Complexity: O(operations · log operations) in time, O(what they name) in memory.
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

  /// The changes of a dataset's lists between two revisions.
  ///
  /// - Returns: As ``updates(since:upTo:operationsMax:)``.
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
