/// Storage without an owner: garbage, or space still being filled.
package enum Remains: Hashable, Sendable {
  /// The nodes of a space.
  case nodes(NodeSpace)
  /// The log of a dataset that is gone.
  case log(dataset: Int64)
  /// The requests to a dataset that is gone.
  case requests(dataset: Int64)

  fileprivate var kind: Int64 {
    switch self {
    case .nodes: 0
    case .log: 1
    case .requests: 2
    }
  }

  fileprivate var id: Int64 {
    switch self {
    case .nodes(let space): space.rawValue
    case .log(let dataset), .requests(let dataset): dataset
    }
  }
}

/// A row of `remains`.
struct RemainsRow {
  var remains: Remains
  /// Of a space that is being filled: when that was last heard of, in milliseconds since
  /// 1970. `nil` where nobody needs what there is.
  var touched: Int64?
}

extension RemainsRow: SealedRow {
  static let table = SealedTable(
    "remains", of: "remains", number: (1, "id"), key: ["kind", "id"],
    ["kind", "id", "touched"])

  var values: [ColumnValue] {
    [.number(remains.kind), .number(remains.id), touched.map { .number($0) } ?? .null]
  }

  init(_ columns: inout RowColumns) throws {
    let kind: Int64 = try columns.next()
    let id: Int64 = try columns.next()
    switch kind {
    case 0:
      guard NodeSpace.range.contains(id) else { throw columns.corrupt("there is no such space") }
      remains = .nodes(NodeSpace(rawValue: id))
    case 1: remains = .log(dataset: id)
    case 2: remains = .requests(dataset: id)
    default: throw columns.corrupt("there is no such kind")
    }
    touched = try columns.nextIfPresent()
  }
}

extension StoreWriter {
  /// Takes a fresh space that is going to be filled over several transactions, and is
  /// given back by others where nothing is heard of it any more.
  ///
  /// - Parameter now: In milliseconds since 1970.
  package func beginSpace(at now: Int64) throws -> NodeSpace {
    let space = try makeSpace()
    try begin(.nodes(space), at: now)
    return space
  }

  /// Notes that something is going to be filled over several transactions, as a space is.
  ///
  /// - Parameter now: In milliseconds since 1970.
  package func begin(_ remains: Remains, at now: Int64) throws {
    try store(RemainsRow(remains: remains, touched: now))
  }

  /// Says that something is still being filled.
  ///
  /// - Returns: `false` where it has been given back: what was there is gone.
  package func touch(_ remains: Remains, at now: Int64) throws -> Bool {
    guard try reader.remainsRow(remains)?.touched != nil else { return false }
    try begin(remains, at: now)
    return true
  }

  /// Makes a space that has been filled its owner's.
  package func keep(_ space: NodeSpace) throws { try keep(.nodes(space)) }

  /// Makes what has been filled its owner's.
  package func keep(_ remains: Remains) throws { try forget(remains) }

  /// Leaves what nobody needs any more to be given back.
  package func giveBack(_ remains: Remains) throws {
    try store(RemainsRow(remains: remains, touched: nil))
  }

  /// Deletes some of what remains, and gives free pages back to the file system.
  ///
  /// - Parameters:
  ///   - rows: How many rows are deleted at most.
  ///   - pages: How many pages are given back at most.
  ///   - spare: How many free pages are left for what is written next.
  ///   - silence: A space of which nothing was heard since then is not being filled any
  ///     more; in milliseconds since 1970.
  /// - Returns: Whether there may be more to do.
  package func reclaim(
    rows: Int, pages: Int, sparing spare: FreePages, silentSince silence: Int64
  ) throws -> Bool {
    if let remains = try reader.superfluous(since: silence) {
      if try delete(rows, of: remains) < rows { try forget(remains) }
      return true
    }
    let excess = try reader.excessPages(sparing: spare)
    guard excess > 0 else { return false }
    try db.execute("PRAGMA incremental_vacuum(\(min(pages, excess)))")
    return excess > pages
  }

  /// - Returns: How many rows were deleted.
  private func delete(_ count: Int, of remains: Remains) throws -> Int {
    switch remains {
    case .nodes(let space):
      // Two rows of a damaged file may claim a space: what one of them needs stays.
      guard try ownerCount(of: space) == 0 else { return 0 }
      return try deleteRows(
        """
        DELETE FROM nodes WHERE id IN (SELECT id FROM nodes WHERE id BETWEEN ? AND ? LIMIT ?)
        """, [.number(space.ids.lowerBound), .number(space.ids.upperBound)], count)
    case .log(let dataset):
      guard try !reader.hasDataset(dataset) else { return 0 }
      return try deleteRows(
        """
        DELETE FROM log WHERE dataset = ?1 AND revision IN (
          SELECT revision FROM log WHERE dataset = ?1 LIMIT ?2)
        """, [.number(dataset)], count)
    case .requests(let dataset):
      guard try !reader.hasDataset(dataset) else { return 0 }
      return try deleteRows(
        """
        DELETE FROM requests WHERE rowid IN (
          SELECT rowid FROM requests WHERE dataset = ? LIMIT ?)
        """, [.number(dataset)], count)
    }
  }

  private func deleteRows(_ sql: String, _ values: [ColumnValue], _ count: Int) throws -> Int {
    try run(sql, values + [.number(Int64(count))])
    return db.changedRows
  }

  private func forget(_ remains: Remains) throws {
    try run(
      "DELETE FROM remains WHERE kind = ? AND id = ?", [.number(remains.kind), .number(remains.id)])
  }
}

extension StoreReader {
  /// The kind of storage: garbage, or being filled.
  package func remains() throws -> [Remains] {
    var all: [Remains] = []
    try forEachRow("", []) { (row: RemainsRow) in all.append(row.remains) }
    return all
  }

  /// The number of log entries that belong to no dataset, and are not to be given back.
  package func unownedLogEntryCount() throws -> Int {
    try Statement(
      """
      SELECT count(*) FROM log WHERE dataset NOT IN (
        SELECT id FROM datasets UNION SELECT id FROM remains WHERE kind = 1)
      """, db
    ).value() ?? 0
  }

  fileprivate func remainsRow(_ remains: Remains) throws -> RemainsRow? {
    try firstRow("WHERE kind = ? AND id = ?", [.number(remains.kind), .number(remains.id)])
  }

  fileprivate func hasDataset(_ id: Int64) throws -> Bool {
    try Statement("SELECT 1 FROM datasets WHERE id = ?", db).value([.number(id)]) == 1
  }

  /// Whether `StoreWriter.reclaim` would find anything to do.
  package func canReclaim(sparing spare: FreePages, silentSince silence: Int64) throws -> Bool {
    try superfluous(since: silence) != nil || excessPages(sparing: spare) > 0
  }

  /// Something that nobody needs any more, or of which nothing was heard since then.
  fileprivate func superfluous(since silence: Int64) throws -> Remains? {
    let row: RemainsRow? = try firstRow(
      "WHERE touched IS NULL OR touched < ? LIMIT 1", [.number(silence)])
    return row?.remains
  }

  /// How many pages can be given back; none in files that an older version has made.
  fileprivate func excessPages(sparing spare: FreePages) throws -> Int {
    guard try db.pragma("auto_vacuum") == 2 else { return 0 }
    let free: Int = try db.pragma("freelist_count") ?? 0
    let all: Int = try db.pragma("page_count") ?? 0
    return max(0, free - spare.count(of: all))
  }
}

/// The free pages that a file keeps.
package enum FreePages: Sendable {
  case none
  /// Enough for what is deleted and written all the time.
  case some

  func count(of pages: Int) -> Int {
    switch self {
    case .none: 0
    case .some: 256 + pages / 16
    }
  }
}
