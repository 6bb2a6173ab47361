/// Storage without an owner: garbage, or space still being filled.
package enum UnownedStorage: Hashable, Sendable {
  /// The nodes of a space, and the contexts of the result that had it.
  case nodes(NodeSpace)
  /// The log of a deleted dataset.
  case log(dataset: Int64)
  /// The requests to a deleted dataset.
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
struct UnownedStorageRow {
  var remains: UnownedStorage
  /// The time at which the storage was last reported as being filled, in milliseconds since 1970;
  /// `nil` for garbage.
  var touched: Int64?
}

extension UnownedStorageRow: SealedRow {
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
      guard NodeSpace.range.contains(id) else { throw columns.corrupt("unknown node space") }
      remains = .nodes(NodeSpace(rawValue: id))
    case 1: remains = .log(dataset: id)
    case 2: remains = .requests(dataset: id)
    default: throw columns.corrupt("unknown kind")
    }
    touched = try columns.nextIfPresent()
  }
}

extension StoreWriter {
  /// Allocates a new space to be filled over several transactions. If no `touch` follows for long
  /// enough, another process reclaims it.
  ///
  /// - Parameter now: In milliseconds since 1970.
  package func beginSpace(at now: Int64) throws -> NodeSpace {
    let space = try makeSpace()
    try begin(.nodes(space), at: now)
    return space
  }

  /// Records that storage is being filled over several transactions, as for a space.
  ///
  /// - Parameter now: In milliseconds since 1970.
  package func begin(_ remains: UnownedStorage, at now: Int64) throws {
    try store(UnownedStorageRow(remains: remains, touched: now))
  }

  /// Records that storage is still being filled.
  ///
  /// - Returns: `false` if the storage has been reclaimed, and its content deleted.
  package func touch(_ remains: UnownedStorage, at now: Int64) throws -> Bool {
    guard try reader.remainsRow(remains)?.touched != nil else { return false }
    try begin(remains, at: now)
    return true
  }

  /// Assigns a filled space to its owner.
  package func keep(_ space: NodeSpace) throws { try keep(.nodes(space)) }

  /// Assigns filled storage to its owner.
  package func keep(_ remains: UnownedStorage) throws { try forget(remains) }

  /// Marks storage as garbage, to be reclaimed.
  package func giveBack(_ remains: UnownedStorage) throws {
    try store(UnownedStorageRow(remains: remains, touched: nil))
  }

  /// Deletes some garbage, and releases free pages to the file system.
  ///
  /// - Parameters:
  ///   - rows: The maximum number of rows to delete.
  ///   - pages: The maximum number of pages to release.
  ///   - spare: The free pages to retain for later writes.
  ///   - silence: The time, in milliseconds since 1970, since which storage being filled must
  ///     have been touched. Otherwise it is garbage.
  /// - Returns: Whether there may be more to do.
  package func reclaim(
    rows: Int, pages: Int, sparing spare: FreePages, silentSince silence: Int64
  ) throws -> Bool {
    if let remains = try reader.garbage(since: silence) {
      if try delete(rows, of: remains) < rows { try forget(remains) }
      return true
    }
    let excess = try reader.excessPages(sparing: spare)
    guard excess > 0 else { return false }
    hasReleasedPages = true
    try db.execute("PRAGMA incremental_vacuum(\(min(pages, excess)))")
    return excess > pages
  }

  /// - Returns: The number of deleted rows.
  private func delete(_ count: Int, of remains: UnownedStorage) throws -> Int {
    switch remains {
    case .nodes(let space):
      // In a damaged file, another row may claim the space. Its nodes are retained.
      guard try ownerCount(of: space) == 0 else { return 0 }
      let deleted = try deleteRows(
        """
        DELETE FROM nodes WHERE id IN (SELECT id FROM nodes WHERE id BETWEEN ? AND ? LIMIT ?)
        """, [.number(space.ids.lowerBound), .number(space.ids.upperBound)], count)
      return try deleted < count
        ? deleted + deleteContexts(in: space, count: count - deleted) : deleted
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

  private func forget(_ remains: UnownedStorage) throws {
    try run(
      "DELETE FROM remains WHERE kind = ? AND id = ?", [.number(remains.kind), .number(remains.id)])
  }
}

extension StoreReader {
  /// Returns all storage without an owner.
  package func remains() throws -> [UnownedStorage] {
    var all: [UnownedStorage] = []
    try forEachRow("", []) { (row: UnownedStorageRow) in all.append(row.remains) }
    return all
  }

  /// Returns the number of log entries that belong to no dataset and are not marked as garbage.
  package func unownedLogEntryCount() throws -> Int {
    try Statement(
      """
      SELECT count(*) FROM log WHERE dataset NOT IN (
        SELECT id FROM datasets UNION SELECT id FROM remains WHERE kind = 1)
      """, db
    ).value() ?? 0
  }

  fileprivate func remainsRow(_ remains: UnownedStorage) throws -> UnownedStorageRow? {
    try firstRow("WHERE kind = ? AND id = ?", [.number(remains.kind), .number(remains.id)])
  }

  fileprivate func hasDataset(_ id: Int64) throws -> Bool {
    try Statement("SELECT 1 FROM datasets WHERE id = ?", db).value([.number(id)]) == 1
  }

  /// Returns whether `StoreWriter.reclaim` would find anything to do.
  package func canReclaim(sparing spare: FreePages, silentSince silence: Int64) throws -> Bool {
    try garbage(since: silence) != nil || excessPages(sparing: spare) > 0
  }

  /// Returns some garbage, or storage that was not touched since a time; `nil` if there is none.
  fileprivate func garbage(since silence: Int64) throws -> UnownedStorage? {
    let row: UnownedStorageRow? = try firstRow(
      "WHERE touched IS NULL OR touched < ? LIMIT 1", [.number(silence)])
    return row?.remains
  }

  /// Returns the number of pages that can be released; 0 in files created by an older version.
  fileprivate func excessPages(sparing spare: FreePages) throws -> Int {
    guard try db.pragma("auto_vacuum") == 2 else { return 0 }
    let free: Int = try db.pragma("freelist_count") ?? 0
    let all: Int = try db.pragma("page_count") ?? 0
    return max(0, free - spare.count(of: all))
  }
}

/// The free pages that a file retains.
package enum FreePages: Sendable {
  case none
  /// Enough pages for regular deletes and writes.
  case some

  func count(of pages: Int) -> Int {
    switch self {
    case .none: 0
    case .some: 256 + pages / 16
    }
  }
}
