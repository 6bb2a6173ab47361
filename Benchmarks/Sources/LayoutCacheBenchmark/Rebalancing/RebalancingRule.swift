/// A rule by which a stable waterfall, whose columns edits have made uneven, is evened out.
enum RebalancingRule: String, CaseIterable {
  /// From a place where the columns differ too much, until the ends are even or the section ends.
  case throughout
  /// A few items at such a place; again while the ends differ too much.
  case ends
  /// The rule of LayoutCache: as `ends`, and before the place of the edits or a later one.
  case edits

  var text: String {
    switch self {
    case .throughout: "to the end"
    case .ends: "at the ends"
    case .edits: "at edits too"
    }
  }
}
