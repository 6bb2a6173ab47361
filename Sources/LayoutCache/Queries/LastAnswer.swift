import CollectionLayout
import LayoutGeometry

/// A query for the elements of a rectangle, with everything that its answer depends on in a
/// snapshot.
struct RectQuery: Hashable {
  /// The rectangle in the content.
  var rect: Rect
  /// The visible bounds; `nil` without pins and effects.
  var visible: Rect?
  var start: ElementAddress
  var limit: Int
}

/// The answer to a snapshot's last query for a rectangle, for a client that stays in place or
/// scrolls.
final class LastAnswer {
  private let query: RectQuery
  private let run: Paging.PageRun
  /// The elements around the answer; `nil` if they depend on the visible bounds.
  private let surroundings: Surroundings?

  /// The maximum number of elements to store, once as an answer and once around it.
  private static let countMax = 512

  /// Returns an answer to be stored; `nil` if it is too long.
  ///
  /// - Parameter surroundings: The elements around it; by default its own, if it is complete.
  private init?(_ query: RectQuery, _ run: Paging.PageRun, around surroundings: Surroundings?) {
    guard run.elements.count <= Self.countMax else { return nil }
    self.query = query
    self.run = run
    self.surroundings = surroundings
  }

  /// Returns the answer to a query, and stores it for the next one.
  static func run(
    _ query: RectQuery, of snapshot: LayoutSnapshot, in state: QueryState
  ) throws -> Paging.PageRun {
    let last = state.answer as? LastAnswer
    if let last, last.query == query { return last.run }
    if let surroundings = last?.surroundings(of: query, in: snapshot, state),
      let run = surroundings.run(query, in: snapshot)
    {
      state.answer = LastAnswer(query, run, around: surroundings)
      return run
    }
    let search = try ElementSearch.run(query, of: snapshot, in: state)
    let run = Paging.PageRun(
      elements: search.elements, last: search.last, isCut: search.next != nil)
    state.answer = LastAnswer(query, run, around: Surroundings(search, query))
    return run
  }

  /// Returns elements around a query's rectangle: the stored ones or, if the client scrolls
  /// beyond them, those of both rectangles and of another one ahead.
  private func surroundings(
    of next: RectQuery, in snapshot: LayoutSnapshot, _ state: QueryState
  ) -> Surroundings? {
    guard let surroundings, next.start == .start,
      (next.visible == nil) == (query.visible == nil)
    else { return nil }
    let space = snapshot.plan.space
    func canonical(_ rect: Rect) -> Rect { space.canonical(rect, mainLength: snapshot.mainLength) }
    let (rect, known) = (canonical(next.rect), canonical(surroundings.rect))
    guard !rect.isEmpty, rect.minX == known.minX, rect.maxX == known.maxX else { return nil }
    if rect.minY >= known.minY && rect.maxY <= known.maxY { return surroundings }
    let last = canonical(query.rect)
    guard rect.size == last.size, rect.minY < last.maxY, rect.maxY > last.minY,
      run.elements.count <= Self.countMax / 4
    else { return nil }
    var wider = rect
    wider.origin.y = min(rect.minY - (rect.minY < last.minY ? rect.size.height : .zero), last.minY)
    let end = max(rect.maxY + (rect.minY > last.minY ? rect.size.height : .zero), last.maxY)
    wider.size.height = end - wider.minY
    var query = next
    query.rect = space.content(wider, mainLength: snapshot.mainLength)
    query.limit = Self.countMax
    do {
      return Surroundings(try ElementSearch.run(query, of: snapshot, in: state), query)
    } catch {
      // The error may be one of nodes ahead, which the query does not need.
      state.cells.removeAll(keepingCapacity: true)
      return nil
    }
  }
}

/// All elements of a rectangle, none of which depends on the visible bounds.
private struct Surroundings {
  let rect: Rect
  private let elements: [LayoutAttributes]

  /// - Returns: `nil` if the search does not have all elements, or they depend on the visible
  ///   bounds.
  init?(_ search: ElementSearch, _ query: RectQuery) {
    guard search.next == nil, !search.dependsOnBounds, query.start == .start, !query.rect.isEmpty
    else { return nil }
    rect = query.rect
    elements = search.elements
  }

  /// Returns the answer to a query for a rectangle in this one with the same extent across the
  /// main axis; `nil` if it is longer than the query's limit.
  func run(_ query: RectQuery, in snapshot: LayoutSnapshot) -> Paging.PageRun? {
    let rect = query.rect
    let isVertical = snapshot.plan.space.scrollAxis == .vertical
    var found: [LayoutAttributes] = []
    found.reserveCapacity(elements.count)
    // Elements are copied in runs, which is faster than one by one.
    var start = elements.startIndex
    for index in elements.indices {
      let frame = elements[index].untransformedFrame
      let intersects =
        isVertical
        ? frame.minY < rect.maxY && frame.maxY > rect.minY
        : frame.minX < rect.maxX && frame.maxX > rect.minX
      if intersects { continue }
      if start < index { found += elements[start..<index] }
      start = index + 1
    }
    found += elements[start...]
    guard found.count <= query.limit else { return nil }
    return Paging.PageRun(elements: found, last: found.last?.place, isCut: false)
  }
}
