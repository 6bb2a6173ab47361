/// The head of a dataset's log, which identifies its last entry.
///
/// It is stored as a row of the log after all others, so that a commit changes no additional page
/// for it. Without it, a lost or misplaced last entry would go unnoticed.
package struct LogHead: Hashable, Sendable {
  package let dataset: Int64
  /// The last revision, which is the dataset's, made by a batch or by an import.
  package var revision: Int
  /// The time of its commit, in milliseconds since 1970.
  package var time: Int64
  /// The totals of all batches.
  package var total: LogTotal

  package init(dataset: Int64, revision: Int, time: Int64, total: LogTotal) {
    (self.dataset, self.revision, self.time, self.total) = (dataset, revision, time, total)
  }

  /// Creates the head after an entry has been appended.
  package init(_ row: LogRow) {
    self.init(dataset: row.dataset, revision: row.revision, time: row.time, total: row.total)
  }

  /// The value of the column `revision`: greater than any revision.
  static let revisionColumn = Int.max
}

extension LogHead: SealedRow {
  static var table: SealedTable { LogRow.table }

  var values: [ColumnValue] {
    [
      .number(dataset), .number(Int64(Self.revisionColumn)), .number(Int64(revision)),
      .bytes([]), .bytes([]), .number(time), .number(Int64(total.operations)),
      .number(Int64(total.bytes)),
    ]
  }

  init(_ columns: inout RowColumns) throws {
    let dataset = try columns.nextID()
    _ = try columns.nextNumber(in: Int64(Self.revisionColumn)...Int64(Self.revisionColumn))
    let revision = try columns.nextRevision()
    for _ in 0..<2 { _ = try columns.next([UInt8].self) }
    self.init(
      dataset: dataset, revision: revision, time: try columns.next(),
      total: try LogTotal(&columns))
  }
}

extension StoreReader {
  /// Returns the head of a dataset's log.
  ///
  /// - Throws: ``StoreError`` with `corrupt` if it is damaged or missing.
  package func logHead(of dataset: Int64) throws -> LogHead {
    let head: LogHead? = try firstRow(
      "WHERE dataset = ? AND revision = ?",
      [.number(dataset), .number(Int64(LogHead.revisionColumn))])
    guard let head else { throw corrupt("the log of dataset \(dataset) has no head") }
    return head
  }

  /// Returns the head of a dataset's log at a revision.
  ///
  /// - Parameter revision: At most the current revision.
  /// - Returns: `nil` if the log has neither its entry nor the next one. If it has only the next
  ///   one, the time is 0.
  /// - Throws: ``StoreError`` with `corrupt` if that entry is damaged.
  package func logHead(of dataset: Int64, at revision: Int) throws -> LogHead? {
    if let row = try logRow(of: dataset, at: revision) { return LogHead(row) }
    return try logRow(of: dataset, at: revision + 1).map { next in
      LogHead(
        dataset: dataset, revision: revision, time: 0,
        total: LogTotal(
          operations: next.total.operations - next.operations,
          bytes: next.total.bytes - next.bytes))
    }
  }
}

extension StoreWriter {
  /// Stores the head of a dataset's log, if it is new or was not moved by a batch.
  package func put(_ head: LogHead) throws { try store(head) }

  /// Deletes the oldest entries of a dataset's log that are neither needed nor retained, at most
  /// some per call, so that no commit takes long.
  ///
  /// - Parameters:
  ///   - needed: The revision after which entries are needed, however old.
  ///   - time: The time from which entries are retained, in milliseconds since 1970.
  ///   - count: The number of last entries that are retained, however old.
  ///   - operations: The number of last operations whose entries are retained, however old.
  ///   - bytes: The limit on the bytes of retained entries that are not needed.
  package func cutLog(
    upTo head: LogHead, needed: Int, since time: Int64, count: Int, operations: Int, bytes: Int
  ) throws {
    let statement = try Statement(
      """
      SELECT max(revision) FROM (
        SELECT revision, time, total_operations, total_bytes FROM log
        WHERE dataset = ? AND revision <= ? ORDER BY revision LIMIT ?)
      WHERE time < ? AND revision <= ? AND total_operations <= ? OR total_bytes <= ?
      """, db)
    let last: Int64? = try statement.value([
      .number(head.dataset), .number(Int64(needed)), .number(Self.cutRowsMax), .number(time),
      .number(Int64(head.revision - count)), .number(Int64(head.total.operations - operations)),
      .number(Int64(head.total.bytes - bytes)),
    ])
    guard let last else { return }
    try run(
      "DELETE FROM log WHERE dataset = ? AND revision <= ?",
      [.number(head.dataset), .number(last)])
  }

  /// The maximum number of entries deleted per call.
  private static let cutRowsMax: Int64 = 4096
}
