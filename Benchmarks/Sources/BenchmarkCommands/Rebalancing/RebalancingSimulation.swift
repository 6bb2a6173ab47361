/// A simulation of edits on items with heights of 100 to 499 points. Counts the items that a rule
/// places again, and measures the skew of the columns.
struct RebalancingSimulation {
  /// The results of one run.
  struct Outcome: Equatable {
    var rule: RebalancingRule
    var placed = 0
    /// The number of commits that place items again.
    var commits = 0
    var placedMax = 0
    var endMax = 0
    /// The skews after all items, after the last edit.
    var middleMean = 0.0
    var middleMax = 0
    /// The maxima over 200 samples of the run.
    var middleMeanPeak = 0.0
    var middleMaxPeak = 0
  }

  static let shortestHeight = 100
  static let longest = 499
  static let maximumSkew = 2000
  /// The skew above which the ends are uneven.
  static let limit = longest + maximumSkew
  private static let positionLimit = limit + limit / 4
  private static let instalment = 1024
  private static let samples = 200

  var feed = SimulatedFeed()
  var random: BenchRandom
  private let rule: RebalancingRule
  /// The next item, if a great difference is evened out in steps.
  private var next: Int?

  init(itemCount: Int, rule: RebalancingRule, seed: UInt64 = 1) {
    self.rule = rule
    random = BenchRandom(seed: seed)
    for _ in 0..<itemCount {
      feed.append(height: Int.random(in: Self.shortestHeight...Self.longest, using: &random))
    }
  }

  /// Edits the feed, one commit after the other.
  mutating func run(_ scenario: RebalancingScenario, commits: Int) -> Outcome {
    var outcome = Outcome(rule: rule)
    for number in 0..<commits {
      let rest = edit(scenario, number: number)
      let placed = evenOut(after: feed.count - rest)
      outcome.placed += placed
      outcome.commits += placed > 0 ? 1 : 0
      outcome.placedMax = max(outcome.placedMax, placed)
      outcome.endMax = max(outcome.endMax, SimulatedFeed.skew(feed.ends))
      if number.isMultiple(of: max(1, commits / Self.samples)) || number == commits - 1 {
        (outcome.middleMean, outcome.middleMax) = feed.skews
        outcome.middleMeanPeak = max(outcome.middleMeanPeak, outcome.middleMean)
        outcome.middleMaxPeak = max(outcome.middleMaxPeak, outcome.middleMax)
      }
    }
    return outcome
  }

  // MARK: - Rules

  private func isSkewed(before item: Int, above limit: Int) -> Bool {
    SimulatedFeed.skew(feed.ends(before: item)) > limit
  }

  /// - Parameter item: The first item after all edits.
  /// - Returns: The number of items placed again.
  private mutating func evenOut(after item: Int) -> Int {
    if rule == .throughout { return placeToTheEnd() }
    var placed = rule == .edits && next == nil ? correct(after: item) : 0
    if let present = next { return placed + placeStep(from: min(present, feed.count)) }
    let skew = SimulatedFeed.skew(feed.ends)
    if skew > 2 * Self.limit {
      return placed + placeStep(from: firstSkewed(before: feed.count))
    }
    for _ in 0..<32 where SimulatedFeed.skew(feed.ends) > Self.limit {
      placed += correct(before: feed.count).placed
    }
    return placed
  }

  private mutating func placeToTheEnd() -> Int {
    guard SimulatedFeed.skew(feed.ends) > Self.limit else { return 0 }
    var placed = 0
    var next = firstSkewed(before: feed.count)
    while next < feed.count, SimulatedFeed.skew(feed.ends) > Self.longest + Self.maximumSkew / 2 {
      let end = min(feed.count, next + Self.instalment)
      placed += place(from: next, to: end) { _ in false }
      next = end
    }
    return placed
  }

  /// Continues to even out a great difference.
  private mutating func placeStep(from first: Int) -> Int {
    let end = min(feed.count, first + Self.instalment)
    let placed = place(from: first, to: end) { _ in false }
    let isEven = SimulatedFeed.skew(feed.ends) <= Self.longest + Self.maximumSkew / 2
    next = isEven || end == feed.count ? nil : end
    return placed
  }

  /// Corrects before the position of the edits, or before a later one. LayoutCache derives the
  /// later position from the index in a similar way, by `RebalanceRules.laterPlace`.
  private mutating func correct(after item: Int) -> Int {
    var number = BenchRandom(seed: UInt64(item) &- 0x9E37_79B9_7F4A_7C15)
    let later = item + (feed.count - item) >> Int(number.next() % 16)
    guard item < feed.count, SimulatedFeed.skew(feed.ends) <= 2 * Self.limit,
      let position = [item, later].first(where: { isSkewed(before: $0, above: Self.positionLimit) })
    else { return 0 }
    var placed = 0
    for _ in 0..<2 {
      let correction = correct(before: position)
      placed += correction.placed
      guard correction.hasHelped, isSkewed(before: position, above: Self.positionLimit) else {
        break
      }
    }
    return placed
  }

  /// Returns an item at which the columns become too uneven, found by bisection.
  private func firstSkewed(before end: Int) -> Int {
    var range = 0..<end
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range =
        isSkewed(before: middle, above: Self.limit)
        ? range.lowerBound..<middle : middle..<range.upperBound
    }
    return range.lowerBound
  }

  private mutating func correct(before end: Int) -> (placed: Int, hasHelped: Bool) {
    let first = firstSkewed(before: end)
    let before = feed.ends
    let placed = place(from: first, to: feed.count) { SimulatedFeed.skew($0) <= Self.limit }
    return (placed, feed.ends != before)
  }

  /// Places items again in the shortest column, up to the first after which the columns are even.
  private mutating func place(
    from first: Int, to end: Int, until isEven: ([Int]) -> Bool
  ) -> Int {
    var state = feed.ends(before: first)
    for item in first..<end {
      let (height, column) = (feed[item].height, SimulatedFeed.shortest(state))
      if column != feed[item].column { feed[item].column = column }
      state[column] += height
      if isEven(state) { return item + 1 - first }
    }
    return end - first
  }
}
