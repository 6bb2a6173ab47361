/// The edits of a simulation.
enum RebalancingScenario: String, CaseIterable {
  /// Random items get random heights.
  case resizes
  /// Items of one column are lengthened in the first half and shortened in the second, at random
  /// positions, so that the ends stay even.
  case halves
  /// The same from the middle outwards: no edit is at a position where the columns differ.
  case outwards
  /// An item is inserted and another one deleted, at random positions.
  case insertsAndDeletes
  /// 40 items are inserted at the top, and 40 deleted at random positions, in one commit.
  case batches

  var text: String {
    switch self {
    case .resizes: "random resizes"
    case .halves: "longer and shorter halves"
    case .outwards: "the same, outwards"
    case .insertsAndDeletes: "inserts and deletes"
    case .batches: "40 at the top, 40 deleted"
    }
  }
}

extension RebalancingSimulation {
  /// Makes the edits of one commit.
  ///
  /// - Returns: The number of items after all edits.
  mutating func edit(_ scenario: RebalancingScenario, number: Int) -> Int {
    switch scenario {
    case .resizes:
      return resize(Int.random(in: 0..<feed.count, using: &random), to: height())
    case .halves:
      let half = feed.count / 2
      return number.isMultiple(of: 2)
        ? resize(itemOfFirstColumn(0..<half), to: Self.longest)
        : resize(itemOfFirstColumn(half..<feed.count), to: Self.shortestHeight)
    case .outwards:
      let half = feed.count / 2
      let distance = max(1, number / 2 * SimulatedFeed.columnCount % half)
      return number.isMultiple(of: 2)
        ? resize(itemOfFirstColumn(near: half - distance), to: Self.longest)
        : resize(itemOfFirstColumn(near: half + distance - 1), to: Self.shortestHeight)
    case .insertsAndDeletes:
      let inserted = insert(at: Int.random(in: 0...feed.count, using: &random))
      return min(inserted, remove(Int.random(in: 0..<feed.count, using: &random)))
    case .batches:
      var rest = Int.max
      for item in 0..<40 { rest = min(rest, insert(at: item)) }
      for _ in 0..<40 {
        rest = min(rest, remove(Int.random(in: 0..<feed.count, using: &random)))
      }
      return rest
    }
  }

  private mutating func height() -> Int {
    Int.random(in: Self.shortestHeight...Self.longest, using: &random)
  }

  private mutating func resize(_ item: Int, to height: Int) -> Int {
    feed[item].height = height
    return feed.count - item - 1
  }

  private mutating func insert(at item: Int) -> Int {
    feed.insert(height: height(), at: item)
    return feed.count - item - 1
  }

  private mutating func remove(_ item: Int) -> Int {
    feed.remove(at: item)
    return feed.count - item
  }

  private mutating func itemOfFirstColumn(_ range: Range<Int>) -> Int {
    itemOfFirstColumn(near: Int.random(in: range, using: &random))
  }

  /// The first item of column 0 at or after an item, or the item itself if there is none nearby.
  private func itemOfFirstColumn(near item: Int) -> Int {
    (item..<min(feed.count, item + 20)).first { feed[$0].column == 0 } ?? item
  }
}
