import LayoutGeometry
import SumTree

// Places in a sorted dataset.

extension DatasetTrees {
  /// Returns the place of a rank among some items of one section: the number of the first item with
  /// a greater one, or the end of the range.
  ///
  /// - Parameter range: Items of one section, in order, counted from the dataset's first.
  /// - Complexity: O(log items with data) nodes; for each of the log2 of the items whose rank has the
  ///   same first bytes, the nodes of a look-up.
  func place(
    of rank: ItemRank, in range: Range<Int>, by order: DatasetOrder, _ session: TreeSession
  ) throws -> Int {
    if range.isEmpty { return range.lowerBound }
    // Items whose ranks begin like this one. Those without data have no rank in the tree.
    var candidates = range
    let prefix = rank.prefix
    func first(
      where isReached: (UInt64) -> Bool
    ) throws -> (before: Int, number: Int, rank: UInt64?) {
      let place = try data.firstPlace(
        from: ItemDataPosition(),
        where: { position in
          position.item > range.lowerBound
            && (position.item > range.upperBound || isReached(position.rank))
        }, in: session)
      guard let place else { return (data.summary.itemCount, range.upperBound, nil) }
      return (
        place.before.item, place.before.item + place.leaf.gaps[place.index],
        place.leaf.ranks.isEmpty ? nil : place.leaf.ranks[place.index]
      )
    }
    if !order.members.isEmpty {
      let least = try first { $0 >= prefix }
      let greater = least.rank == prefix ? try first { $0 > prefix } : least
      let start = min(max(least.before, range.lowerBound), range.upperBound)
      candidates = start..<min(max(greater.number, start), range.upperBound)
    }
    return try candidates.partitioningIndex { try self.rank(ofItem: $0, by: order, session) > rank }
  }

  /// Returns the rank of an item by its number, counted from the dataset's first.
  ///
  /// - Complexity: O(log items) nodes.
  func rank(
    ofItem number: Int, by order: DatasetOrder, _ session: TreeSession
  ) throws -> ItemRank {
    let (leaf, start) = try items.leaf(containing: number, in: session)
    return order.rank(
      ofKey: leaf.key(at: number - start), try data.data(ofItem: number, in: session))
  }

  /// Returns the place of a derived section among those that exist.
  ///
  /// - Complexity: O(log² sections) nodes.
  func place(
    ofSection key: String, by order: DatasetOrder, _ session: TreeSession
  ) throws -> Int {
    let rank = order.rank(ofSection: key)
    return try (0..<sections.count).partitioningIndex {
      let place = try sections.place(at: $0, from: SectionPosition(), in: session)
      return order.rank(ofSection: place.leaf.entries[place.index].key) >= rank
    }
  }

  /// Returns whether the items and derived sections are in an order, and their ranks agree with their
  /// data.
  ///
  /// - Complexity: O(items).
  func isInOrder(_ order: DatasetOrder, _ session: TreeSession) throws -> Bool {
    var isInOrder = true
    var (start, previousSection) = (0, nil as ItemRank?)
    try sections.forEachLeaf(in: session) { leaf, _ in
      for entry in leaf.entries {
        let range = start..<(start + entry.itemCount)
        start = range.upperBound
        let derives = order.sections != nil
        if derives {
          let rank = order.rank(ofSection: entry.key)
          if range.isEmpty || previousSection.map({ $0 >= rank }) ?? false { isInOrder = false }
          previousSection = rank
        }
        var previous: ItemRank?
        try forEachRun(of: range, in: session) { run in
          for (index, data) in run.data.items.enumerated() {
            let rank = order.rank(ofKey: run.key(at: index), data)
            let isPlaced = !derives || ExactKey(order.sectionKey(of: data)) == ExactKey(entry.key)
            if !isPlaced || previous.map({ $0 >= rank }) ?? false { isInOrder = false }
            previous = rank
          }
        }
      }
    }
    try data.forEachLeaf(in: session) { leaf, _ in
      if leaf.ranks != leaf.ranked(by: order).ranks { isInOrder = false }
    }
    return isInOrder
  }
}
