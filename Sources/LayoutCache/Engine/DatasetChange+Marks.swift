import LayoutGeometry
import LayoutStore

extension StoreReader {
  /// The revision of the commit that has set the mark of a batch, where that is its source's
  /// present one: the batch has been carried out.
  ///
  /// - Throws: ``LayoutCacheError`` with `refused` for a second mark, and for one of a source
  ///   too many.
  func repeatedRevision(
    of operations: [BatchOperation], in dataset: Int64
  ) throws -> Int? {
    var mark: (number: Int, source: String, position: String)?
    for (index, operation) in operations.enumerated() {
      guard case .mark(let source, let position) = operation else { continue }
      if mark != nil { throw Self.refused(index + 1, .markTwice) }
      mark = (index + 1, source, position)
    }
    guard let mark else { return nil }
    if let known = try self.mark(of: dataset, source: mark.source) {
      return ExactKey(known.position) == ExactKey(mark.position) ? known.revision : nil
    }
    do {
      let count = try markCount(of: dataset)
      try Limits.check(count + 1, in: 0...Limits.marksMax, as: "sources")
    } catch let limit as LimitError {
      throw Self.refused(mark.number, .limit(limit, key: nil))
    }
    return nil
  }

  private static func refused(
    _ number: Int, _ reason: RefusedOperation.Reason
  ) -> LayoutCacheError {
    LayoutCacheError(.refused(RefusedOperation(number: number, reason: reason)))
  }

}

extension DatasetChange {
  /// Stores the marks that a committed batch has set.
  func putMarks(of batch: LoggedBatch) throws {
    for case .mark(let source, let position) in batch.operations {
      try writer.put(
        MarkRow(
          dataset: state.row.id, source: source, position: position, revision: state.revision))
    }
  }
}
