/// The assignment of increasing labels to a run of leaves, between those of its neighbours.
///
/// A leaf keeps its label if possible, because each changed label changes the index entries of
/// all its elements. Leaves without a label share the gap around them evenly. Before the first
/// leaf and after the last they keep a bulk build's distance, so that prepending and appending
/// change no label. If a gap is used up, the labels of the whole run are spread again; if that
/// leaves too little space, the caller adds more leaves to the run. A longer run must have more
/// space, which shorter runs inside it can use later: repeated insertion at one position changes
/// few labels each time.
///
/// Source: Bender, Cole, Demaine, Farach-Colton and Zito, "Two simplified algorithms for
/// maintaining order in a list" (2002), whose density thresholds fall with the length of a run.
enum LabelAssignment {
  /// The minimum distance per leaf after a run has been spread again.
  static let spreadMin: UInt64 = 1 << 8

  /// Returns the labels for a run of leaves.
  ///
  /// - Parameters:
  ///   - labels: The present labels of the leaves; 0 for none.
  ///   - lower: The label of the leaf before the run; 0 if there is none.
  ///   - upper: The label of the leaf after the run; `nil` if there is none.
  /// - Returns: The same number of labels, increasing, above `lower` and below `upper`; `nil` if
  ///   there is not enough space.
  static func labels(
    for labels: [UInt64], after lower: UInt64, before upper: UInt64?
  ) -> [UInt64]? {
    // Labels decrease only in a damaged tree.
    if let upper, upper <= lower { return nil }
    return keeping(labels, after: lower, before: upper)
      ?? spread(
        labels.count, after: lower, before: upper, distanceMin: spreadMin * UInt64(labels.count))
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
        labels.count - assigned.count, after: assigned.last ?? lower, before: upper, distanceMin: 1)
    else { return nil }
    return assigned + rest
  }

  /// Returns labels at even distances; before the first leaf and after the last, those of a bulk
  /// build.
  private static func spread(
    _ count: Int, after lower: UInt64, before upper: UInt64?, distanceMin: UInt64
  ) -> [UInt64]? {
    if count == 0 { return [] }
    let (start, end) = (lower == 0 && upper == nil ? LabelSequence.origin : lower, upper ?? .max)
    var distance = (end - start) / UInt64(count + 1)
    guard distance >= distanceMin || lower == 0 && upper == nil && distance > 0 else { return nil }
    if lower == 0 || upper == nil { distance = min(distance, LabelSequence.step) }
    let first = upper != nil && lower == 0 ? end - distance * UInt64(count + 1) : start
    return (1...count).map { first + distance * UInt64($0) }
  }
}
