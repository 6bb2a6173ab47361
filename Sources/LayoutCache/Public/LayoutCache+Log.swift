import LayoutStore

/// A commit as the log has it.
public struct LogEntry: Hashable, Sendable {
  /// The kind of commit.
  @nonexhaustive
  public enum Kind: String, Hashable, Sendable {
    case batch
    /// The dataset was made, or rebuilt: nothing leads back after it.
    case `import`
    /// The commit before was taken back.
    case undo
  }

  /// The dataset's revision after it.
  public var revision: Int
  /// When it was committed.
  public var millisecondsSince1970: Int64
  /// The items that it touched one by one; 1 for an import, which the log does not hold.
  public var operationCount: Int
  /// Its size in the log, in bytes.
  public var byteCount: Int
  public var kind: Kind
  /// The mark that the batch carried, if any.
  public var mark: DatasetDescription.Mark?
}

extension LayoutCache {
  /// The last entries of a dataset's log, the newest first.
  ///
  /// The log keeps the last 24 hours, 1,000 revisions or 10,000 operations, whichever is most, of
  /// at most 64 MiB.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - limit: How many at most; below 1 none.
  ///   - revision: Only those before it; `nil` for all. There are none before revision 1.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  /// - Complexity: O(limit) entries.
  public func log(
    of dataset: String, limit: Int = 20, before revision: Int? = nil
  ) throws -> [LogEntry] {
    try call { _ in
      try store.read { reader in
        let row = try reader.requireDataset(dataset)
        let head = try reader.logHead(of: row.id)
        guard limit > 0, let first = try reader.firstLogRevision(of: row.id) else { return [] }
        let end = max(first, min(revision ?? .max, head.revision + 1))
        let begin = max(first, end - limit)
        var entries: [LogEntry] = []
        let last = LogHead(dataset: row.id, revision: end - 1, time: head.time, total: head.total)
        try reader.forEachLogRow(after: begin - 1, upTo: last) { entry in
          let batch = try LoggedBatch(entry, path: path)
          entries.append(
            LogEntry(
              revision: entry.revision, millisecondsSince1970: entry.time,
              operationCount: entry.operations,
              byteCount: entry.payload.count, kind: batch.kind,
              mark: batch.mark(at: entry.revision)))
        }
        return entries.reversed()
      }
    }
  }
}

extension LoggedBatch {
  fileprivate var kind: LogEntry.Kind {
    if self == .build { return .import }
    return isUndo ? .undo : .batch
  }

  /// The mark among its operations.
  fileprivate func mark(at revision: Int) -> DatasetDescription.Mark? {
    for case .mark(let source, let position) in operations {
      return DatasetDescription.Mark(source: source, position: position, revision: revision)
    }
    return nil
  }
}
