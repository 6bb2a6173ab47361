/// The inputs that a custom section's rule reads, in addition to an item's size and the state.
///
/// They are declared, because they determine which items an edit places again.
public struct ItemDependencies: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// An item's index in its section. An insertion then places all later items again.
  public static let index = ItemDependencies(rawValue: 1)
  /// The number of items in the section. Each insertion or deletion then places all items again.
  public static let count = ItemDependencies(rawValue: 2)
  /// The items' data. A change of an item's data is then a change of the item.
  public static let data = ItemDependencies(rawValue: 4)
}

/// The position of an item among the others of its section, for a rule that places it.
///
/// It provides the inputs declared in ``SectionLayout/reads`` and ``SectionLayout/lookahead``.
/// Reading any other input is a programming error, and traps.
public struct ItemContext: Sendable {
  private let reads: ItemDependencies
  private let lookahead: Int
  private let itemIndex: Int
  private let itemCount: Int
  /// The following items: as many as the lookahead, or all that exist.
  private let following: ArraySlice<LayoutItem>

  init(
    reads: ItemDependencies, lookahead: Int, index: Int, count: Int,
    following: ArraySlice<LayoutItem>
  ) {
    self.reads = reads
    self.lookahead = lookahead
    itemIndex = index
    itemCount = count
    self.following = following
  }

  /// The item's index in its section, from 0.
  ///
  /// - Precondition: The rule reads ``ItemDependencies/index``.
  public var index: Int {
    precondition(reads.contains(.index), "A rule that reads the index must list it in `reads`.")
    return itemIndex
  }

  /// The number of items in the section.
  ///
  /// - Precondition: The rule reads ``ItemDependencies/count``.
  public var count: Int {
    precondition(reads.contains(.count), "A rule that reads the count must list it in `reads`.")
    return itemCount
  }

  /// Whether this is the section's last item.
  ///
  /// - Precondition: The rule looks ahead, or reads the index and the count.
  public var isLast: Bool { lookahead > 0 ? following.isEmpty : index + 1 == count }

  /// Returns an item after this one.
  ///
  /// - Parameter distance: The distance; 1 for the next item.
  /// - Returns: `nil` after the section's last item.
  /// - Precondition: `distance` is at least 1 and at most the rule's lookahead.
  public func next(_ distance: Int = 1) -> LayoutItem? {
    precondition(
      distance >= 1 && distance <= lookahead,
      "A rule that looks \(distance) ahead needs a `lookahead` of as much.")
    let place = following.startIndex + distance - 1
    return place < following.endIndex ? following[place] : nil
  }
}
