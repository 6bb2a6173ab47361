/// The head of a dataset's log: which of its entries is the last.
///
/// It is a row of the log after all others, so that a commit changes no page for it that
/// it does not change anyway. Without it a last entry that is lost, or has come to stand
/// elsewhere, would not be missed.
package struct LogHead: Hashable, Sendable {
  package let dataset: Int64
  /// The last revision: the dataset's own, whether by a batch or by an import.
  package var revision: Int
  /// When that was committed, in milliseconds since 1970.
  package var time: Int64
  /// The totals of all batches.
  package var total: LogTotal

  package init(dataset: Int64, revision: Int, time: Int64, total: LogTotal) {
    self.dataset = dataset
    self.revision = revision
    self.time = time
    self.total = total
  }

  /// The head once an entry has been appended.
  package init(_ row: LogRow) {
    self.init(dataset: row.dataset, revision: row.revision, time: row.time, total: row.total)
  }

  /// The value in the column `revision`: more than any revision.
  static let revisionColumn = Int.max
}

extension LogHead: SealedRow {
  static var table: SealedTable { LogRow.table }

  var values: [ColumnValue] {
    [
      .number(dataset), .number(Int64(Self.revisionColumn)), .number(Int64(revision)),
      .bytes([]), .number(time), .number(Int64(total.operations)),
      .number(Int64(total.bytes)),
    ]
  }

  init(_ columns: inout RowColumns) throws {
    let dataset = try columns.nextID()
    _ = try columns.nextNumber(in: Int64(Self.revisionColumn)...Int64(Self.revisionColumn))
    let revision = try columns.nextRevision()
    _ = try columns.next([UInt8].self)
    self.init(
      dataset: dataset, revision: revision, time: try columns.next(),
      total: try LogTotal(&columns))
  }
}

extension StoreReader {
  /// The head of a dataset's log.
  ///
  /// - Throws: ``StoreError`` with `corrupt` where it is damaged or missing.
  package func logHead(of dataset: Int64) throws -> LogHead {
    let head: LogHead? = try firstRow(
      "WHERE dataset = ? AND revision = ?",
      [.number(dataset), .number(Int64(LogHead.revisionColumn))])
    guard let head else { throw corrupt("the log of dataset \(dataset) has no head") }
    return head
  }

  /// Returns the head of a dataset's log at a revision.
  ///
  /// - Parameter revision: At most the present one.
  /// - Returns: `nil` where the log holds neither its entry nor the next one; with only the
  ///   latter the time is 0.
  /// - Throws: ``StoreError`` with `corrupt` where that is damaged.
  package func logHead(of dataset: Int64, at revision: Int) throws -> LogHead? {
    if let row = try logRow(of: dataset, at: revision) { return LogHead(row) }
    return try logRow(of: dataset, at: revision + 1).map { next in
      LogHead(
        dataset: dataset, revision: revision, time: 0,
        total: LogTotal(
          operations: next.total.operations - next.operations,
          bytes: next.total.bytes - next.payload.count))
    }
  }
}

extension StoreWriter {
  /// Stores the head of a dataset's log, new or moved by other than a batch.
  package func put(_ head: LogHead) throws { try store(head) }

  /// Deletes the oldest entries of a dataset's log that nobody needs and that are not to
  /// be kept: some of them, so that no commit takes long.
  ///
  /// - Parameters:
  ///   - needed: Entries after this revision are needed, however old.
  ///   - time: Entries from then on are kept; in milliseconds since 1970.
  ///   - count: So many of the last entries are kept, however old.
  ///   - operations: The entries of that many of the last operations are kept, however old.
  ///   - bytes: Of those that are kept only, the last so many bytes are.
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

  /// The entries that one call deletes at most.
  private static let cutRowsMax: Int64 = 4096
}
