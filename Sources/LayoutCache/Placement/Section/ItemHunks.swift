/// The changes of a section's list of items: the replaced runs, in order.
///
/// Kinds that place items by their sizes alone can apply many changes in one step with only
/// this information: items outside all hunks are unchanged, possibly at another index.
struct ItemHunks: Sendable, Equatable {
  /// A run of items, before and after. Either may be empty.
  struct Hunk: Sendable, Equatable {
    var old: Range<Int>
    var new: Range<Int>
  }

  /// The number of items after the changes.
  private(set) var count: Int
  /// The hunks by position, separated by unchanged items.
  private(set) var hunks: [Hunk] = []
  /// Whether items were inserted or deleted; otherwise all changes are in place.
  private(set) var isReordered = false

  /// Creates the hunks of no changes.
  init(count: Int) { self.count = count }

  /// Returns the index shift of the items after a hunk.
  func shift(after hunk: Int) -> Int {
    hunk < 0 ? 0 : hunks[hunk].new.upperBound - hunks[hunk].old.upperBound
  }

  /// The changes as one hunk of all items.
  var ofAllItems: ItemHunks {
    var all = self
    all.hunks = [Hunk(old: 0..<(count - growth), new: 0..<count)]
    return all
  }

  /// The change of the item count.
  var growth: Int { shift(after: hunks.count - 1) }

  /// Records the replacement of a range of items.
  ///
  /// - Parameter range: A range of the list after the earlier changes.
  mutating func replace(_ range: Range<Int>, withCount newCount: Int) {
    let growth = newCount - range.count
    if growth != 0 { isReordered = true }
    var first = 0
    while first < hunks.count, hunks[first].new.upperBound < range.lowerBound { first += 1 }
    var last = first
    while last < hunks.count, hunks[last].new.lowerBound <= range.upperBound { last += 1 }
    let (before, behind) = (shift(after: first - 1), shift(after: last - 1))
    // The range united with the hunks that it touches, in the old and the new list.
    var start = range.lowerBound
    var end = range.upperBound
    if first < last {
      start = min(start, hunks[first].new.lowerBound)
      end = max(end, hunks[last - 1].new.upperBound)
    }
    let merged = Hunk(old: (start - before)..<(end - behind), new: start..<(end + growth))
    for index in last..<hunks.count {
      let new = hunks[index].new
      hunks[index].new = (new.lowerBound + growth)..<(new.upperBound + growth)
    }
    hunks.replaceSubrange(first..<last, with: CollectionOfOne(merged))
    count += growth
    if hunks.count > Budgets.hunks { coarsen() }
  }

  /// Merges pairs of adjacent hunks, so that recording a change costs O(hunks). The result
  /// covers unchanged items too, which is still correct.
  private mutating func coarsen() {
    hunks = stride(from: 0, to: hunks.count, by: 2).map { index in
      guard index + 1 < hunks.count else { return hunks[index] }
      let (left, right) = (hunks[index], hunks[index + 1])
      return Hunk(
        old: left.old.lowerBound..<right.old.upperBound,
        new: left.new.lowerBound..<right.new.upperBound)
    }
  }
}
