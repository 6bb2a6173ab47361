import CollectionLayout
import LayoutGeometry
import SumTree

/// A paged answer: the sequence of elements and its start.
struct Paging {
  let snapshot: LayoutSnapshot
  let subject: Continuation.Subject
  let start: ElementAddress
  /// The maximum number of elements; at least 1.
  let limit: Int

  /// The number of items read at once after hidden ones: the memory that they take.
  private static let itemsPassedMax = 4096

  /// A run of consecutive elements.
  struct PageRun {
    var elements: [LayoutAttributes]
    /// The position of the last element; `nil` without elements.
    var last: ElementAddress?
    /// Whether the limit has truncated the run.
    var isCut: Bool
  }

  /// Returns the elements from a position on.
  ///
  /// - Complexity: For pages of items also O(hidden items among them).
  func run(from start: ElementAddress, limit: Int, in state: QueryState) throws -> PageRun {
    switch subject {
    case .rect(let rect, let visible):
      let query = RectQuery(rect: rect, visible: visible ?? rect, start: start, limit: limit)
      return try LastAnswer.run(query, of: snapshot, in: state)
    case .asLaidOut(let rect):
      let query = RectQuery(rect: rect, visible: nil, start: start, limit: limit)
      return try LastAnswer.run(query, of: snapshot, in: state)
    case .items(let isBackward):
      let number = try snapshot.trees.number(
        ofItem: start.item, inSection: start.section, state.session)
      var rest = isBackward ? 0..<number : number..<snapshot.itemCount
      var cells: [LayoutAttributes] = []
      // Hidden items do not count, so more are read until a cell follows the page.
      var count = limit == .max ? limit : limit + 1
      while cells.count <= limit, !rest.isEmpty {
        let run = isBackward ? rest.suffix(count) : rest.prefix(count)
        let found = try snapshot.cells(ofItems: run, in: state)
        cells += isBackward ? found.reversed() : found
        rest = isBackward ? rest.dropLast(run.count) : rest.dropFirst(run.count)
        count = min(2 * run.count, Self.itemsPassedMax)
      }
      let isCut = cells.count > limit
      if isCut { cells.removeLast(cells.count - limit) }
      return PageRun(elements: cells, last: cells.last?.place, isCut: isCut)
    }
  }

  /// Returns the position after a run's last element.
  func place(after run: PageRun) -> ElementAddress? {
    run.last.map { subject.isBackward ? $0 : $0.next }
  }

  /// Returns the continuation after a run's last element, if the limit has truncated the run.
  func continuation(after run: PageRun, in state: QueryState) throws -> Continuation? {
    guard run.isCut, let place = run.last, let last = run.elements.last else { return nil }
    var key: String?
    if case .cell(let own) = last.category { key = own }
    return Continuation(
      layout: snapshot.layout, incarnation: snapshot.history,
      revision: snapshot.revision, subject: subject, offsets: snapshot.carouselOffsets,
      layoutDirection: snapshot.layoutDirection, limit: limit, last: place,
      sectionKey: last.sectionKey, key: key, view: snapshot.shown?.view.digest,
      viewPlace: try key.flatMap { try snapshot.shown?.place(ofKey: $0, state.session) })
  }
}

extension LayoutAttributes {
  /// The element's position, unless it is an additional element, or one of a list.
  var place: ElementAddress {
    let section = indexPath.section
    return switch category {
    case .supplementary(.layoutHeader) where indexPath.isOfLayout:
      ElementAddress(section: 0, part: .layoutHeader)
    case .supplementary where indexPath.isOfLayout: .end
    case .decoration where indexPath.isOfLayout: .start
    case .cell: ElementAddress(section: section, part: .cells, item: indexPath.item ?? 0)
    case .supplementary(.header): ElementAddress(section: section, part: .header)
    case .supplementary: ElementAddress(section: section, part: .footer)
    default: ElementAddress(section: section, part: .background)
    }
  }
}

extension LayoutSnapshot {
  /// Returns the sequence that a query reads, and its start.
  ///
  /// - Throws: ``LayoutCacheError``: `limit`, `noSuchKey`, `continuationMismatch`,
  ///   `continuationExpired`; errors of reading.
  func paging(_ query: ElementsQuery, in state: QueryState) throws -> Paging {
    switch query {
    case .rect(let rect, let visible, let limit):
      try Limits.check(limit, in: 1...Int.max, as: "limit")
      return Paging(
        snapshot: self, subject: .rect(rect.bounded, visible: visible?.bounded), start: .start,
        limit: limit)
    case .asLaidOut(let rect, let limit):
      try Limits.check(limit, in: 1...Int.max, as: "limit")
      return Paging(snapshot: self, subject: .asLaidOut(rect.bounded), start: .start, limit: limit)
    case .items(let item, let count, let isBackward):
      try Limits.check(count, in: 1...Int.max, as: "count")
      let path = try indexPath(of: item, in: state.session)
      let own = ElementAddress(section: path.section, part: .cells, item: path.item ?? 0)
      return Paging(
        snapshot: self, subject: .items(isBackward: isBackward),
        start: isBackward ? own.next : own, limit: count)
    case .after(let continuation, let limit):
      let limit = limit ?? continuation.limit
      try Limits.check(limit, in: 1...Int.max, as: "limit")
      return Paging(
        snapshot: self, subject: continuation.subject,
        start: try place(of: continuation, in: state.session), limit: limit)
    }
  }

  /// Returns the index path of an existing item.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchKey` for a missing item, `limit` for an invalid key.
  private func indexPath(
    of item: ItemReference, in session: TreeSession
  ) throws -> LayoutAttributes.IndexPath {
    let (found, text): (LayoutAttributes.IndexPath?, String)
    switch item {
    case .key(let key): (found, text) = (try indexPath(ofKey: key, in: session), key)
    case .indexPath(let path):
      (found, text) = (
        try present(path, in: session), "\(path.section).\(path.item.map(String.init) ?? "")"
      )
    case .text(let name):
      let byKey = try indexPath(ofKey: name, in: session)
      found =
        try byKey
        ?? LayoutAttributes.IndexPath(text: name).flatMap {
          try present($0, in: session)
        }
      text = name
    }
    guard let found else { throw LayoutCacheError(.noSuchKey(text, dataset: layout.dataset)) }
    return found
  }

  /// Returns an index path, if the dataset has an item there.
  private func present(
    _ path: LayoutAttributes.IndexPath, in session: TreeSession
  ) throws -> LayoutAttributes.IndexPath? {
    guard (0..<sectionCount).contains(path.section), let item = path.item,
      try (0..<trees.items(ofSection: path.section, in: session).count).contains(item)
    else { return nil }
    return path
  }
}

extension LayoutAttributes.IndexPath {
  /// Creates an index path from "SECTION.ITEM".
  package init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let section = Int(parts[0]), let item = Int(parts[1]) else {
      return nil
    }
    self.init(section: section, item: item)
  }
}
