/// A row of `requests`: a batch that was sent with an idempotency key, and is not applied again
/// when it is resent.
package struct RequestRow: Sendable {
  package let dataset: Int64
  /// The sender.
  package let owner: String
  package let key: String
  package let bodyHash: [UInt8]
  /// The dataset's revision after the batch.
  package let revision: Int
  /// The answer; `nil` if it was not stored.
  package fileprivate(set) var answer: [UInt8]?
  /// The end offset of the answer if all answers to the dataset are concatenated; `nil` without
  /// an answer.
  fileprivate var answerEnd: Int64?
  /// The time of the commit, in milliseconds since 1970.
  package let time: Int64

  package init(
    dataset: Int64, owner: String, key: String, bodyHash: [UInt8], revision: Int,
    answer: [UInt8]?, time: Int64
  ) {
    (self.dataset, self.owner, self.key, self.bodyHash) = (dataset, owner, key, bodyHash)
    (self.revision, self.answer, self.time) = (revision, answer, time)
  }
}

extension RequestRow: SealedRow {
  static let table = SealedTable(
    "requests", of: "request of dataset", key: ["dataset", "owner", "key"],
    [
      "dataset", "owner", "key", "body_hash", "revision", "answer", "time", "answer_end",
    ])

  var values: [ColumnValue] {
    [
      .number(dataset), .text(owner), .text(key), .bytes(bodyHash), .number(Int64(revision)),
      answer.map { .bytes($0) } ?? .null, .number(time), answerEnd.map { .number($0) } ?? .null,
    ]
  }

  init(_ columns: inout RowColumns) throws {
    self.init(
      dataset: try columns.nextID(), owner: try columns.next(), key: try columns.next(),
      bodyHash: try columns.next(), revision: try columns.nextRevision(),
      answer: try columns.nextIfPresent(), time: try columns.next())
    answerEnd = try columns.nextIfPresent()
  }
}

extension StoreReader {
  /// Returns the request to a dataset with an owner's key; `nil` if there is none.
  ///
  /// - Throws: ``StoreError`` with `corrupt` if the row is damaged.
  package func request(
    to dataset: Int64, owner: String, key: String
  ) throws -> RequestRow? {
    try firstRow(
      "WHERE dataset = ? AND owner = ? AND key = ?", [.number(dataset), .text(owner), .text(key)])
  }

  /// Calls `body` with the requests to a dataset after a time, ordered by owner and key.
  ///
  /// - Parameter time: In milliseconds since 1970.
  /// - Throws: ``StoreError`` with `corrupt` if a row is damaged; errors of `body`.
  /// - Complexity: O(requests).
  package func forEachRequest(
    to dataset: Int64, after time: Int64, _ body: (RequestRow) throws -> Void
  ) throws {
    try forEachRow(
      "WHERE dataset = ? AND time > ? ORDER BY owner, key", [.number(dataset), .number(time)],
      body)
  }

  /// Returns the time of the newest request to a dataset; `nil` if there is none.
  package func lastRequestTime(to dataset: Int64) throws -> Int64? {
    try Statement("SELECT max(time) FROM requests WHERE dataset = ?", db).value([.number(dataset)])
  }

  /// Checks the rows of a dataset's requests.
  ///
  /// - Throws: ``StoreError`` with `corrupt` for the first damaged row.
  /// - Complexity: O(requests).
  package func checkRequests(to dataset: Int64) throws {
    try forEachRow("WHERE dataset = ?", [.number(dataset)]) { (_: RequestRow) in }
  }

  /// Returns the number of requests that belong to no dataset and are not marked as garbage.
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
  /// Stores a request, replacing one with the same owner and key, and drops the oldest answers to
  /// the dataset beyond a number of bytes. Their requests stay known.
  ///
  /// - Parameter bytes: The limit on the total size of the answers to the dataset.
  /// - Complexity: O(log requests), and O(1) rows that lose their answer, on average.
  package func put(_ row: RequestRow, keepingAnswers bytes: Int) throws {
    var row = row
    if let answer = row.answer {
      let end: Int64? = try Statement(
        """
        SELECT answer_end FROM requests WHERE dataset = ? AND answer_end IS NOT NULL
          ORDER BY answer_end DESC LIMIT 1
        """, db
      ).value([.number(row.dataset)])
      let (next, isOver) = max(end ?? 0, 0).addingReportingOverflow(Int64(answer.count))
      if isOver { throw reader.corrupt("the answer offset of dataset \(row.dataset) overflows") }
      row.answerEnd = next
    }
    try store(row)
    guard let end = row.answerEnd else { return }
    // Ends increase with starts, so the answers that start before the bound are the first ones.
    while let (oldest, start) = try oldestAnswer(to: row.dataset), start < end - Int64(bytes) {
      try dropAnswer(oldest)
    }
  }

  /// Returns the request with the oldest answer to a dataset, and the answer's start offset.
  private func oldestAnswer(to dataset: Int64) throws -> (rowID: Int64, start: Int64)? {
    let statement = try Statement(
      """
      SELECT rowid, answer_end - coalesce(length(answer), 0) FROM requests
        WHERE dataset = ? AND answer_end IS NOT NULL ORDER BY answer_end LIMIT 1
      """, db)
    statement.bind([.number(dataset)])
    guard let row = try statement.next() else { return nil }
    var columns = RowColumns(row, "an answer to dataset \(dataset)", path: reader.path)
    return (try columns.next(), try columns.next())
  }

  private func dropAnswer(_ rowID: Int64) throws {
    do {
      guard var row: RequestRow = try reader.firstRow("WHERE rowid = ?", [.number(rowID)]) else {
        return
      }
      row.answer = nil
      row.answerEnd = nil
      // The row is inserted again: SQLite joins emptied pages when it deletes a row, but not when
      // a row becomes shorter.
      try run("DELETE FROM requests WHERE rowid = ?", [.number(rowID)])
      try store(row)
    } catch let error as StoreError {
      guard case .corrupt = error.code else { throw error }
      // The row stays damaged: its checksum does not match the columns without the answer either.
      try run(
        "UPDATE requests SET answer = NULL, answer_end = NULL WHERE rowid = ?", [.number(rowID)])
    }
  }

  /// Deletes the oldest requests to a dataset, up to a time and a number. Those to others stay: the
  /// time of each dataset decides on its own.
  ///
  /// - Parameters:
  ///   - time: The inclusive time in milliseconds since 1970.
  ///   - count: The maximum number of requests to delete.
  package func forgetRequests(of dataset: Int64, upTo time: Int64, count: Int) throws {
    try run(
      """
      DELETE FROM requests WHERE rowid IN (
        SELECT rowid FROM requests WHERE dataset = ? AND time <= ? ORDER BY time LIMIT ?)
      """, [.number(dataset), .number(time), .number(Int64(count))])
  }
}
