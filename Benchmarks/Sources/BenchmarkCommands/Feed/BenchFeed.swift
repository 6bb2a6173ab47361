import BenchmarkBaselines
import CollectionLayout
import LayoutCache
import LayoutGeometry

/// The items of a benchmark at one size, and the state of the plain arrays.
///
/// One section of items 200 points wide and 100 to 499 high in five columns without gaps, in a
/// container 1,000 points wide and high. Keys have 12 bytes; consecutive items have distant keys in
/// an index.
struct BenchFeed {
  static let dataset = "bench"
  static let layout = "waterfall"
  static let columns = 5
  /// The container's two sides, and the length of a viewport.
  static let side = Length.points(1000)
  /// The natural width of all items, in points.
  static let width = 200
  private static let heights = 100...499

  let itemCount: Int
  /// The positions of the imported items. Resizes do not change them.
  let positions: [PlainArrays.Position]
  /// The starts of the items in units of 1/64 point.
  var arrays: PlainArrays
  /// The natural heights of the items, in points.
  private var heights: [UInt16]

  /// The numbers of the middle hundredth of the items.
  var middle: Range<Int> {
    let half = itemCount / 2
    return half..<(half + max(1, itemCount / 100))
  }

  init(itemCount: Int, using random: inout BenchRandom) {
    self.itemCount = itemCount
    var arrays = PlainArrays(columns: Self.columns)
    var heights: [UInt16] = []
    var positions: [PlainArrays.Position] = []
    heights.reserveCapacity(itemCount)
    positions.reserveCapacity(itemCount)
    for _ in 0..<itemCount {
      let height = Int.random(in: Self.heights, using: &random)
      heights.append(UInt16(height))
      positions.append(arrays.append(length: Self.units(height)))
    }
    (self.arrays, self.heights, self.positions) = (arrays, heights, positions)
  }

  /// The configuration of the engine.
  ///
  /// - Parameter maximumSkew: The difference between columns at which they are rebalanced; the
  ///   engine's default for `nil`.
  static func configuration(maximumSkew: Length?) -> LayoutConfiguration {
    var section = SectionOptions()
    section.kind = .waterfall
    section.columns = .equal(columns)
    section.itemLength = .natural
    section.maximumSkew = maximumSkew
    return LayoutConfiguration(
      container: .init(width: side, height: side), section: section)
  }

  /// The key of an item. Numbers from ``itemCount`` on are items that are not imported.
  func key(_ number: Int) -> String { KeyOrder.random.key(number) }

  /// The natural height of an item, in points.
  func height(_ number: Int) -> Double { Double(heights[number]) }

  /// An imported item.
  func item(_ number: Int) throws -> Item {
    try Item(key: key(number), width: Double(Self.width), height: height(number))
  }

  /// An item with about 110 bytes of data: a title and the address of a picture.
  func itemWithData(_ number: Int) throws -> Item {
    let data = try ItemData(
      json: """
        {"title":"Item \(number), with a title as long as many others are",\
        "picture":"https://example.org/pictures/\(key(number)).jpg"}
        """)
    return try Item(
      key: key(number), width: Double(Self.width), height: height(number), data: data)
  }

  /// An item as stored by hand-written SQL.
  func row(_ number: Int) -> HandWrittenSQL.Row {
    HandWrittenSQL.Row(
      key: key(number), column: positions[number].column, y: arrays.start(of: positions[number]),
      height: Self.units(Int(heights[number])))
  }

  /// An item that is not imported.
  ///
  /// - Parameter number: From ``itemCount`` on.
  func newItem(_ number: Int, using random: inout BenchRandom) throws -> Item {
    try Item(
      key: key(number), width: Double(Self.width),
      height: Double(Int.random(in: Self.heights, using: &random)))
  }

  /// A viewport at a random position of the content, along the main axis in units.
  func viewport(using random: inout BenchRandom) -> Range<Int64> {
    let top = Int64.random(in: 0...max(0, arrays.length - Self.side.units), using: &random)
    return top..<(top + Self.side.units)
  }

  /// Chooses resizes of items, each to a different height, and records their new heights.
  ///
  /// - Parameter numbers: The items to choose from.
  mutating func planResizes(
    _ count: Int, of numbers: Range<Int>, using random: inout BenchRandom
  ) -> [PlannedResize] {
    (0..<count).map { _ in
      let number = Int.random(in: numbers, using: &random)
      let before = Int(heights[number])
      // One of the other heights: values from the present height on are increased by one.
      let other = Int.random(
        in: Self.heights.lowerBound..<Self.heights.upperBound, using: &random)
      let height = other < before ? other : other + 1
      let delta = Self.units(height) - Self.units(before)
      heights[number] = UInt16(height)
      return PlannedResize(
        number: number, position: positions[number], delta: delta,
        operation: .resize(
          key: key(number),
          size: Size(width: .points(Double(Self.width)), height: .points(Double(height)))))
    }
  }

  private static func units(_ points: Int) -> Int64 { Int64(points) * Length.unitsPerPoint }
}

/// One resize, in the forms for the engine and the baselines.
struct PlannedResize {
  /// The item's number in the import.
  var number: Int
  var position: PlainArrays.Position
  /// The increase in length, in units.
  var delta: Int64
  var operation: BatchOperation
}

extension Rect {
  /// Creates the rectangle of a viewport, as wide as the container.
  init(viewport: Range<Int64>) {
    self.init(
      x: .zero, y: Length(units: viewport.lowerBound), width: BenchFeed.side,
      height: Length(units: viewport.upperBound - viewport.lowerBound))
  }
}
