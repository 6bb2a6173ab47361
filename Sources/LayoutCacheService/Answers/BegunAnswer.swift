import LayoutCache

/// The first part of the answer to some queries. It is thrown where the rest is too long for the
/// thread that has begun it.
struct BegunAnswer: Error {
  /// The histories and the revision that the pages are of.
  private let incarnation: Incarnation
  private let revision: Int
  /// A page for each query so far.
  private(set) var pages: [ElementsPage] = []
  /// Whether more follows on the last page.
  private var isLastCut = false

  init(of snapshot: LayoutSnapshot) {
    incarnation = snapshot.incarnation
    revision = snapshot.revision
  }

  /// The part, if it is one of an answer from `snapshot` too.
  func continued(in snapshot: LayoutSnapshot) -> BegunAnswer? {
    snapshot.incarnation == incarnation && snapshot.revision == revision ? self : nil
  }

  /// Adds elements, from the first that is missing.
  ///
  /// - Parameters:
  ///   - queries: All queries, the same each time.
  ///   - snapshot: A snapshot of the state that the part is of.
  ///   - elementsMax: The number of elements to add at most; at least 1.
  /// - Returns: Whether the answer is complete.
  mutating func add(
    _ queries: [ElementsQuery], from snapshot: LayoutSnapshot, elementsMax: Int
  ) throws -> Bool {
    var left = elementsMax
    while pages.count < queries.count || isLastCut {
      guard left > 0 else { return false }
      let begun = isLastCut ? pages.removeLast() : nil
      let (page, isCut) = try snapshot.elements(
        queries[pages.count], continuing: begun, elementsMax: left)
      left -= page.elements.count - (begun?.elements.count ?? 0)
      pages.append(page)
      isLastCut = isCut
    }
    return true
  }
}
