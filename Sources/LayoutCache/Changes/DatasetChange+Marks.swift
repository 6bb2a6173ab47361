import LayoutGeometry
import LayoutStore

extension StoreReader {
  /// Returns the revision of the commit that set the mark of a batch, if it is still the source's
  /// present mark: the batch has been applied.
  ///
  /// - Throws: ``LayoutCacheError`` with `refused` for a second mark in the batch, an unexpected
  ///   present mark, or too many sources.
  func repeatedRevision(
    of operations: [BatchOperation], in dataset: Int64
  ) throws -> Int? {
    var mark: (number: Int, source: String, position: String, after: MarkExpectation)?
    for (index, operation) in operations.enumerated() {
      guard case .mark(let source, let position, let after) = operation else { continue }
      if mark != nil { throw Self.refused(index + 1, .duplicateMark) }
      mark = (index + 1, source, position, after)
    }
    guard let mark else { return nil }
    let known = try self.mark(of: dataset, source: mark.source)
    if let known, ExactKey(known.position) == ExactKey(mark.position) { return known.revision }
    if let reason = mark.after.mismatch(source: mark.source, present: known?.position) {
      throw Self.refused(mark.number, reason)
    }
    if known != nil { return nil }
    do {
      let count = try markCount(of: dataset)
      try Limits.check(count + 1, in: 0...Limits.marksMax, as: "sources")
    } catch let limit as LimitError {
      throw Self.refused(mark.number, .limit(limit, key: nil))
    }
    return nil
  }

  private static func refused(
    _ number: Int, _ reason: OperationError.Reason
  ) -> LayoutCacheError {
    LayoutCacheError(.refused(OperationError(number: number, reason: reason)))
  }
}

extension MarkExpectation {
  /// Returns the reason that a source's present mark is not the expected one; `nil` if it is.
  fileprivate func mismatch(
    source: String, present: String?
  ) -> OperationError.Reason? {
    let expected: String?
    switch self {
    case .any: return nil
    case .none: expected = nil
    case .position(let position): expected = position
    }
    if expected.map(ExactKey.init) == present.map(ExactKey.init) { return nil }
    return .markMismatch(source: source, expected: expected, present: present)
  }
}

extension DatasetChange {
  /// Stores the marks set by a committed batch.
  func putMarks(of batch: LoggedBatch) throws {
    for case .mark(let source, let position) in batch.operations {
      try writer.put(
        MarkRow(
          dataset: state.row.id, source: source, position: position, revision: state.revision))
    }
  }
}
