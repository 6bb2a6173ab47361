/// The changes of a section's list of items: the runs of it that gave way to
/// others, in order.
///
/// Kinds that place items by their sizes alone need nothing else to move on by many
/// changes at once: what lies in no hunk is as it was, at another index.
struct ItemHunks: Sendable, Equatable {
  /// A run of items, before and after. Either may be empty.
  struct Hunk: Sendable, Equatable {
    var old: Range<Int>
    var new: Range<Int>
  }

  /// The items after the changes.
  private(set) var count: Int
  /// By place; there are unchanged items between any two.
  private(set) var hunks: [Hunk] = []
  /// Whether items came or went; otherwise all have changed in place.
  private(set) var isReordered = false

  /// Creates the hunks of no changes.
  init(count: Int) { self.count = count }

  /// How much later the items after a hunk stand than before.
  func shift(behind hunk: Int) -> Int {
    hunk < 0 ? 0 : hunks[hunk].new.upperBound - hunks[hunk].old.upperBound
  }

  /// The changes with all items among them.
  var ofAllItems: ItemHunks {
    var all = self
    all.hunks = [Hunk(old: 0..<(count - growth), new: 0..<count)]
    return all
  }

  /// How many more items there are than before.
  var growth: Int { shift(behind: hunks.count - 1) }

  /// Notes that the items of a range gave way to others.
  ///
  /// - Parameter range: In the list that earlier changes led to.
  mutating func replace(_ range: Range<Int>, withCount newCount: Int) {
    let growth = newCount - range.count
    if growth != 0 { isReordered = true }
    var first = 0
    while first < hunks.count, hunks[first].new.upperBound < range.lowerBound { first += 1 }
    var last = first
    while last < hunks.count, hunks[last].new.lowerBound <= range.upperBound { last += 1 }
    let (before, behind) = (shift(behind: first - 1), shift(behind: last - 1))
    // The range, and the hunks that it touches, in the list as it was and as it is.
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

  /// Takes neighbours for one, which names more items than have changed and is right all
  /// the same: a change costs O(hunks).
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
