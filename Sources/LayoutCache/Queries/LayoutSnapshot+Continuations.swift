import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutSnapshot {
  /// Returns the position at which a continuation resumes in this snapshot.
  ///
  /// - Throws: ``LayoutCacheError``: `continuationMismatch`, `continuationExpired`; errors of
  ///   reading.
  /// - Complexity: O(1) at the continuation's revision; later O(operations since), and O(log
  ///   items) nodes.
  func place(of continuation: Continuation, in session: TreeSession) throws -> ElementAddress {
    let own = continuation.layout
    let isOfDataset = continuation.incarnation == history
    // A renamed dataset stays the same; one that was created again does not.
    let isNamed = isOfDataset || ExactKey(own.dataset) == ExactKey(layout.dataset)
    guard isNamed, ExactKey(own.layout) == ExactKey(layout.layout),
      continuation.view == shown?.view.digest
    else {
      throw LayoutCacheError(.continuationMismatch(own, asked: layout))
    }
    let gone = LayoutCacheError(.continuationExpired(dataset: layout.dataset))
    guard isOfDataset, continuation.revision <= revision else { throw gone }
    if continuation.revision == revision { return continuation.place }
    if let shown {
      guard let place = try place(of: continuation, in: shown, session) else { throw gone }
      return place
    }
    let followed = try withFile {
      try $0.followedPlace(of: continuation, inDataset: datasetID, upTo: revision)
    }
    guard let followed else { throw gone }
    if followed.isFoundByKey {
      guard let found = try lastPlace(of: continuation, in: session) else { throw gone }
      return continuation.subject.isBackward ? found : found.next
    }
    return try followed.isNextToLast
      ? followed.place : withoutLast(followed.place, continuation, in: session)
  }

  /// Returns the position at which a continuation resumes in a later revision of a view; `nil` if it
  /// cannot be determined.
  private func place(
    of continuation: Continuation, in items: ViewItems, _ session: TreeSession
  ) throws -> ElementAddress? {
    let isBackward = continuation.subject.isBackward
    switch continuation.viewPlace {
    case nil:
      // A header or footer, or a cell whose rank is too long for a token.
      let found = try lastPlace(of: continuation, in: session)
      return isBackward ? found : found?.next
    case .rank(let prefix, let bytes):
      let rank = ItemRank(prefix: prefix, bytes: bytes)
      return ElementAddress(
        section: 0, part: .cells,
        item: try items.number(after: rank, isBackward: isBackward, session))
    case .dataset(let section, let item):
      var own = continuation
      own.last = ElementAddress(section: section, part: .cells, item: item)
      let followed = try withFile {
        try $0.followedPlace(of: own, inDataset: datasetID, upTo: revision)
      }
      guard let followed else { return nil }
      let present = followed.isFoundByKey ? try items.place(of: own, session) : followed.place
      return try present.map { try items.place(at: $0, session) }
    }
  }

  /// Returns the current position of the last element of a continuation's answer, if it is
  /// still in its section.
  private func lastPlace(
    of continuation: Continuation, in session: TreeSession
  ) throws -> ElementAddress? {
    var place = continuation.last
    if place.part.isOfLayout { return place }
    if let key = continuation.key {
      guard let number = try trees.itemIndex(ofKey: key, in: session),
        let found = try trees.place(ofItem: number, in: session),
        ExactKey(found.section.key) == ExactKey(continuation.sectionKey)
      else { return nil }
      place.section = found.section.index
      place.item = found.item
    } else {
      let section = try trees.sectionIndex(ofKey: continuation.sectionKey, in: session)
      guard let section else { return nil }
      place.section = section
    }
    return place
  }

  /// Returns a position moved past the last item, if that was deleted and inserted again at the
  /// position: it must not be returned twice.
  private func withoutLast(
    _ place: ElementAddress, _ continuation: Continuation, in session: TreeSession
  ) throws -> ElementAddress {
    guard place.part == .cells, let key = continuation.key, place.section < sectionCount else {
      return place
    }
    let items = try trees.items(ofSection: place.section, in: session)
    let index = continuation.subject.isBackward ? place.item - 1 : place.item
    guard (0..<items.count).contains(index) else { return place }
    let found = try trees.items.place(at: items.lowerBound + index, in: session)
    guard ExactKey(found.leaf.key(at: found.index)) == ExactKey(key) else { return place }
    var place = place
    place.item = continuation.subject.isBackward ? index : index + 1
    return place
  }
}
