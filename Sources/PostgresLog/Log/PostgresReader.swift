import LayoutCache
import LayoutCluster

/// Reads of the log on one connection; valid only while the thread has that connection.
struct PostgresReader: SharedLogReader {
  private let connection: PostgresConnection

  init(_ connection: PostgresConnection) { self.connection = connection }

  private func rows<Value>(
    _ sql: String, _ values: [PostgresValue] = [], _ body: (PostgresRow) throws -> Value
  ) throws -> [Value] {
    try PostgresLog.reading { try connection.read(sql, values, body) }
  }

  func info() throws -> SharedLogInfo {
    let found = try rows(
      """
      SELECT incarnation, format, rules, current_setting('synchronous_standby_names') <> ''
      FROM layoutcache.cluster
      """
    ) {
      SharedLogInfo(
        incarnation: try $0.bytes(0), format: try $0.int(1), rules: try $0.int(2),
        isReplicated: try $0.bool(3))
    }
    guard let info = found.first else {
      throw SharedLogFailure.incompatible("the log's row in layoutcache.cluster is missing")
    }
    return info
  }

  // MARK: Datasets

  // PostgreSQL has no texts with a NUL, and rejects a statement with one in a value.

  func dataset(named name: String) throws -> SharedHead? {
    if name.utf8.contains(0) { return nil }
    return try rows(
      "SELECT \(SharedHead.columns) FROM layoutcache.dataset WHERE name = $1", [.text(name)],
      SharedHead.init
    ).first
  }

  func datasets(after name: String?, countMax: Int) throws -> [SharedHead] {
    // The names after one with a NUL are those after its part before the NUL. Names are not empty.
    let start = String(decoding: (name ?? "").utf8.prefix { $0 != 0 }, as: UTF8.self)
    return try rows(
      """
      SELECT \(SharedHead.columns) FROM layoutcache.dataset WHERE name > $1
      ORDER BY name LIMIT $2
      """, [.text(start), .int64(Int64(countMax))], SharedHead.init)
  }

  func heads(of datasets: [Int64]) throws -> [SharedHead] {
    try rows(
      """
      SELECT \(SharedHead.columns) FROM layoutcache.dataset
      WHERE id = ANY ($1) AND name IS NOT NULL
      """,
      [.int64s(datasets)], SharedHead.init)
  }

  // MARK: Entries

  /// The maximum number of entries read per call.
  private static let entryCountMax: Int64 = 4096

  func entries(
    of dataset: Int64, after sequence: Int, bytesMax: Int
  ) throws -> [SharedEntry] {
    // The size of a payload stored out of line is known without reading it.
    let found = try rows(
      """
      SELECT sequence, revision, kind, proposal, request, payload, at, chain FROM (
        SELECT *, sum(octet_length(payload)) OVER so_far AS size, row_number() OVER so_far AS place
        FROM (
          SELECT * FROM layoutcache.log WHERE dataset = $1 AND sequence > $2
          ORDER BY sequence LIMIT $4
        ) AS behind
        WINDOW so_far AS (ORDER BY sequence ROWS UNBOUNDED PRECEDING)
      ) AS sized
      WHERE size <= $3 OR place = 1 ORDER BY sequence
      """,
      [
        .int64(dataset), .int64(Int64(sequence)), .int64(Int64(bytesMax)),
        .int64(Self.entryCountMax),
      ], SharedEntry.init)
    // A follower applies the entries before one that it does not know.
    let known = found.prefix { $0 != nil }.compactMap(\.self)
    if known.isEmpty, !found.isEmpty {
      throw SharedLogFailure.newerEntry(
        "the log's next entry is of a newer version of layoutcache; upgrade this node")
    }
    return known
  }

  func sequence(of proposal: [UInt8], in dataset: Int64) throws -> Int? {
    try rows(
      "SELECT sequence FROM layoutcache.log WHERE dataset = $1 AND proposal = $2",
      [.int64(dataset), .uuid(proposal)]
    ) { try $0.int(0) }.first
  }

  // MARK: Archives

  func chunk(_ number: Int, of archive: Int64) throws -> [UInt8]? {
    try rows(
      "SELECT bytes FROM layoutcache.chunk WHERE archive = $1 AND number = $2",
      [.int64(archive), .int32(Int32(clamping: number))]
    ) { try $0.bytes(0) }.first
  }

  func checkpoints(of dataset: Int64) throws -> [SharedCheckpoint] {
    try rows(
      """
      SELECT id, checkpoint, chain, digest FROM layoutcache.archive
      WHERE dataset = $1 AND checkpoint IS NOT NULL ORDER BY checkpoint DESC
      """, [.int64(dataset)]
    ) {
      SharedCheckpoint(
        archive: try $0.int64(0),
        position: SharedPosition(
          dataset: dataset, sequence: try $0.int(1), chain: try $0.bytes(2)),
        digest: try $0.bytes(3))
    }
  }
}

extension SharedHead {
  /// The columns that ``init(_:)`` reads.
  static let columns = "id, name, epoch, head, chain, revision, cut, begin, at"

  init(_ row: PostgresRow) throws {
    self.init(
      name: try row.text(1), epoch: try row.int(2),
      position: SharedPosition(
        dataset: try row.int64(0), sequence: try row.int(3), chain: try row.bytes(4)),
      revision: try row.int(5), cut: try row.int(6), begin: try row.bytes(7),
      time: try row.int64(8))
  }
}

extension SharedEntry {
  /// - Returns: `nil` for a kind of a newer version.
  fileprivate init?(_ row: PostgresRow) throws {
    guard let kind = Int16(exactly: try row.int64(2)).flatMap(Kind.init) else { return nil }
    self.init(
      sequence: try row.int(0), revision: try row.int(1), kind: kind,
      proposal: try row.bytes(3), request: row.bytesIfPresent(4), payload: try row.bytes(5),
      time: try row.int64(6), chain: try row.bytes(7))
  }
}
