import LayoutCache
package import LayoutCluster
import LayoutReplication

// Reads of datasets, entries and checkpoints.

extension PostgresLog {
  private static let named = confirming(
    "SELECT \(SharedHead.columns) FROM layoutcache.dataset AS d WHERE name = $2")

  private static let listed = confirming(
    """
    SELECT \(SharedHead.columns) FROM layoutcache.dataset AS d WHERE name > $2
    ORDER BY name LIMIT $3
    """)

  // PostgreSQL has no texts with a NUL, and rejects a statement with one in a value.

  package func dataset(named name: String) throws -> SharedHead? {
    if name.utf8.contains(0) { return nil }
    return try confirmed(Self.named, [.text(name)], SharedHead.init).first
  }

  package func datasets(after name: String?, countMax: Int) throws -> [SharedHead] {
    // The names after one with a NUL are those after its part before the NUL. Names are not empty.
    let start = String(decoding: (name ?? "").utf8.prefix { $0 != 0 }, as: UTF8.self)
    return try confirmed(Self.listed, [.text(start), .int64(Int64(countMax))], SharedHead.init)
  }

  /// The maximum number of rows read per call.
  private static let rowCountMax = 4096

  // The size of a value stored out of line is known without reading it.
  private static let tail = confirming(
    """
    SELECT \(SharedHead.columns), part.first, part.before, part.chain, part.requests,
      part.chain = \(chain(after: "part.before", "part.requests"))
    FROM layoutcache.dataset AS d LEFT JOIN LATERAL (
      SELECT first, before, chain, requests FROM (
        SELECT *, sum(octet_length(requests)) OVER so_far AS size, row_number() OVER so_far AS place
        FROM (
          SELECT * FROM layoutcache.log WHERE dataset = d.id AND last > greatest($3, d.cut)
          ORDER BY last LIMIT \(rowCountMax)
        ) AS later
        WINDOW so_far AS (ORDER BY last ROWS UNBOUNDED PRECEDING)
      ) AS sized
      WHERE size <= $4 OR place = 1
    ) AS part ON true
    WHERE d.id = $2 AND d.name IS NOT NULL ORDER BY part.first
    """)

  package func tail(
    of dataset: Int64, after sequence: Int, bytesMax: Int
  ) throws -> SharedTail? {
    let end = SharedHead.columnCount
    let rows = try confirmed(
      Self.tail, [.int64(dataset), .int64(Int64(sequence)), .int64(Int64(bytesMax))]
    ) { row in
      (
        head: try SharedHead(row),
        append: row.isNull(end)
          ? nil
          : (
            first: try row.int(end), before: try row.bytes(end + 1),
            chain: try row.bytes(end + 2), try row.bytes(end + 3), isIntact: try row.bool(end + 4)
          )
      )
    }
    guard let head = rows.first?.head else { return nil }
    // A row may begin before the position.
    let start = max(sequence, head.cut)
    var entries: [SharedEntry] = []
    for case (let first, let before, let chain, let bytes, let isIntact)? in rows.map(\.append) {
      // If a row cannot be read, the entries before can be decided.
      let part: (requests: [SharedRequest], isWhole: Bool)
      do {
        if !isIntact { throw ReplicationError.doesNotApply("they do not lead to their chain") }
        part = try [SharedRequest].decode(bytes)
      } catch {
        if !entries.isEmpty { break }
        throw SharedLogFailure.incompatible("entries from \(first) on: \(error)")
      }
      entries += part.requests.entries(from: first, before: before, chain: chain).filter {
        $0.sequence > start
      }
      if part.isWhole { continue }
      if !entries.isEmpty { break }
      throw SharedLogFailure.newerEntry(
        "the log's next entry is of a newer version of layoutcache; upgrade this node")
    }
    return SharedTail(head: head, entries: entries)
  }

  private static let chunk = confirming(
    "SELECT bytes FROM layoutcache.chunk WHERE archive = $2 AND number = $3")

  package func chunk(_ number: Int, of archive: Int64) throws -> [UInt8]? {
    try confirmed(Self.chunk, [.int64(archive), .int32(Int32(clamping: number))]) {
      try $0.bytes(0)
    }.first
  }

  private static let checkpoints = confirming(
    """
    SELECT id, checkpoint, chain, digest FROM layoutcache.archive
    WHERE dataset = $2 AND checkpoint IS NOT NULL ORDER BY checkpoint DESC
    """)

  package func checkpoints(of dataset: Int64) throws -> [SharedCheckpoint] {
    try confirmed(Self.checkpoints, [.int64(dataset)]) {
      SharedCheckpoint(
        archive: try $0.int64(0),
        position: SharedPosition(dataset: dataset, sequence: try $0.int(1), chain: try $0.bytes(2)),
        digest: try $0.bytes(3))
    }
  }
}

extension SharedHead {
  /// The columns that ``init(_:)`` reads, of the table or alias `d`.
  static let columns =
    "d.id, d.name, d.name_tag, d.epoch, d.head, d.chain, d.cut, d.begin, d.at, d.cost, d.covered"
  static let columnCount: Int32 = 11

  init(_ row: PostgresRow) throws {
    self.init(
      name: try row.text(1), nameTag: try row.bytes(2), epoch: try row.int(3),
      position: SharedPosition(
        dataset: try row.int64(0), sequence: try row.int(4), chain: try row.bytes(5)),
      cut: try row.int(6), begin: try row.bytes(7), time: try row.int64(8),
      cost: try row.int(9), coveredCost: try row.int(10))
  }
}
