import LayoutCache

/// The first part of an answer to several queries. It is thrown if the rest is too long for the
/// thread that began it.
struct BegunAnswer: Error {
  /// The incarnation and the revision of the pages.
  private let incarnation: Incarnation
  private let revision: Int
  /// One page for each query answered so far.
  private(set) var pages: [ElementsPage] = []
  /// Whether the last page is incomplete.
  private var isLastCut = false

  init(of snapshot: LayoutSnapshot) {
    incarnation = snapshot.incarnation
    revision = snapshot.revision
  }

  /// Returns this part if it belongs to an answer from `snapshot`, otherwise `nil`.
  func continued(in snapshot: LayoutSnapshot) -> BegunAnswer? {
    snapshot.incarnation == incarnation && snapshot.revision == revision ? self : nil
  }

  /// Appends elements, beginning with the first missing one.
  ///
  /// - Parameters:
  ///   - queries: All queries, the same at each call.
  ///   - snapshot: A snapshot of the state that the part was read from.
  ///   - elementsMax: The maximum number of elements to append; at least 1.
  ///   - answerMax: The maximum number of elements of the whole answer. Each page may have at
  ///     least one.
  /// - Returns: Whether the answer is complete.
  mutating func add(
    _ queries: [ElementsQuery], from snapshot: LayoutSnapshot, elementsMax: Int,
    answerMax: Int = .max
  ) throws -> Bool {
    var left = elementsMax
    while pages.count < queries.count || isLastCut {
      guard left > 0 else { return false }
      let begun = isLastCut ? pages.removeLast() : nil
      let known = begun?.elements.count ?? 0
      let others = pages.reduce(0) { $0 + $1.elements.count } + queries.count - pages.count - 1
      let pageMax = max(answerMax - others, 1)
      let (page, isCut) = try snapshot.elements(
        queries[pages.count], continuing: begun, elementsMax: min(left, pageMax - known))
      left -= page.elements.count - known
      pages.append(page)
      isLastCut = isCut && page.elements.count < pageMax
    }
    return true
  }
}
