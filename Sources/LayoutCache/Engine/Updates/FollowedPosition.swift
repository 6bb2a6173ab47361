import LayoutGeometry
import LayoutStore

/// The position of a continuation in the lists of its dataset, updated for later operations.
///
/// It is between two elements. Elements inserted at the position are visited later, and removals
/// next to it do not move it. So elements that are neither removed nor inserted stay on their
/// side of the position.
///
/// An import rebuilds the lists, so positions in the old lists become meaningless. From then on the
/// position is found by the last element's key, as long as that element is not removed or moved.
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

  /// Whether the position is between two sections, or before the first one.
  private var isBetweenSections: Bool { place.part == .background || place.part.isOfLayout }

  /// Updates the position for a batch.
  mutating func follow(_ batch: LoggedBatch) {
    if batch.kind == .build {
      isLost = isLost || !isFoundByKey && !isNextToLast
      isFoundByKey = true
    }
    for operation in batch.operations {
      switch operation {
      case .items(let splice) where splice.aspect == .place: follow(splice)
      case .sections(let splice) where splice.before?.index != splice.after?.index: follow(splice)
      case .items, .sections, .note: break
      }
    }
  }

  private mutating func follow(_ splice: ItemSplice) {
    let (before, after) = (splice.before, splice.after)
    if isFoundByKey {
      guard before.count > 0 else { return }
      if before.run.map(hasLast) ?? isOfLast(before.section.key) { isLost = true }
      return
    }
    if before.count > 0, isAmongItems(of: before.section) {
      if before.range.contains(isBackward ? place.item : place.item - 1) { isNextToLast = false }
      place.item -= before.range.clamped(to: 0..<max(place.item, 0)).count
    }
    if after.count > 0, isAmongItems(of: after.section),
      after.index < place.item || isBackward && after.index == place.item
    {
      place.item += after.count
    }
  }

  private mutating func follow(_ splice: SectionSplice) {
    if isFoundByKey {
      if let before = splice.before, isOfLast(before.entry.key) { isLost = true }
      return
    }
    if place.part == .layoutFooter { return }
    if let before = splice.before { removeSection(at: before.index) }
    if let after = splice.after { insertSection(at: after.index) }
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

  private func isOfLast(_ section: String) -> Bool { section.isExactly(continuation.sectionKey) }

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
      place.follow(try LoggedBatch(row, path: path))
    }
    return place.isLost ? nil : place
  }
}
