/// Which rows of a list are asked for: at most so many, after a name.
struct Page {
  private let limit: Int
  private let after: String?

  init(_ exchange: Exchange) throws {
    let rowsMax = exchange.service.configuration.limits.rowsMax
    limit = try exchange.query.int("limit", in: 1...rowsMax) ?? rowsMax
    after = exchange.query["after"]
  }

  /// Returns the rows of the page.
  ///
  /// - Parameters:
  ///   - rows: Reads the rows after a name, or from the first: at most so many.
  ///   - name: A row's name.
  /// - Returns: The rows, and the name after which the next page begins; `nil` where nothing
  ///   follows.
  func collect<Row>(
    _ rows: (_ after: String?, _ countMax: Int) throws -> [Row], by name: (Row) -> String
  ) rethrows -> (rows: [Row], next: String?) {
    // One more than is shown tells whether something follows.
    let found = try rows(after, limit + 1)
    let page = Array(found.prefix(limit))
    return (page, page.count < found.count ? page.last.map(name) : nil)
  }
}
