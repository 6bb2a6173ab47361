/// A row of `contexts`: the changes of a layout's result in one step, from one revision of its
/// dataset to a later one, that is not a commit which has updated the result.
///
/// The rows belong to the result's space, and are deleted with it.
package struct ContextRow: Sendable {
  package let space: NodeSpace
  /// The revision before the step.
  package let start: Int
  /// The revision after the step.
  package let end: Int
  /// The context, as the engine encodes it.
  package let context: [UInt8]
  /// The bytes of the result's rows up to this one.
  private(set) var total = 0

  package init(space: NodeSpace, start: Int, end: Int, context: [UInt8]) {
    (self.space, self.start, self.end, self.context) = (space, start, end, context)
  }

  /// The size of the row in the file, approximately.
  fileprivate var bytes: Int { context.count + 32 }

  /// Returns the row after others that have `total` bytes.
  fileprivate func following(_ total: Int) -> ContextRow {
    var row = self
    row.total = total + bytes
    return row
  }
}

extension ContextRow: SealedRow {
  static let table = SealedTable(
    "contexts", of: "context up to revision", number: (1, "revision"),
    key: ["space", "end_revision", "start_revision"],
    ["space", "end_revision", "start_revision", "context", "total_bytes"])

  var values: [ColumnValue] {
    [
      .number(space.rawValue), .number(Int64(end)), .number(Int64(start)), .bytes(context),
      .number(Int64(total)),
    ]
  }

  init(_ columns: inout RowColumns) throws {
    space = NodeSpace(rawValue: try columns.nextNumber(in: NodeSpace.range))
    (end, start) = (try columns.nextRevision(), try columns.nextRevision())
    (context, total) = (try columns.next(), Int(try columns.nextNumber(in: 0...1 << 52)))
    guard start < end else { throw columns.corrupt("it begins at revision \(start)") }
  }
}

extension StoreReader {
  /// Calls `body` with the contexts of a result that lead beyond a revision, the last first.
  ///
  /// - Parameters:
  ///   - start: The revision before which no step may begin.
  ///   - end: The last revision to which they may lead.
  /// - Throws: ``StoreError`` with `corrupt` for a damaged row; errors of `body`.
  /// - Complexity: O(rows).
  package func forEachContext(
    in space: NodeSpace, from start: Int, upTo end: Int, _ body: (ContextRow) throws -> Void
  ) throws {
    try forEachRow(
      """
      WHERE space = ?1 AND end_revision > ?2 AND end_revision <= ?3 AND start_revision >= ?2
      ORDER BY end_revision DESC, start_revision DESC
      """, [.number(space.rawValue), .number(Int64(start)), .number(Int64(end))], body)
  }

  /// Returns the total of a result's last context; 0 without any.
  fileprivate func contextTotal(in space: NodeSpace) throws -> Int {
    try Statement(
      """
      SELECT total_bytes FROM contexts WHERE space = ?
      ORDER BY end_revision DESC, start_revision DESC LIMIT 1
      """, db
    ).value([.number(space.rawValue)]) ?? 0
  }

  /// Returns the bytes of a result's contexts.
  ///
  /// - Complexity: O(log rows).
  package func contextBytes(in space: NodeSpace) throws -> Int {
    let first: ContextRow? = try firstRow(
      "WHERE space = ? ORDER BY end_revision, start_revision LIMIT 1", [.number(space.rawValue)])
    return try first.map { max(0, try contextTotal(in: space) - $0.total + $0.bytes) } ?? 0
  }

  /// Returns the number of contexts whose results do not exist and are not being reclaimed.
  package func unownedContextCount() throws -> Int {
    try Statement(
      """
      SELECT count(*) FROM contexts WHERE space NOT IN (
        SELECT space FROM layouts WHERE space IS NOT NULL
        UNION SELECT id FROM remains WHERE kind = 0)
      """, db
    ).value() ?? 0
  }
}

extension StoreWriter {
  /// Stores the contexts of the next steps of a result.
  package func append(_ rows: [ContextRow]) throws {
    guard let space = rows.first?.space else { return }
    var total = try reader.contextTotal(in: space)
    for row in rows {
      let row = row.following(total)
      try store(row)
      total = row.total
    }
  }

  /// Deletes the oldest contexts of a dataset's results: those up to a revision, and those that
  /// exceed the results' shares of a number of bytes. At most some thousand at a time.
  package func cutContexts(in spaces: [NodeSpace], upTo revision: Int, keeping bytes: Int) throws {
    let sizes = try spaces.map { try reader.contextBytes(in: $0) }
    let isTooMuch = sizes.reduce(0, +) > bytes
    for (space, size) in zip(spaces, sizes) where size > 0 {
      let share = isTooMuch ? min(size, bytes / spaces.count) : size
      let kept = try reader.contextTotal(in: space) - share
      let last: Int64? = try Statement(
        """
        SELECT max(end_revision) FROM (
          SELECT end_revision, total_bytes FROM contexts WHERE space = ?
          ORDER BY end_revision LIMIT ?)
        WHERE end_revision <= ? OR total_bytes <= ?
        """, db
      ).value([
        .number(space.rawValue), .number(Self.cutContextsMax), .number(Int64(revision)),
        .number(Int64(isTooMuch ? kept : -1)),
      ])
      guard let last else { continue }
      try run(
        "DELETE FROM contexts WHERE space = ? AND end_revision <= ?",
        [.number(space.rawValue), .number(last)])
    }
  }

  /// The maximum number of contexts of a result deleted per call.
  private static let cutContextsMax: Int64 = 4096

  /// Deletes some contexts of a result that has been replaced or deleted.
  ///
  /// - Returns: The number of deleted rows.
  func deleteContexts(in space: NodeSpace, count: Int) throws -> Int {
    try run(
      """
      DELETE FROM contexts WHERE space = ?1 AND end_revision IN (
        SELECT end_revision FROM contexts WHERE space = ?1 ORDER BY end_revision LIMIT ?2)
      """, [.number(space.rawValue), .number(Int64(count))])
    return db.changedRows
  }
}
