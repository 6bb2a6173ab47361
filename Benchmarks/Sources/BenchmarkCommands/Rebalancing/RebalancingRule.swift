/// A rule that evens out the columns of a stable waterfall after edits have made them uneven.
enum RebalancingRule: String, CaseIterable {
  /// Places all items again from a position where the columns differ too much, until the ends are
  /// even or the section ends.
  case throughout
  /// Places a few items again at such a position; repeats while the ends differ too much.
  case ends
  /// The rule of LayoutCache: as `ends`, and also at the position of the edits or a later one.
  case edits

  var text: String {
    switch self {
    case .throughout: "to the end"
    case .ends: "at the ends"
    case .edits: "at edits too"
    }
  }
}
