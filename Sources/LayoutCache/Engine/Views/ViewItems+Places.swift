import SumTree

// Positions in a view at which pages end and begin.

extension ViewItems {
  /// Returns the place of an item of the view; `nil` if its rank is too long for a token.
  ///
  /// - Complexity: O(log items) nodes.
  func place(ofKey key: String, _ session: TreeSession) throws -> ViewPlace? {
    if let order {
      guard let number = try trees.itemIndex(ofKey: key, in: session) else {
        throw Damage.misplaced
      }
      let rank = try trees.rank(ofItem: number, by: order, session)
      return rank.bytes.count > ViewPlace.rankBytesMax
        ? nil : .rank(prefix: rank.prefix, bytes: rank.bytes)
    }
    guard let number = try base.itemIndex(ofKey: key, in: session),
      let place = try base.place(ofItem: number, in: session)
    else { throw Damage.misplaced }
    return .dataset(section: place.section.index, item: place.item)
  }

  /// Returns the number of items that are in the view's order before the item at which a page after
  /// an item with a rank begins.
  func number(after rank: ItemRank, isBackward: Bool, _ session: TreeSession) throws -> Int {
    guard let order else { throw Damage.misplaced }
    let number = try trees.place(of: rank, in: 0..<trees.items.count, by: order, session)
    guard isBackward, number > 0 else { return number }
    return try trees.rank(ofItem: number - 1, by: order, session) == rank ? number - 1 : number
  }

  /// Returns the position of a continuation's last item in the dataset, or after it.
  func place(of continuation: Continuation, _ session: TreeSession) throws -> ElementAddress? {
    guard let key = continuation.key, let number = try base.itemIndex(ofKey: key, in: session),
      let found = try base.place(ofItem: number, in: session)
    else { return nil }
    let place = ElementAddress(section: found.section.index, part: .cells, item: found.item)
    return continuation.subject.isBackward ? place : place.next
  }

  /// Returns the position in the view for one in the dataset.
  ///
  /// - Complexity: O(log² items) nodes.
  func place(at other: ElementAddress, _ session: TreeSession) throws -> ElementAddress {
    guard other.section < base.sections.count else {
      return ElementAddress(section: trees.sections.count, part: .background)
    }
    let place = try base.sections.place(at: other.section, from: SectionPosition(), in: session)
    let key = place.leaf.entries[place.index].key
    guard let section = try trees.sectionIndex(ofKey: key, in: session) else {
      return ElementAddress(
        section: try index(ofSection: other.section, session), part: .background)
    }
    guard other.part == .cells else {
      return ElementAddress(section: section, part: other.part, item: other.item)
    }
    let number = place.before.item + other.item
    let range = try trees.items(ofSection: section, in: session)
    let item = try trees.firstItem(in: range, session) {
      try base.itemIndex(ofKey: $0, in: session).map { $0 >= number } ?? false
    }
    return ElementAddress(section: section, part: .cells, item: item - range.lowerBound)
  }

  /// Returns the number of the view's sections before a section of the dataset.
  ///
  /// - Complexity: O(log² sections) nodes.
  private func index(ofSection index: Int, _ session: TreeSession) throws -> Int {
    try trees.firstSection(session) {
      try base.sectionIndex(ofKey: $0, in: session).map { $0 >= index } ?? false
    }
  }
}

extension DatasetTrees {
  /// Returns the number of the first item of a range whose key is in its second part.
  ///
  /// - Parameter isInSecond: Whether an item's key is in it; all of the first part come before.
  /// - Complexity: O(log items) look-ups.
  func firstItem(
    in range: Range<Int>, _ session: TreeSession, where isInSecond: (String) throws -> Bool
  ) throws -> Int {
    try range.partitioningIndex { number in
      let place = try items.place(at: number, in: session)
      return try isInSecond(place.leaf.key(at: place.index))
    }
  }

  /// As ``firstItem(in:_:where:)``, for all sections.
  func firstSection(
    _ session: TreeSession, where isInSecond: (String) throws -> Bool
  ) throws -> Int {
    try (0..<sections.count).partitioningIndex { index in
      let place = try sections.place(at: index, from: SectionPosition(), in: session)
      return try isInSecond(place.leaf.entries[place.index].key)
    }
  }
}
