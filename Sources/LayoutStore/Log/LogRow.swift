/// A row of `log`: one committed batch.
package struct LogRow: Sendable {
  package let dataset: Int64
  /// The dataset's revision after the batch.
  package let revision: Int
  /// The number of operations that the batch counts as.
  package let operations: Int
  /// The batch, as the engine encodes it.
  package let payload: [UInt8]
  /// The changes of the results that the commit has updated, as the engine encodes them.
  package let contexts: [UInt8]
  /// The time of the commit, in milliseconds since 1970.
  package let time: Int64
  /// The totals of the dataset's batches up to this one.
  package let total: LogTotal

  /// Creates the row of a batch that follows the last one.
  package init(
    after head: LogHead, operations: Int, payload: [UInt8], contexts: [UInt8] = [], time: Int64
  ) {
    self.dataset = head.dataset
    self.revision = head.revision + 1
    self.operations = operations
    (self.payload, self.contexts) = (payload, contexts)
    self.time = time
    total = LogTotal(
      operations: head.total.operations + operations,
      bytes: head.total.bytes + payload.count + contexts.count)
  }

  /// The size of the row's content, in bytes.
  package var bytes: Int { payload.count + contexts.count }
}

/// The totals of a dataset's batches up to one.
package struct LogTotal: Hashable, Sendable {
  package var operations: Int
  /// The total size of their payloads and contexts, in bytes.
  package var bytes: Int

  package static let none = LogTotal(operations: 0, bytes: 0)

  /// Reads the columns `total_operations` and `total_bytes`.
  init(_ columns: inout RowColumns) throws {
    let range = 0...RowColumns.numberMax
    operations = Int(try columns.nextNumber(in: range))
    bytes = Int(try columns.nextNumber(in: range))
  }

  package init(operations: Int, bytes: Int) {
    self.operations = operations
    self.bytes = bytes
  }
}

/// The totals of a range of the log's rows.
package struct LogExtent: Hashable, Sendable {
  package var batches: Int
  package var operations: Int
  package var bytes: Int

  package static let none = LogExtent(batches: 0, operations: 0, bytes: 0)
}

extension LogRow: SealedRow {
  static let table = SealedTable(
    "log", of: "log entry", number: (1, "revision"), key: ["dataset", "revision"],
    [
      "dataset", "revision", "operations", "payload", "contexts", "time", "total_operations",
      "total_bytes",
    ])

  var values: [ColumnValue] {
    [
      .number(dataset), .number(Int64(revision)), .number(Int64(operations)), .bytes(payload),
      .bytes(contexts), .number(time), .number(Int64(total.operations)),
      .number(Int64(total.bytes)),
    ]
  }

  init(_ columns: inout RowColumns) throws {
    dataset = try columns.nextID()
    revision = try columns.nextRevision()
    operations = try columns.nextCount()
    payload = try columns.next()
    contexts = try columns.next()
    time = try columns.next()
    total = try LogTotal(&columns)
    guard operations <= total.operations, payload.count <= total.bytes - contexts.count else {
      throw columns.corrupt("its size exceeds the log's total")
    }
  }
}

extension StoreReader {
  /// Returns the entry of a revision; `nil` if the log does not have it.
  ///
  /// - Throws: ``StoreError`` with `corrupt` if it is damaged.
  package func logRow(of dataset: Int64, at revision: Int) throws -> LogRow? {
    try firstRow(
      "WHERE dataset = ? AND revision = ?", [.number(dataset), .number(Int64(revision))])
  }

  /// Calls `body` with the log's entries after a revision, oldest first.
  ///
  /// - Parameter head: The log's head, or its head at an earlier revision.
  /// - Throws: ``StoreError`` with `corrupt` if an entry is damaged or missing; errors of `body`.
  package func forEachLogRow(
    after revision: Int, upTo head: LogHead, _ body: (LogRow) throws -> Void
  ) throws {
    guard revision < head.revision else { return }
    var expected = revision + 1
    try forEachRow(
      "WHERE dataset = ? AND revision > ? AND revision <= ? ORDER BY revision",
      [.number(head.dataset), .number(Int64(revision)), .number(Int64(head.revision))]
    ) { (entry: LogRow) in
      guard entry.revision == expected else { throw missingEntry(expected, of: head.dataset) }
      expected += 1
      try body(entry)
    }
    guard expected == head.revision + 1 else { throw missingEntry(expected, of: head.dataset) }
  }

  /// Returns the totals of the entries after a revision.
  ///
  /// - Returns: `nil` if the log does not reach back to the revision.
  /// - Throws: ``StoreError`` with `corrupt` if the first of them is damaged.
  /// - Complexity: O(log entries).
  package func logExtent(after revision: Int, upTo head: LogHead) throws -> LogExtent? {
    guard revision < head.revision else { return LogExtent.none }
    let row: LogRow? = try firstRow(
      "WHERE dataset = ? AND revision = ?", [.number(head.dataset), .number(Int64(revision + 1))])
    guard let row else { return nil }
    let (all, first) = (head.total, row.total)
    guard first.operations <= all.operations, first.bytes <= all.bytes else {
      throw corrupt("log entry \(row.revision) exceeds the log's total")
    }
    return LogExtent(
      batches: head.revision - revision,
      operations: all.operations - first.operations + row.operations,
      bytes: all.bytes - first.bytes + row.bytes)
  }

  /// Returns the revision of the log's first entry; `nil` if the log is empty.
  ///
  /// - Complexity: O(log entries).
  package func firstLogRevision(of dataset: Int64) throws -> Int? {
    let first: Int64? = try Statement(
      "SELECT min(revision) FROM log WHERE dataset = ? AND revision < ?", db
    ).value([.number(dataset), .number(Int64(LogHead.revisionColumn))])
    return first.map { Int($0) }
  }

  /// Returns the number of entries in the log.
  ///
  /// - Complexity: O(entries).
  package func logEntryCount(of dataset: Int64) throws -> Int {
    try Statement("SELECT count(*) FROM log WHERE dataset = ? AND revision < ?", db)
      .value([.number(dataset), .number(Int64(LogHead.revisionColumn))]) ?? 0
  }

  /// Checks that every row of a dataset's log is intact, that none is missing between the first
  /// and the head, and that none follows the head.
  ///
  /// - Throws: ``StoreError`` with `corrupt`.
  /// - Complexity: O(entries).
  package func checkLog(upTo head: LogHead) throws {
    let first: LogRow? = try firstRow(
      "WHERE dataset = ? AND revision < ? ORDER BY revision LIMIT 1",
      [.number(head.dataset), .number(Int64(LogHead.revisionColumn))])
    guard let first else { return }
    let last: Int64? = try Statement(
      "SELECT max(revision) FROM log WHERE dataset = ? AND revision < ?", db
    ).value([.number(head.dataset), .number(Int64(LogHead.revisionColumn))])
    if let last, last > head.revision {
      throw corrupt("log entry \(last) is after the log's head")
    }
    var total: LogTotal?
    try forEachLogRow(after: first.revision - 1, upTo: head) { row in
      if let total, row.total != total.adding(row) {
        throw corrupt("log entry \(row.revision) does not follow the previous one")
      }
      total = row.total
    }
    guard total == head.total else { throw corrupt("the log's head does not match its last entry") }
  }

  private func missingEntry(_ revision: Int, of dataset: Int64) -> StoreError {
    corrupt("log entry \(revision) of dataset \(dataset) is missing")
  }
}

extension LogTotal {
  fileprivate func adding(_ row: LogRow) -> LogTotal? {
    let (operations, isTooMany) = operations.addingReportingOverflow(row.operations)
    let (bytes, isTooLong) = bytes.addingReportingOverflow(row.bytes)
    return isTooMany || isTooLong ? nil : LogTotal(operations: operations, bytes: bytes)
  }
}

extension StoreWriter {
  /// Appends a batch to the log, and moves the head, in one statement.
  ///
  /// - Throws: ``StoreError`` with `corrupt` if the log already has an entry of the revision, which
  ///   stays: the head that the batch follows is not the file's.
  package func append(_ row: LogRow) throws {
    try run(Self.appending, sealed(row) + sealed(LogHead(row)))
    guard db.changedRows == 2 else {
      throw reader.corrupt("log entry \(row.revision) of dataset \(row.dataset) already exists")
    }
  }

  /// Replaces only the head; an existing entry is not changed, and not counted as changed.
  private static let appending =
    """
    INSERT INTO log (\(LogRow.table.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?), \
    (?, ?, ?, ?, ?, ?, ?, ?, ?)\(LogRow.table.upsert) WHERE revision = \(LogHead.revisionColumn)
    """
}
