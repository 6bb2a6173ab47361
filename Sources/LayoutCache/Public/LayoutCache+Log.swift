import LayoutStore

/// A commit in the log.
public struct LogEntry: Hashable, Sendable {
  /// The kind of commit.
  @nonexhaustive
  public enum Kind: String, Hashable, Sendable {
    case batch
    /// The creation or rebuild of the dataset. It cannot be undone.
    case `import`
    /// The undo of the previous commit.
    case undo
  }

  /// The dataset's revision after the commit.
  public var revision: Int
  /// The time of the commit.
  public var millisecondsSince1970: Int64
  /// The number of items changed one by one; 1 for an import, which the log does not contain.
  public var operationCount: Int
  /// The commit's size in the log, in bytes.
  public var byteCount: Int
  public var kind: Kind
  /// The name of the caller whose token the service has checked, if any.
  public var who: String?
  /// The mark that the batch contained, if any.
  public var mark: DatasetDescription.Mark?
}

extension LayoutCache {
  /// The name under which commits of the current task are logged.
  @TaskLocal package static var caller = ""

  /// Returns the last entries of a dataset's log, newest first.
  ///
  /// The log retains the last 24 hours, 1,000 revisions or 10,000 operations, whichever is
  /// most, up to 64 MiB.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - limit: The maximum number of entries; below 1, none are returned.
  ///   - revision: Only entries before this revision are returned; `nil` for all. The log
  ///     begins at revision 1.
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
              byteCount: entry.payload.count, kind: batch.entryKind,
              who: batch.who.isEmpty ? nil : batch.who, mark: batch.mark(at: entry.revision)))
        }
        return entries.reversed()
      }
    }
  }
}

extension LoggedBatch {
  fileprivate var entryKind: LogEntry.Kind {
    switch kind {
    case .batch: .batch
    case .build: .import
    case .undo: .undo
    }
  }

  /// Returns the mark among the batch's operations.
  fileprivate func mark(at revision: Int) -> DatasetDescription.Mark? {
    marks.first.map {
      DatasetDescription.Mark(source: $0.source, position: $0.position, revision: revision)
    }
  }
}
