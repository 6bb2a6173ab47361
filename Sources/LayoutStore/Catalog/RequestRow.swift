/// A row of `requests`: a batch that was sent with a key, and is not carried out again when
/// it is sent again.
package struct RequestRow: Sendable {
  package let dataset: Int64
  /// Who has sent it.
  package let owner: String
  package let key: String
  /// A hash of what was sent.
  package let bodyHash: [UInt8]
  /// The dataset's revision behind it.
  package let revision: Int
  /// What was answered; `nil` where that was not kept.
  package let answer: [UInt8]?
  /// When, in milliseconds since 1970.
  package let time: Int64

  package init(
    dataset: Int64, owner: String, key: String, bodyHash: [UInt8], revision: Int,
    answer: [UInt8]?, time: Int64
  ) {
    self.dataset = dataset
    self.owner = owner
    self.key = key
    self.bodyHash = bodyHash
    self.revision = revision
    self.answer = answer
    self.time = time
  }
}

extension RequestRow: SealedRow {
  static let table = SealedTable(
    "requests", of: "request of dataset", key: ["dataset", "owner", "key"],
    ["dataset", "owner", "key", "body_hash", "revision", "answer", "time"])

  var values: [ColumnValue] {
    [
      .number(dataset), .text(owner), .text(key), .bytes(bodyHash), .number(Int64(revision)),
      answer.map { .bytes($0) } ?? .null, .number(time),
    ]
  }

  init(_ columns: inout RowColumns) throws {
    self.init(
      dataset: try columns.nextID(), owner: try columns.next(), key: try columns.next(),
      bodyHash: try columns.next(), revision: try columns.nextRevision(),
      answer: try columns.nextIfPresent(), time: try columns.next())
  }
}

extension StoreReader {
  /// What was sent to a dataset with a key of an owner; `nil` where nothing was.
  ///
  /// - Throws: ``StoreError`` with `corrupt` where the row is damaged.
  package func request(
    to dataset: Int64, owner: String, key: String
  ) throws -> RequestRow? {
    try firstRow(
      "WHERE dataset = ? AND owner = ? AND key = ?", [.number(dataset), .text(owner), .text(key)])
  }

  /// Calls `body` with the requests to a dataset behind a time, by owner and key.
  ///
  /// - Parameter time: In milliseconds since 1970.
  /// - Throws: ``StoreError`` with `corrupt` where a row is damaged; what `body` throws.
  /// - Complexity: O(requests).
  package func forEachRequest(
    to dataset: Int64, after time: Int64, _ body: (RequestRow) throws -> Void
  ) throws {
    try forEachRow(
      "WHERE dataset = ? AND time > ? ORDER BY owner, key", [.number(dataset), .number(time)],
      body)
  }

  /// Checks the rows of a dataset's requests.
  ///
  /// - Throws: ``StoreError`` with `corrupt` for the first that is damaged.
  /// - Complexity: O(requests).
  package func checkRequests(to dataset: Int64) throws {
    try forEachRow("WHERE dataset = ?", [.number(dataset)]) { (_: RequestRow) in }
  }

  /// The number of requests that belong to no dataset, and are not to be given back.
  package func unownedRequestCount() throws -> Int {
    try Statement(
      """
      SELECT count(*) FROM requests WHERE dataset NOT IN (
        SELECT id FROM datasets UNION SELECT id FROM remains WHERE kind = 2)
      """, db
    ).value() ?? 0
  }
}

extension StoreWriter {
  /// Stores a request, new or in place of one of its owner with its key.
  package func put(_ row: RequestRow) throws { try store(row) }

  /// Deletes the oldest requests of all datasets, some of those up to a time.
  ///
  /// - Parameters:
  ///   - time: In milliseconds since 1970; those of that time go too.
  ///   - count: How many are deleted at most.
  package func forgetRequests(upTo time: Int64, count: Int) throws {
    try run(
      """
      DELETE FROM requests WHERE rowid IN (
        SELECT rowid FROM requests WHERE time <= ? ORDER BY time LIMIT ?)
      """, [.number(time), .number(Int64(count))])
  }
}
