/// The measured operations. The names are those of the JSON rows.
enum BenchOperation: String, CaseIterable {
  case visibleRect
  case visibleRectScrolling
  case visibleRectKept
  case visibleRectRead
  case visibleRectData
  case firstQuery
  case openAndFirstQuery
  case firstResize
  case insertFresh
  case deleteFresh
  case insertRandom
  case deleteRandom
  case resizeRandom
  case resizeMiddle
  case resizeMiddleFull
  case prepend40
  case deleteTop40
  case moveRandom
  case moveToSection
  case moveBack
  case resizeMany
  case resizeManyCold
  case resizeManyRebalancing
  case importAndLayOut

  var title: String {
    switch self {
    case .visibleRect: "visible rect at a random position"
    case .visibleRectScrolling: "visible rect, scrolling"
    case .visibleRectKept: "visible rect, repeated"
    case .visibleRectRead: "visible rect, with the revision check"
    case .visibleRectData: "visible rect, with the items' data"
    case .firstQuery: "first query, file just opened"
    case .openAndFirstQuery: "open the file and query"
    case .resizeRandom: "resize at a random position"
    case .resizeMiddle: "resize in the middle"
    case .resizeMiddleFull: "resize in the middle, FULL"
    case .firstResize: "resize, file just opened"
    case .insertFresh: "insert at a random position, just imported"
    case .deleteFresh: "delete that item, just imported"
    case .insertRandom: "insert at a random position"
    case .deleteRandom: "delete that item"
    case .moveRandom: "move to a random position"
    case .prepend40: "insert 40 at the top"
    case .deleteTop40: "delete 40 from the top"
    case .moveToSection: "move to another section"
    case .moveBack: "move back"
    case .resizeMany: "resizes, checkpoints included"
    case .resizeManyCold: "the same, starting with an empty cache"
    case .resizeManyRebalancing: "resizes, default rebalancing"
    case .importAndLayOut: "import and first layout, per item"
    }
  }

  /// Whether the means are compared, which include rare long calls, instead of the medians.
  var comparesMeans: Bool {
    switch self {
    case .resizeMany, .resizeManyCold, .resizeManyRebalancing, .importAndLayOut: true
    default: false
    }
  }

  /// The target at 1,000,000 items, relative to the first baseline; `nil` without a target.
  var target: BenchTarget? {
    switch self {
    case .visibleRect, .visibleRectScrolling, .visibleRectKept:
      BenchTarget(statistic: .medianRatio, atMost: 1.5)
    case .openAndFirstQuery: BenchTarget(statistic: .medianRatio, atMost: 1.1)
    case .resizeRandom, .resizeMiddle: BenchTarget(statistic: .medianRatio, atMost: 3.5)
    case .resizeMiddleFull: BenchTarget(statistic: .medianRatio, atMost: 1.3)
    case .insertFresh, .deleteFresh, .insertRandom, .deleteRandom:
      BenchTarget(statistic: .medianRatio, atMost: 5)
    case .prepend40: BenchTarget(statistic: .medianRatio, atMost: 15)
    case .moveRandom: BenchTarget(statistic: .medianRatio, atMost: 7)
    case .resizeMany: BenchTarget(statistic: .meanRatio, atMost: 4)
    case .resizeManyRebalancing: BenchTarget(statistic: .meanRatio, atMost: 1.2)
    case .importAndLayOut: BenchTarget(statistic: .meanRatio, atMost: 1)
    default: nil
    }
  }

  /// The maximum growth of the figure from the smallest size to the largest; `nil` without a
  /// limit. The figure is the time of queries, and the ratio of changes to a bare commit, whose
  /// cost does not depend on the size.
  var growthMax: Double? {
    switch self {
    case .visibleRect, .openAndFirstQuery, .resizeRandom, .resizeMiddle, .insertFresh,
      .deleteFresh, .insertRandom, .deleteRandom, .moveRandom, .prepend40, .resizeMany:
      2
    default: nil
    }
  }
}
