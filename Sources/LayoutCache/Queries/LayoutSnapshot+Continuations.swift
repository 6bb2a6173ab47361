import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutSnapshot {
  /// Where a continuation continues in this snapshot.
  ///
  /// - Throws: ``LayoutCacheError``: `otherLayoutsContinuation`, `continuationIsGone`; what
  ///   reading throws.
  /// - Complexity: O(1) at the continuation's own revision; later O(operations since), and
  ///   O(log items) nodes.
  func place(of continuation: Continuation, in session: TreeSession) throws -> ElementPlace {
    let own = continuation.layout
    let isOfDataset = continuation.incarnation == datasetIncarnation
    // A dataset that was renamed is the same; one that was made again is not.
    let isNamed = isOfDataset || ExactKey(own.dataset) == ExactKey(layout.dataset)
    guard isNamed, ExactKey(own.layout) == ExactKey(layout.layout) else {
      throw LayoutCacheError(.otherLayoutsContinuation(own, asked: layout))
    }
    let gone = LayoutCacheError(.continuationIsGone(dataset: layout.dataset))
    guard isOfDataset, continuation.revision <= revision else { throw gone }
    if continuation.revision == revision { return continuation.place }
    let followed = try withFile {
      try $0.followedPlace(of: continuation, inDataset: datasetID, upTo: revision)
    }
    guard let followed else { throw gone }
    if followed.isFoundByKey {
      guard let found = try lastPlace(of: continuation, in: session) else { throw gone }
      return continuation.subject.isBackward ? found : found.next
    }
    return try followed.isBesideLast
      ? followed.place : withoutLast(followed.place, continuation, in: session)
  }

  /// Where the last element of a continuation's answer stands now, if that is in its section.
  private func lastPlace(
    of continuation: Continuation, in session: TreeSession
  ) throws -> ElementPlace? {
    var place = continuation.last
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

  /// A place after the last item, where that has been taken out and put back right there:
  /// it is not to be met again.
  private func withoutLast(
    _ place: ElementPlace, _ continuation: Continuation, in session: TreeSession
  ) throws -> ElementPlace {
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
