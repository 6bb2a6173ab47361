/// Which rows of a list are asked for: at most so many, behind a name.
struct Page {
  private let limit: Int
  private let after: String?

  init(_ exchange: Exchange) throws {
    let rowsMax = exchange.service.configuration.limits.rowsMax
    limit = try exchange.query.int("limit", in: 1...rowsMax) ?? rowsMax
    after = exchange.query["after"]
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
