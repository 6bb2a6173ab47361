/// Which rows of a list are asked for: at most so many, behind a name.
struct Page {
  private let limit: Int
  private let after: String?

  init(_ exchange: Exchange) throws {
    let rowsMax = exchange.service.configuration.limits.rowsMax
    limit = try exchange.query.int("limit", in: 1...rowsMax) ?? rowsMax
    after = exchange.query["after"]
  }

  /// The rows of the page, of a list that comes in parts.
  ///
  /// - Parameters:
  ///   - part: The rows behind a name, or from the first; none, or fewer than asked for, at the end.
  ///   - isShown: Whether the client may see a row.
  /// - Returns: As ``cut(_:by:)``.
  func collect<Row>(
    _ part: (_ after: String?, _ countMax: Int) throws -> [Row], by name: (Row) -> String,
    where isShown: (Row) -> Bool
  ) rethrows -> (rows: [Row], next: String?) {
    var rows: [Row] = []
    var last = after
    while true {
      // One more than is shown tells whether something follows.
      let countMax = limit + 1
      let part = try part(last, countMax)
      rows += part.lazy.filter(isShown).prefix(countMax - rows.count)
      if rows.count > limit { return (Array(rows.prefix(limit)), name(rows[limit - 1])) }
      guard part.count == countMax, let end = part.last else { return (rows, nil) }
      last = name(end)
    }
  }

  /// The rows of the page, of all in order of their names' bytes.
  ///
  /// - Returns: The rows, and the name after which the next page begins; `nil` where
  ///   nothing follows.
  func cut<Row>(_ rows: [Row], by name: (Row) -> String) -> (rows: [Row], next: String?) {
    let behind = rows.drop { row in
      guard let after else { return false }
      return !after.utf8.lexicographicallyPrecedes(name(row).utf8)
    }
    let page = Array(behind.prefix(limit))
    return (page, page.count < behind.count ? page.last.map(name) : nil)
  }
}
