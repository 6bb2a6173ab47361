import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import SumTree
import TestSupport

@testable import LayoutCache

/// A section's items during edits: each with its number of insertion, so that items of the same
/// size can be told apart.
struct EditedItems {
  private(set) var items: [(number: Int, item: Item)] = []
  private var numberNext = 0
  /// The sizes of random items; few, so that some agree.
  private let sizes: [Size]

  init(count: Int, using generator: inout SeededGenerator) {
    sizes = (0..<Int.random(in: 1...9, using: &generator)).map { _ in
      Size(
        width: Length(units: Int64.random(in: 640...12_800, using: &generator)),
        height: Length(units: Int64.random(in: 640...12_800, using: &generator)))
    }
    items = make(count, using: &generator)
  }

  /// Given items, none of which are random.
  init(_ items: [Item]) {
    sizes = [Size(width: .points(1), height: .points(1))]
    self.items = items.enumerated().map { ($0 + 1, $1) }
    numberNext = items.count
  }

  private mutating func make(
    _ count: Int, using generator: inout SeededGenerator
  ) -> [(number: Int, item: Item)] {
    (0..<count).map { _ in
      numberNext += 1
      let span = generator.oneIn(12) ? 0 : 1
      let size = sizes.randomElement(using: &generator)!
      return (numberNext, Item(key: "\(numberNext)", size: size, columnSpan: span))
    }
  }

  /// Replaces some short runs of items, seldom a long one.
  mutating func edit(using generator: inout SeededGenerator) -> ItemHunks {
    var hunks = ItemHunks(count: items.count)
    for _ in 0..<Int.random(in: 1...5, using: &generator) {
      let lengthMax = generator.oneIn(10) ? items.count : 3
      edit(noting: &hunks, lengthMax: lengthMax, using: &generator)
    }
    return hunks
  }

  /// Replaces a run of items.
  mutating func edit(
    noting hunks: inout ItemHunks, lengthMax: Int = 3, using generator: inout SeededGenerator
  ) {
    let start = Int.random(in: 0...items.count, using: &generator)
    let end = min(items.count, start + Int.random(in: 0...lengthMax, using: &generator))
    let new = make(Int.random(in: 0...3, using: &generator), using: &generator)
    items.replaceSubrange(start..<end, with: new)
    hunks.replace(start..<end, withCount: new.count)
  }

  /// The items in a dataset's tree, after some of another section.
  func sectionItems(in session: TreeSession = TreeSession()) throws -> SectionItems {
    var builder = TreeBuilder<ItemLeaf>(shape: TreeShape(leafCapacity: 4, fanOut: 4))
    var run = ItemLeaf()
    for index in 0..<Self.itemCountBefore {
      run.append(Item(key: "before \(index)", size: sizes[0], columnSpan: 1))
    }
    for item in items { run.append(item.item) }
    try builder.append(run)
    let first = Self.itemCountBefore
    return try SectionItems(
      try builder.finish(), in: first..<(first + items.count), try Self.view, .tiny, in: session)
  }

  private static let itemCountBefore = 5

  /// A vertical layout's in a container of 400 points.
  static var view: ItemView {
    get throws { ItemView(layout: 1, space: try layoutPlan("{}").space) }
  }

  /// The plan of a section in a container of 400 points.
  static func plan(_ section: String) throws -> SectionPlan.Kind {
    try layoutPlan(section).section("s", style: nil).kind
  }

  private static func layoutPlan(_ section: String) throws -> LayoutPlan {
    let configuration = try ConfigurationText.decode(
      #"{"container":{"width":400},"section":\#(section)}"#)
    return try LayoutPlan(configuration, custom: CustomKinds(TestKinds.all))
  }
}

extension PlacementChange {
  /// The items of a list that have moved without being named, or whose old or new position is
  /// outside the interval.
  ///
  /// - Parameters:
  ///   - old: The rectangles before, by item number, with the item's index.
  ///   - new: As `old`, after.
  func unnamed(
    _ old: [Int: (index: Int, frame: Rect)], _ new: [Int: (index: Int, frame: Rect)]
  ) -> [Int] {
    func isCovered(_ frame: Rect?) -> Bool {
      guard let frame else { return true }
      guard let interval else { return false }
      return interval.lowerBound <= frame.minY.units && frame.maxY.units <= interval.upperBound
    }
    let changed = new.filter { number, place in
      let before = old[number]
      if before?.frame != place.frame {
        return !items.contains(place.index) || !isCovered(place.frame) || !isCovered(before?.frame)
      }
      return before?.index != place.index && !items.contains(place.index)
    }
    let gone = old.filter { new[$0.key] == nil && !isCovered($0.value.frame) }
    return (Array(changed.keys) + Array(gone.keys)).sorted()
  }
}
