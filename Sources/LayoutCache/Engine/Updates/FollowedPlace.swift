import LayoutGeometry
import LayoutStore

/// The place of a continuation in the lists of its dataset, as later operations leave it.
///
/// It stands between two elements. What comes to be there is gone through later, and what
/// is taken away next to it does not move it. So whatever is neither taken out nor put in stays
/// on its side of the place.
///
/// An import builds the lists again, and no place in the old ones says anything of the new;
/// from there on the last element's key does, as long as that stays where it is.
struct FollowedPlace {
  /// Where it has come to; is ignored where ``isFoundByKey``.
  private(set) var place: ElementPlace
  /// Whether the last element still stands next to the place.
  private(set) var isBesideLast = true
  /// Whether the last element is to be looked up by its key.
  private(set) var isFoundByKey = false
  /// Whether nothing tells any more where to continue.
  private(set) var isLost = false

  private let continuation: Continuation

  init(_ continuation: Continuation) {
    self.continuation = continuation
    place = continuation.place
  }

  private var isBackward: Bool { continuation.subject.isBackward }

  /// The place between two sections rather than in one.
  private var isBetweenSections: Bool { place.part == .background }

  /// Follows an operation.
  mutating func follow(_ operation: ResolvedOperation) {
    if isFoundByKey { return followByKey(operation) }
    switch operation {
    case .insertItems(let run, let index, let section, _):
      guard isAmongItems(of: section) else { return }
      if index < place.item || isBackward && index == place.item { place.item += run.count }
    case .deleteItems(let range, let section, _):
      guard isAmongItems(of: section) else { return }
      if range.contains(isBackward ? place.item : place.item - 1) { isBesideLast = false }
      place.item -= range.clamped(to: 0..<max(place.item, 0)).count
    case .insertSection(let section): insertSection(at: section.index)
    case .deleteSection(let section, _, _): removeSection(at: section.index)
    case .moveSection(let section, let target):
      if section.index == target { return }
      removeSection(at: section.index)
      insertSection(at: target)
    case .build:
      isFoundByKey = isBesideLast
      isLost = !isBesideLast
    case .changeItem, .changeData, .changeSupplementary, .invalidateItems, .rebalance,
      .everything, .carryOn, .mark, .undo:
      break
    }
  }

  private func isAmongItems(of section: SectionReference) -> Bool {
    section.index == place.section && place.part == .cells
  }

  private mutating func insertSection(at index: Int) {
    let isBefore = index < place.section
    if isBefore || index == place.section && (isBackward || !isBetweenSections) {
      place.section += 1
    }
  }

  private mutating func removeSection(at index: Int) {
    if index == place.section && !isBetweenSections {
      place = ElementPlace(section: index, part: .background)
      isBesideLast = false
    } else if index < place.section {
      // After a footer that section is the last element's.
      if isBetweenSections && index == place.section - 1 { isBesideLast = false }
      place.section -= 1
    }
  }

  /// Follows an operation on lists in which the last element is known by its key alone.
  private mutating func followByKey(_ operation: ResolvedOperation) {
    switch operation {
    case .deleteItems(_, let section, let removed):
      if removed.map(hasLast) ?? isOfLast(section) { isLost = true }
    case .deleteSection(let section, _, _), .moveSection(let section, _):
      if isOfLast(section) { isLost = true }
    case .insertItems, .changeItem, .changeData, .changeSupplementary, .insertSection,
      .invalidateItems, .rebalance, .everything, .carryOn, .build, .mark, .undo:
      break
    }
  }

  private func isOfLast(_ section: SectionReference) -> Bool {
    ExactKey(section.key) == ExactKey(continuation.sectionKey)
  }

  private func hasLast(_ run: ItemRun) -> Bool {
    guard let key = continuation.key.map(ExactKey.init) else { return false }
    return (0..<run.count).contains { ExactKey(run.key(at: $0)) == key }
  }
}

extension StoreReader {
  /// Where a continuation has come to by a revision.
  ///
  /// - Parameter revision: At least the continuation's.
  /// - Returns: `nil` where the log does not tell, because it does not reach back so far.
  /// - Throws: `StoreError` with `corrupt` where an entry is damaged.
  /// - Complexity: O(operations since), and reading them.
  func followedPlace(
    of continuation: Continuation, inDataset dataset: Int64, upTo revision: Int
  ) throws -> FollowedPlace? {
    let start = continuation.revision
    guard let head = try logHead(of: dataset, at: revision),
      try logExtent(after: start, upTo: head) != nil
    else { return nil }
    var place = FollowedPlace(continuation)
    try forEachLogRow(after: start, upTo: head) { row in
      for operation in try LoggedBatch(row, path: path).operations { place.follow(operation) }
    }
    return place.isLost ? nil : place
  }
}
