/// Gives a run of leaves labels that rise, between those of its neighbours.
///
/// A leaf keeps the label it has where that is possible, because each one that
/// changes changes the index entries of all its elements. Leaves without one share
/// the gap they are in evenly; before the first leaf and behind the last they keep a
/// bulk build's distance, so that prepending and appending move no label. Where a
/// gap is used up the whole run is spread again, and where that leaves too little
/// room the caller takes in more leaves. A longer run asks for more room, so it has
/// some to give when a shorter one inside it needs it: inserting at one place
/// again and again moves few labels each time.
///
/// Source: Bender, Cole, Demaine, Farach-Colton and Zito, "Two simplified algorithms
/// for maintaining order in a list" (2002), whose density thresholds fall with the
/// length of a run.
enum LabelAssignment {
  /// The least distance after a run has been spread again, for each of its leaves.
  static let spreadMin: UInt64 = 1 << 8

  /// The labels for a run of leaves.
  ///
  /// - Parameters:
  ///   - labels: The labels that the leaves have; 0 for none.
  ///   - lower: The label of the leaf before the run; 0 without one.
  ///   - upper: The label of the leaf after the run; `nil` without one.
  /// - Returns: As many labels, rising, above `lower` and below `upper`; `nil` where
  ///   there is no room.
  static func labels(
    for labels: [UInt64], after lower: UInt64, before upper: UInt64?
  ) -> [UInt64]? {
    // Only in a damaged tree do labels fall.
    if let upper, upper <= lower { return nil }
    return keeping(labels, after: lower, before: upper)
      ?? spread(
        labels.count, after: lower, before: upper,
        distanceMin: spreadMin * UInt64(labels.count))
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

  /// Labels at even distances; before the first leaf and behind the last, those of a
  /// bulk build.
  private static func spread(
    _ count: Int, after lower: UInt64, before upper: UInt64?, distanceMin: UInt64
  ) -> [UInt64]? {
    if count == 0 { return [] }
    let (start, end) = (lower == 0 && upper == nil ? LabelSequence.origin : lower, upper ?? .max)
    var distance = (end - start) / UInt64(count + 1)
    guard distance >= distanceMin || lower == 0 && upper == nil && distance > 0 else {
      return nil
    }
    if lower == 0 || upper == nil { distance = min(distance, LabelSequence.step) }
    let first = upper != nil && lower == 0 ? end - distance * UInt64(count + 1) : start
    return (1...count).map { first + distance * UInt64($0) }
  }
}
