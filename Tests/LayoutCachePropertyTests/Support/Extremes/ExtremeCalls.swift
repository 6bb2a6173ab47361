import CollectionLayout
import Foundation
import LayoutCache
import LayoutGeometry

/// A call of the library with chosen numbers.
struct ExtremeCall: Sendable {
  /// The names of the public calls that it makes, with their types.
  let names: [String]
  let run: @Sendable (ExtremePlace, ExtremeNumbers) async throws -> Void

  init(
    _ names: String..., run: @escaping @Sendable (ExtremePlace, ExtremeNumbers) async throws -> Void
  ) {
    (self.names, self.run) = (names, run)
  }

  static let all = queries + scrolling + movements + values + datasets + changes
}

// MARK: - Snapshots

extension ExtremeCall {
  private static let first = "a-1"

  private static func firstCell(_ place: ExtremePlace) throws -> LayoutAttributes {
    try place.snapshot.attributes(forKey: first)
      ?? LayoutAttributes(
        category: .cell(key: first), indexPath: LayoutAttributes.IndexPath(section: 0, item: 1),
        sectionKey: "a", frame: Rect(x: 0, y: 0, width: 10, height: 10))
  }

  static let queries = [
    ExtremeCall("LayoutSnapshot.attributes(at:)", "LayoutSnapshot.data(at:)") {
      let path = $1.indexPath()
      _ = try $0.snapshot.attributes(at: path)
      _ = try $0.snapshot.data(at: path)
    },
    ExtremeCall("LayoutSnapshot.keys(ofItems:inSection:)") {
      _ = try $0.snapshot.keys(ofItems: $1.range(), inSection: $1.whole(0))
    },
    ExtremeCall(
      "LayoutSnapshot.attributes(forSupplementary:inSection:)",
      "LayoutSnapshot.attributes(forDecoration:inSection:)",
      "LayoutSnapshot.columnEnds(inSection:)", "LayoutSnapshot.forEachSection(from:_:)"
    ) { place, numbers in
      let section = numbers.whole(0)
      _ = try place.snapshot.attributes(forSupplementary: .header, inSection: section)
      _ = try place.snapshot.attributes(forDecoration: "card", inSection: section)
      _ = try place.snapshot.columnEnds(inSection: section)
      try place.snapshot.forEachSection(from: section) { _ in true }
    },
    ExtremeCall(
      "LayoutSnapshot.attributes(forSupplementary:at:)",
      "LayoutSnapshot.attributes(forDecoration:at:)"
    ) { place, numbers in
      let path = numbers.indexPath()
      for kind in ["header", "footer", "filter", "badge", "corner"] {
        _ = try place.snapshot.attributes(
          forSupplementary: LayoutAttributes.SupplementaryKind(rawValue: kind), at: path)
      }
      for kind in ["card", "dot", "line"] {
        _ = try place.snapshot.attributes(forDecoration: kind, at: path)
      }
    },
    ExtremeCall("LayoutSnapshot.data(of:)") {
      _ = try $0.snapshot.data(of: [$1.attributes(firstCell($0))])
    },
    ExtremeCall("LayoutSnapshot.elements(in:visible:limit:)") {
      _ = try $0.snapshot.elements(in: $1.rect())
      _ = try $0.snapshot.elements(in: $1.rect(), visible: $1.rect(), limit: $1.whole(5))
    },
    ExtremeCall("LayoutSnapshot.elements(fromKey:count:backward:)") {
      let count = $1.whole(3)
      _ = try $0.snapshot.elements(fromKey: first, count: count)
      _ = try $0.snapshot.elements(fromKey: first, count: count, backward: true)
    },
    ExtremeCall("LayoutSnapshot.elements(from:count:backward:)") {
      let (path, count) = ($1.indexPath(), $1.whole(3))
      _ = try $0.snapshot.elements(from: path, count: count)
      _ = try $0.snapshot.elements(from: path, count: count, backward: true)
    },
    // A token is decoded to the same value, and continues the query for its rectangle.
    ExtremeCall(
      "LayoutSnapshot.elements(after:limit:)", "LayoutSnapshot.elements(_:)",
      "Continuation.continues(queryFor:visible:)"
    ) { place, numbers in
      let (rect, visible, limit) = (numbers.rect(), numbers.rect(), numbers.whole(2))
      let page = try place.snapshot.elements(.rect(rect, visible: visible, limit: 1))
      let other = try place.snapshot.elements(
        .items(from: .indexPath(numbers.indexPath()), count: limit))
      guard let next = page.next ?? other.next else { return }
      _ = next.continues(queryFor: numbers.rect(), visible: numbers.rect())
      guard let same = Continuation(token: next.token), same == next,
        page.next == nil || same.continues(queryFor: rect, visible: visible)
      else { throw ExtremeFailure("the token of \(next) is not read as it was written") }
      _ = try place.snapshot.elements(after: same, limit: limit)
    },
    ExtremeCall("LayoutSnapshot.element(at:visible:)", "LayoutSnapshot.item(atOrAfter:)") {
      _ = try $0.snapshot.element(at: $1.point())
      _ = try $0.snapshot.element(at: $1.point(), visible: $1.rect())
      _ = try $0.snapshot.item(atOrAfter: $1.length())
    },
    ExtremeCall(
      "LayoutSnapshot.prefetch(_:visible:length:)", "LayoutSnapshot.prefetchRect(_:visible:length:)"
    ) {
      let (visible, length) = ($1.rect(), $1.length())
      _ = try $0.snapshot.prefetch(.before, visible: visible, length: length)
      _ = try $0.snapshot.prefetch(.after, visible: visible, length: length)
      _ = $0.snapshot.prefetchRect(.after, visible: visible, length: length)
    },
    ExtremeCall(
      "LayoutSnapshot.shouldInvalidate(preferred:original:)",
      "LayoutSnapshot.preference(_:original:)"
    ) {
      let cell = try firstCell($0)
      let (preferred, original) = ($1.attributes(cell), $1.attributes(cell))
      _ = $0.snapshot.shouldInvalidate(preferred: preferred, original: original)
      _ = $0.snapshot.preference(preferred, original: original)
    },
  ]

  static let scrolling = [
    ExtremeCall(
      "LayoutSnapshot.targetCarouselOffset(inSection:forProposed:from:velocity:)",
      "LayoutSnapshot.carousel(inSection:)", "LayoutSnapshot.prefetch(_:inCarousel:length:)",
      "CarouselOffsets.init(dictionaryLiteral:)"
    ) {
      let section = $1.whole(0)
      let offsets: CarouselOffsets = ["a": $1.length(), "b": $1.length(), "none": $1.length()]
      let snapshot = $0.snapshot.scrolled(to: offsets)
      _ = try snapshot.carousel(inSection: section)
      let (proposed, start, velocity) = ($1.length(), $1.length(), $1.double(0))
      _ = try snapshot.targetCarouselOffset(
        inSection: section, forProposed: proposed, from: start, velocity: velocity)
      _ = try snapshot.targetCarouselOffset(
        inSection: section, forProposed: proposed, velocity: velocity)
      for side in [PrefetchDirection.before, .after] {
        _ = try snapshot.prefetch(side, inCarousel: section, length: start)
      }
      let page = try snapshot.elements(in: $1.rect(), limit: 1)
      if let next = page.next, Continuation(token: next.token) != next {
        throw ExtremeFailure("the token of \(next) is not read as it was written")
      }
    },
    ExtremeCall("LayoutSnapshot.anchor(in:)") { _ = try $0.snapshot.anchor(in: $1.rect()) },
    ExtremeCall(
      "LayoutSnapshot.contentOffset(keeping:visibleSize:)",
      "LayoutAnchor.init(cells:visibleLength:)",
      "LayoutAnchor.Cell.init(key:start:length:)"
    ) {
      let cell = LayoutAnchor.Cell(key: first, start: $1.length(-128), length: $1.length())
      let anchor = LayoutAnchor(cells: [cell], visibleLength: $1.length(9600))
      _ = try $0.snapshot.contentOffset(keeping: anchor)
      _ = try $0.snapshot.contentOffset(keeping: anchor, visibleSize: $1.size())
    },
    ExtremeCall("LayoutSnapshot.contentOffset(keeping:of:visibleSize:anchor:)") {
      let visible = $1.rect()
      _ = try $0.snapshot.contentOffset(keeping: visible, of: $0.other)
      _ = try $0.snapshot.contentOffset(keeping: visible, of: $0.other, visibleSize: $1.size())
    },
    ExtremeCall("LayoutSnapshot.contentOffset(placing:at:visibleSize:)") {
      _ = try $0.snapshot.contentOffset(placing: first, at: $1.length(), visibleSize: $1.size())
    },
    ExtremeCall(
      "LayoutSnapshot.shouldInvalidateLayout(forBoundsChange:)",
      "LayoutSnapshot.invalidationContext(forBoundsChange:)"
    ) {
      let size = $1.size()
      _ = try $0.snapshot.shouldInvalidateLayout(forBoundsChange: size)
      _ = try $0.snapshot.invalidationContext(forBoundsChange: size)
      _ = try $0.snapshot.shouldInvalidateLayout(forBoundsChange: $1.rect())
    },
    ExtremeCall("LayoutSnapshot.elements(asLaidOutIn:limit:)") {
      _ = try $0.snapshot.elements(asLaidOutIn: $1.rect(), limit: $1.whole(5))
    },
    ExtremeCall(
      "LayoutSnapshot.preferences(from:)", "LayoutSnapshot.invalidationContext(forPreferred:)"
    ) {
      let measured = try [$1.attributes(firstCell($0))]
      _ = try $0.snapshot.preferences(from: measured)
      _ = try $0.snapshot.invalidationContext(forPreferred: measured)
    },
    ExtremeCall("LayoutSnapshot.beginMovement(of:at:)") {
      guard $0.hasItems else { return }
      _ = try $0.snapshot.beginMovement(of: ["a-1", "b-2"], at: $1.indexPath())
    },
    ExtremeCall("LayoutSnapshot.targetContentOffset(forProposed:from:velocity:visibleSize:)") {
      let (point, velocity) = ($1.point(), ScrollVelocity(x: $1.double(0), y: $1.double(0)))
      _ = try $0.snapshot.targetContentOffset(
        forProposed: point, from: $1.point(), velocity: velocity, visibleSize: $1.size())
      _ = try $0.snapshot.targetContentOffset(forProposed: point, velocity: velocity)
      _ = try $0.snapshot.targetContentOffset(
        forProposed: point, velocity: velocity, visibleSize: $1.size())
    },
    ExtremeCall(
      "LayoutSnapshot.transition(to:in:becoming:limit:)", "LayoutTransition.visibleRect(at:)",
      "LayoutTransition.attributes(at:)"
    ) {
      let (rect, progress) = ($1.rect(), $1.double(0.3))
      let transition = try $0.snapshot.transition(
        to: $0.other, in: rect, becoming: $1.rect(), limit: $1.whole(1000))
      _ = transition.visibleRect(at: progress)
      _ = transition.attributes(at: progress)
      _ = try $0.other.transition(to: $0.snapshot, in: rect)
    },
    ExtremeCall(
      "LayoutTransition.init(from:to:)", "LayoutTransition.Element.init(initial:final:change:)"
    ) {
      var transition = LayoutTransition(from: $1.rect(), to: $1.rect())
      let cell = try firstCell($0)
      transition.moving = [
        LayoutTransition.Element(initial: $1.attributes(cell), final: $1.attributes(cell))
      ]
      let progress = $1.double(0.5)
      _ = transition.visibleRect(at: progress)
      _ = transition.attributes(at: progress)
    },
  ]

  static let movements = [
    ExtremeCall(
      "InteractiveMovement.targetIndexPath(for:visible:)",
      "InteractiveMovement.update(to:visible:)", "InteractiveMovement.elements(in:visible:)"
    ) {
      guard $0.hasItems else { return }
      var movement = try $0.snapshot.beginMovement(of: ["a-1", "b-2"])
      let point = $1.point()
      _ = try movement.targetIndexPath(for: point)
      _ = try movement.update(to: point)
      _ = try movement.elements(in: $1.rect())
      _ = try movement.update(to: point, visible: $1.rect())
      _ = try movement.elements(in: $1.rect(), visible: $1.rect())
    },
    ExtremeCall("InteractiveMovement.move(to:)") {
      guard $0.hasItems else { return }
      var movement = try $0.snapshot.beginMovement(of: ["a-1", "b-2"])
      _ = try movement.move(to: $1.indexPath())
      _ = try movement.elements(in: $1.rect())
      _ = (movement.indexPaths, movement.end(), try movement.cancel())
    },
  ]

  /// Values that only store their arguments, encoded as JSON and as text.
  static let values = [
    ExtremeCall(
      "AnchoredOffset.init(contentOffset:key:isExact:)",
      "Commit.init(dataset:revision:incarnation:isRepeated:updates:layouts:behind:)",
      "Commit.LayoutChange.init(layout:incarnation:context:)",
      "DatasetChanges.init(dataset:revision:since:incarnation:updates:layouts:)",
      "DatasetUpdates.Section.init(key:before:after:)",
      "DatasetUpdates.Section.init(reloading:at:)",
      "DatasetUpdates.Item.init(operation:key:before:after:)", "DuplicateKey.init(key:lines:)"
    ) { _, numbers in
      _ = "\(AnchoredOffset(contentOffset: numbers.point(), key: first, isExact: true))"
      var updates = DatasetUpdates()
      updates.sections = [
        DatasetUpdates.Section(key: "a", before: numbers.whole(), after: numbers.whole()),
        DatasetUpdates.Section(reloading: "a", at: numbers.whole()),
      ]
      updates.items = [
        DatasetUpdates.Item(
          operation: .move, key: first, before: numbers.indexPath(), after: numbers.indexPath())
      ]
      let encoder = JSONEncoder()
      let change = Commit.LayoutChange(
        layout: "layout", incarnation: "1", context: InvalidationContext())
      let commit = Commit(
        dataset: "feed", revision: numbers.whole(), incarnation: "1", updates: updates,
        layouts: [change])
      let text = try encoder.encode(commit)
      // The smallest integer marks a path without an item.
      if updates.items.allSatisfy({ $0.before?.item != nil && $0.after?.item != nil }) {
        let same = try JSONDecoder().decode(Commit.self, from: text)
        if same != commit { throw ExtremeFailure("\(commit) is read as \(same)") }
      }
      _ = try encoder.encode(
        DatasetChanges(
          dataset: "feed", revision: numbers.whole(), since: numbers.whole(), incarnation: "1",
          updates: updates))
      _ = "\(DuplicateKey(key: first, lines: [numbers.whole(), numbers.whole()]))"
      let reason = BatchError.indexOutOfRange(numbers.whole(), count: numbers.whole())
      _ = "\(LayoutCacheError(.refused(operation: numbers.whole(), reason)))"
    },
    ExtremeCall(
      "Item.init(key:width:height:columnSpan:data:visibility:)",
      "UpsertedItem.init(key:width:height:columnSpan:data:visibility:)", "UpsertedItem.init(_:)"
    ) { _, numbers in
      let (width, height, span) = (numbers.double(), numbers.double(), numbers.whole())
      _ = try UpsertedItem(Item(key: "x", width: width, height: height, columnSpan: span))
      _ = try UpsertedItem(key: "x", width: width, height: height, columnSpan: span)
    },
  ]
}

/// A failed check, as opposed to an error of the library.
struct ExtremeFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
