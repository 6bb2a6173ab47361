import LayoutGeometry
import LayoutStore

/// The position of a continuation in the lists of its dataset, updated for later operations.
///
/// It is between two elements. Elements inserted at the position are visited later, and removals
/// next to it do not move it. So elements that are neither removed nor inserted stay on their
/// side of the position.
///
/// An import rebuilds the lists, so positions in the old lists become meaningless. From then on
/// the position is found by the last element's key, as long as that element is not removed or
/// moved.
struct FollowedPosition {
  /// The present position; ignored if ``isFoundByKey`` is set.
  private(set) var place: ElementAddress
  /// Whether the last element is still adjacent to the position.
  private(set) var isNextToLast = true
  /// Whether the last element must be looked up by its key.
  private(set) var isFoundByKey = false
  /// Whether the position can no longer be determined.
  private(set) var isLost = false

  private let continuation: Continuation

  init(_ continuation: Continuation) {
    self.continuation = continuation
    place = continuation.place
  }

  private var isBackward: Bool { continuation.subject.isBackward }

  /// Whether the position is between two sections.
  private var isBetweenSections: Bool { place.part == .background }

  /// Updates the position for an operation.
  mutating func follow(_ operation: ResolvedOperation) {
    if isFoundByKey { return followByKey(operation) }
    switch operation {
    case .insertItems(let run, let index, let section, _):
      guard isAmongItems(of: section) else { return }
      if index < place.item || isBackward && index == place.item { place.item += run.count }
    case .deleteItems(let range, let section, _):
      guard isAmongItems(of: section) else { return }
      if range.contains(isBackward ? place.item : place.item - 1) { isNextToLast = false }
      place.item -= range.clamped(to: 0..<max(place.item, 0)).count
    case .insertSection(let section, _): insertSection(at: section.index)
    case .deleteSection(let section, _, _, _): removeSection(at: section.index)
    case .moveSection(let section, let target):
      if section.index == target { return }
      removeSection(at: section.index)
      insertSection(at: target)
    case .build:
      isFoundByKey = isNextToLast
      isLost = !isNextToLast
    case .changeItem, .changeData, .changeSupplementary, .changeStyle, .invalidateItems,
      .rebalance, .everything, .continueRebalance, .mark, .undo:
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
      place = ElementAddress(section: index, part: .background)
      isNextToLast = false
    } else if index < place.section {
      // After a footer, the last element belongs to that section.
      if isBetweenSections && index == place.section - 1 { isNextToLast = false }
      place.section -= 1
    }
  }

  /// Updates the position for an operation when the last element is known only by its key.
  private mutating func followByKey(_ operation: ResolvedOperation) {
    switch operation {
    case .deleteItems(_, let section, let removed):
      if removed.map(hasLast) ?? isOfLast(section) { isLost = true }
    case .deleteSection(let section, _, _, _), .moveSection(let section, _):
      if isOfLast(section) { isLost = true }
    case .insertItems, .changeItem, .changeData, .changeSupplementary, .changeStyle,
      .insertSection, .invalidateItems, .rebalance, .everything, .continueRebalance, .build, .mark,
      .undo:
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
  /// Returns the position of a continuation at a revision.
  ///
  /// - Parameter revision: At least the continuation's revision.
  /// - Returns: `nil` if the log does not reach back that far or the position is lost.
  /// - Throws: `StoreError` with `corrupt` if an entry is damaged.
  /// - Complexity: O(operations since the continuation), plus reading them.
  func followedPlace(
    of continuation: Continuation, inDataset dataset: Int64, upTo revision: Int
  ) throws -> FollowedPosition? {
    let start = continuation.revision
    guard let head = try logHead(of: dataset, at: revision),
      try logExtent(after: start, upTo: head) != nil
    else { return nil }
    var place = FollowedPosition(continuation)
    try forEachLogRow(after: start, upTo: head) { row in
      for operation in try LoggedBatch(row, path: path).operations { place.follow(operation) }
    }
    return place.isLost ? nil : place
  }
}
