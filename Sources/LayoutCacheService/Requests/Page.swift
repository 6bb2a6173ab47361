/// The requested page of a list: a limit, and the name after which it begins.
struct Page {
  private let limit: Int
  private let after: String?

  init(_ request: ServiceRequest) throws {
    let rowsMax = request.service.configuration.limits.rowsMax
    limit = try request.query.int(.limit, in: 1...rowsMax) ?? rowsMax
    after = request.query[.after]
  }

  /// Returns the rows of the page.
  ///
  /// - Parameters:
  ///   - partMax: The maximum number of rows that are read at a time.
  ///   - bytesMax: The number of bytes above which no further rows are read.
  ///   - rows: Reads at most `countMax` rows, after a name or from the first.
  ///   - name: Returns a row's name.
  ///   - byteCount: Returns the bytes of a row that vary much.
  ///   - isVisible: Whether the caller may see a row.
  /// - Returns: The rows, and whether more follow.
  func collect<Row>(
    partMax: Int = .max, bytesMax: Int = .max,
    _ rows: (_ after: String?, _ countMax: Int) throws -> [Row],
    by name: (Row) -> String, byteCount: (Row) -> Int = { _ in 0 },
    where isVisible: (Row) -> Bool = { _ in true }
  ) rethrows -> (rows: [Row], hasMore: Bool) {
    var (found, bytes, last): ([Row], Int, String?) = ([], 0, after)
    // One more row than shown tells whether more follow.
    while found.count <= limit, bytes <= bytesMax {
      let countMax = min(limit + 1 - found.count, partMax)
      let part = try rows(last, countMax)
      last = part.last.map(name) ?? last
      let visible = part.filter(isVisible)
      found += visible
      bytes += visible.reduce(0) { $0 + byteCount($1) }
      if part.count < countMax { return (found, false) }
    }
    return (Array(found.prefix(limit)), true)
  }
}
