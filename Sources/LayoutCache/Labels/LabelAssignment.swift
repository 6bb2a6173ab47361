/// Gives a run of leaves labels that rise, between those of its neighbours.
///
/// A leaf keeps the label it has where that is possible, because each one that
/// changes changes the index entries of all its elements. Leaves without one share
/// the gap they are in evenly. Where a gap is used up the whole run is spread
/// anew, and where that leaves no room either the caller takes in more leaves: a run
/// of any length finds room in the end, and inserting at one place again and again
/// moves few labels each time.
///
/// Source: the list labelling of Dietz and Sleator, "Two algorithms for maintaining
/// order in a list" (1987), in its simplest form.
enum LabelAssignment {
  /// The least distance after a run has been spread anew: room for some dozens of
  /// splits before the next time.
  static let spreadMin: UInt64 = 1 << 8

  /// The labels for a run of leaves.
  ///
  /// - Parameters:
  ///   - labels: The labels that the leaves have; 0 for none.
  ///   - lower: The label of the leaf before the run; 0 without one.
  ///   - upper: The label of the leaf behind the run; `nil` without one.
  /// - Returns: As many labels, rising, above `lower` and below `upper`; `nil` where
  ///   there is no room.
  static func labels(
    for labels: [UInt64], after lower: UInt64, before upper: UInt64?
  ) -> [UInt64]? {
    keeping(labels, after: lower, before: upper)
      ?? spread(labels.count, after: lower, before: upper, distanceMin: spreadMin)
  }

  private static func keeping(
    _ labels: [UInt64], after lower: UInt64, before upper: UInt64?
  ) -> [UInt64]? {
    var assigned: [UInt64] = []
    for (index, label) in labels.enumerated() {
      let isLastOfItsLabel = index + 1 == labels.count || labels[index + 1] != label
      let last = assigned.last ?? lower
      let pending = UInt64(index - assigned.count)
      guard isLastOfItsLabel, label > last, upper.map({ label < $0 }) ?? true,
        label - last > pending,
        let between = spread(Int(pending), after: last, before: label, distanceMin: 1)
      else { continue }
      assigned += between
      assigned.append(label)
    }
    guard
      let rest = spread(
        labels.count - assigned.count, after: assigned.last ?? lower, before: upper,
        distanceMin: 1)
    else { return nil }
    return assigned + rest
  }

  /// Labels at even distances; behind the last leaf, those of a bulk build.
  private static func spread(
    _ count: Int, after lower: UInt64, before upper: UInt64?, distanceMin: UInt64
  ) -> [UInt64]? {
    if count == 0 { return [] }
    let distance: UInt64
    if let upper {
      distance = (upper - lower) / UInt64(count + 1)
    } else {
      distance = min(LabelSequence.step, (.max - lower) / UInt64(count + 1))
    }
    guard distance >= distanceMin else { return nil }
    return (1...count).map { lower + distance * UInt64($0) }
  }
}
