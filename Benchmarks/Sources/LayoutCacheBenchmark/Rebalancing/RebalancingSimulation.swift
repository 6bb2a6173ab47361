/// Five columns of items with heights of 100 to 499 points, in plain arrays, under resizes of
/// random items: how many items a rule places again, and how uneven the columns become.
///
/// The skew is the difference between the longest and the shortest column after an item.
struct RebalancingSimulation {
  /// The results of one run.
  struct Outcome: Equatable {
    var rule: RebalancingRule
    var placed = 0
    /// The commits that place items again.
    var commits = 0
    var placedMax = 0
    var endMax = 0
    /// The skews after all items, when the last resize is done.
    var middleMean = 0.0
    var middleMax = 0
    /// The maximum at 20 times during the run.
    var middleMaxEver = 0
  }

  static let longest = 499
  static let maximumSkew = 2000
  /// The skew above which the ends are uneven.
  static let limit = longest + maximumSkew
  private static let columnCount = 5
  private static let blockSize = 512
  private static let instalment = 1024

  private var heights: [Int] = []
  private var columns: [Int] = []
  /// The sums of blocks of items: those before a place are added up, not those of all items.
  private var blocks: [[Int]]
  private var ends = [Int](repeating: 0, count: columnCount)
  private let rule: RebalancingRule
  private var random: BenchRandom

  init(itemCount: Int, rule: RebalancingRule, seed: UInt64 = 1) {
    self.rule = rule
    random = BenchRandom(seed: seed)
    blocks = Array(
      repeating: [Int](repeating: 0, count: Self.columnCount),
      count: itemCount / Self.blockSize + 1)
    for item in 0..<itemCount {
      heights.append(Self.height(&random))
      columns.append(Self.shortest(ends))
      add(heights[item], to: columns[item], at: item)
    }
  }

  private static func height(_ random: inout BenchRandom) -> Int {
    Int.random(in: 100...longest, using: &random)
  }

  private static func shortest(_ ends: [Int]) -> Int {
    ends.indices.min { ends[$0] < ends[$1] } ?? 0
  }

  private static func skew(_ ends: [Int]) -> Int { (ends.max() ?? 0) - (ends.min() ?? 0) }

  private mutating func add(_ height: Int, to column: Int, at item: Int) {
    blocks[item / Self.blockSize][column] += height
    ends[column] += height
  }

  private func ends(before item: Int) -> [Int] {
    var ends = [Int](repeating: 0, count: Self.columnCount)
    for block in blocks[..<(item / Self.blockSize)] {
      for column in ends.indices { ends[column] += block[column] }
    }
    for before in (item / Self.blockSize * Self.blockSize)..<item {
      ends[columns[before]] += heights[before]
    }
    return ends
  }

  /// Resizes random items, one per commit.
  mutating func run(edits: Int) -> Outcome {
    var outcome = Outcome(rule: rule)
    for edit in 1...max(1, edits) {
      let item = Int.random(in: heights.indices, using: &random)
      let height = Self.height(&random)
      add(height - heights[item], to: columns[item], at: item)
      heights[item] = height
      let placed = Self.skew(ends) > Self.limit ? evenOut() : 0
      outcome.placed += placed
      outcome.commits += placed > 0 ? 1 : 0
      outcome.placedMax = max(outcome.placedMax, placed)
      outcome.endMax = max(outcome.endMax, Self.skew(ends))
      if edit.isMultiple(of: max(1, edits / 20)) || edit == edits {
        (outcome.middleMean, outcome.middleMax) = middle()
        outcome.middleMaxEver = max(outcome.middleMaxEver, outcome.middleMax)
      }
    }
    return outcome
  }

  private func middle() -> (mean: Double, max: Int) {
    var ends = [Int](repeating: 0, count: Self.columnCount)
    var (sum, most) = (0, 0)
    for (height, column) in zip(heights, columns) {
      ends[column] += height
      let skew = Self.skew(ends)
      sum += skew
      most = max(most, skew)
    }
    return (Double(sum) / Double(max(1, heights.count)), most)
  }

  // MARK: - Rules

  /// - Returns: The number of items placed again.
  private mutating func evenOut() -> Int {
    var placed = 0
    if rule == .throughout {
      let isEven = Self.longest + Self.maximumSkew / 2
      var next = firstSkewed(before: heights.count)
      while next < heights.count, Self.skew(ends) > isEven {
        let end = min(heights.count, next + Self.instalment)
        placed += place(from: next, to: end) { _ in false }
        next = end
      }
      return placed
    }
    if rule == .places {
      for _ in 0..<4 {
        let places = (1..<32).map { $0 * heights.count / 32 }
        let skews = places.map { Self.skew(ends(before: $0)) }
        guard let most = skews.max(), most > Self.limit,
          let place = skews.firstIndex(of: most)
        else { break }
        placed += correct(before: places[place])
      }
    }
    while placed < Self.instalment, Self.skew(ends) > Self.limit {
      placed += correct(before: heights.count)
    }
    return placed
  }

  /// Returns, by bisection, an item that makes the columns too uneven.
  private func firstSkewed(before end: Int) -> Int {
    var range = 0..<end
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      let isSkewed = Self.skew(ends(before: middle)) > Self.limit
      range = isSkewed ? range.lowerBound..<middle : middle..<range.upperBound
    }
    return range.lowerBound
  }

  private mutating func correct(before end: Int) -> Int {
    place(from: firstSkewed(before: end), to: heights.count) { Self.skew($0) <= Self.limit }
  }

  /// Places items in the shortest column, up to the first after which the columns are even.
  private mutating func place(
    from first: Int, to end: Int, until isEven: ([Int]) -> Bool
  ) -> Int {
    var state = ends(before: first)
    for item in first..<end {
      let column = Self.shortest(state)
      if column != columns[item] {
        add(-heights[item], to: columns[item], at: item)
        add(heights[item], to: column, at: item)
        columns[item] = column
      }
      state[column] += heights[item]
      if isEven(state) { return item + 1 - first }
    }
    return end - first
  }
}
