/// The parts of items that a custom section's rule reads besides their size and its state.
///
/// It is declared, because it decides what an edit places again.
public struct ItemReads: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// An item's number in its section. An insertion places all items after it again.
  public static let index = ItemReads(rawValue: 1)
  /// How many items the section has. Each that comes or goes places all of them again.
  public static let count = ItemReads(rawValue: 2)
  /// The items' data. A change of an item's data then counts as a change of the item.
  public static let data = ItemReads(rawValue: 4)
}

/// Where an item stands among the others of its section, for a rule that places it.
///
/// It has what the rule's ``SectionLayout/reads`` and ``SectionLayout/lookahead`` say; to
/// ask for more is a mistake in the program, and traps.
public struct ItemContext: Sendable {
  private let reads: ItemReads
  private let lookahead: Int
  private let itemIndex: Int
  private let itemCount: Int
  /// The items after it: as many as the rule looks ahead, or all that there are.
  private let following: ArraySlice<LayoutItem>

  init(
    reads: ItemReads, lookahead: Int, index: Int, count: Int, following: ArraySlice<LayoutItem>
  ) {
    self.reads = reads
    self.lookahead = lookahead
    itemIndex = index
    itemCount = count
    self.following = following
  }

  /// The item's number in its section, from 0.
  ///
  /// - Precondition: The rule reads ``ItemReads/index``.
  public var index: Int {
    precondition(reads.contains(.index), "A rule that reads the index says so in `reads`.")
    return itemIndex
  }

  /// How many items the section has.
  ///
  /// - Precondition: The rule reads ``ItemReads/count``.
  public var count: Int {
    precondition(reads.contains(.count), "A rule that reads the count says so in `reads`.")
    return itemCount
  }

  /// Whether no item follows.
  ///
  /// - Precondition: The rule looks ahead, or reads the index and the count.
  public var isLast: Bool { lookahead > 0 ? following.isEmpty : index + 1 == count }

  /// An item after this one.
  ///
  /// - Parameter distance: 1 for the next one.
  /// - Returns: `nil` after the section's last item.
  /// - Precondition: `distance` is at least 1 and at most the rule's lookahead.
  public func next(_ distance: Int = 1) -> LayoutItem? {
    precondition(
      distance >= 1 && distance <= lookahead,
      "A rule that looks \(distance) ahead says so as its `lookahead`.")
    let place = following.startIndex + distance - 1
    return place < following.endIndex ? following[place] : nil
  }
}
