/// The requested page of a list: a limit, and the name after which it begins.
struct Page {
  private let limit: Int
  private let after: String?

  init(_ exchange: ServiceRequest) throws {
    let rowsMax = exchange.service.configuration.limits.rowsMax
    limit = try exchange.query.int(.limit, in: 1...rowsMax) ?? rowsMax
    after = exchange.query[.after]
  }

  /// Returns the rows of the page.
  ///
  /// - Parameters:
  ///   - rows: Reads at most `countMax` rows, after a name or from the first.
  ///   - name: Returns a row's name.
  /// - Returns: The rows, and the name after which the next page begins; `nil` if nothing
  ///   follows.
  func collect<Row>(
    _ rows: (_ after: String?, _ countMax: Int) throws -> [Row], by name: (Row) -> String
  ) rethrows -> (rows: [Row], next: String?) {
    // One more row than shown tells whether more follow.
    let found = try rows(after, limit + 1)
    let page = Array(found.prefix(limit))
    return (page, page.count < found.count ? page.last.map(name) : nil)
  }
}
