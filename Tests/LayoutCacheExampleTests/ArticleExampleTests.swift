import Foundation
import LayoutCache
import TestSupport
import Testing

// The programs of two articles; the last test holds them together.

struct FeedScreen {
  let cache: LayoutCache
  let layout: LayoutID
  /// The collection view's bounds: what is visible.
  var visible: Rect

  /// layoutAttributesForElements(in:), collectionViewContentSize
  func show() throws -> (elements: [LayoutAttributes], contentSize: Size) {
    try cache.read(layout) { snapshot in
      (try snapshot.elements(in: visible).elements, snapshot.contentSize)
    }
  }

  /// performBatchUpdates(_:), and the attributes for its animation
  mutating func perform(_ batch: [BatchOperation]) throws -> LayoutTransition {
    let before = try cache.read(layout) { $0 }
    try cache.update(layout.dataset, with: batch)
    let transition = try cache.read(layout) { after in
      let kept = try after.contentOffset(keeping: visible, of: before)
      let origin = kept?.contentOffset ?? visible.origin
      return try before.transition(
        to: after, in: visible, becoming: Rect(origin: origin, size: visible.size))
    }
    visible = transition.finalRect
    return transition
  }

  /// beginInteractiveMovementForItem(at:), update…, end…
  func drag(_ key: String, along path: [Point]) throws {
    var movement = try cache.read(layout) { try $0.beginMovement(of: [key]) }
    for point in path {
      let context = try movement.update(to: point, visible: visible)
      animate(try movement.elements(in: visible), context)
    }
    try cache.update(layout.dataset, with: movement.end())
  }

  /// scrollViewWillEndDragging(_:withVelocity:targetContentOffset:)
  func rest(after offset: Point, velocity: ScrollVelocity) throws -> Point {
    try cache.read(layout) {
      try $0.targetContentOffset(
        forProposed: offset, from: visible.origin, velocity: velocity, visibleSize: visible.size)
    }
  }

  private func animate(_ elements: [LayoutAttributes], _ context: InvalidationContext) {}
}

/// The contents of a diffable data source: the keys of sections and items, in order.
struct ShownKeys: Equatable {
  struct Section: Equatable {
    var key: String
    var items: [String]
  }

  var revision: Int
  var sections: [Section] = []
  /// The items for reconfigureItems(_:).
  var reloaded: [String] = []

  /// Reads all keys.
  init(of layout: LayoutID, in cache: LayoutCache) throws {
    self = try cache.read(layout) { snapshot in
      var shown = ShownKeys(revision: snapshot.revision)
      try snapshot.forEachSection { section in
        let number = shown.sections.count
        let items = try snapshot.keys(ofItems: 0..<section.itemCount, inSection: number)
        shown.sections.append(Section(key: section.key, items: items))
        return true
      }
      return shown
    }
  }

  private init(revision: Int) { self.revision = revision }

  /// Applies the changes since `revision`.
  mutating func follow(_ layout: LayoutID, in cache: LayoutCache) throws {
    let changes = try cache.changes(of: layout.dataset, since: revision)
    let isKnown = !changes.updates.everything && changes.updates.sections.isEmpty
    guard isKnown else {
      self = try ShownKeys(of: layout, in: cache)
      return
    }
    // First removes items, from the last to the first, by positions in the old list.
    let removed = changes.updates.items.compactMap(\.before).sorted(by: >)
    for position in removed { sections[position.section].items.remove(at: position.item ?? 0) }
    // Then inserts items, from the first to the last, by positions in the new list.
    for item in changes.updates.items {
      guard let position = item.after else { continue }
      if item.operation == .reload {
        reloaded.append(item.key)
      } else {
        sections[position.section].items.insert(item.key, at: position.item ?? 0)
      }
    }
    revision = changes.revision
  }
}

@Suite struct ArticleExampleTests {
  private let layout = LayoutID("phone", of: "news")

  private func cache() throws -> LayoutCache {
    let cache = try LayoutCache.temporary()
    _ = try cache.importItems(into: "news", mode: .create) { importer in
      for section in ["today", "before"] {
        for number in 0..<20 {
          try importer.add(Item(key: "\(section)-\(number)", width: 1, height: 1), section: section)
        }
      }
    }
    try cache.setLayout(
      layout,
      to: ConfigurationText.decode(
        #"""
        {"container":{"width":100,"height":300},"section":{"columns":1,"header":20},
         "snap":"itemLeading"}
        """#))
    return cache
  }

  @Test func theScreenShowsMovesAndRests() throws {
    let cache = try cache()
    var screen = FeedScreen(
      cache: cache, layout: layout, visible: Rect(x: 0, y: 500, width: 100, height: 300))
    #expect(try screen.show().elements.count == 4)
    #expect(try screen.show().contentSize == Size(width: 100, height: 4040))
    let transition = try screen.perform([
      .insert([try Item(key: "new", width: 1, height: 1)], at: .index(0, section: "today")),
      .delete(keys: ["today-6"]), .delete(keys: ["today-7"]),
    ])
    // The first whole cell was today-5; no cell above it was deleted.
    #expect(screen.visible.origin == Point(x: 0, y: 600))
    #expect(transition.disappearing.map(\.initial.description).count == 2)
    #expect(transition.appearing.map(\.final.description).count == 2)
    #expect(
      try screen.rest(after: Point(x: 0, y: 610), velocity: ScrollVelocity(x: 0, y: 1))
        == Point(x: 0, y: 620))
    try screen.drag("new", along: [Point(x: 50, y: 130), Point(x: 50, y: 3000)])
    let place = try cache.read(layout) { try $0.indexPath(ofKey: "new") }
    // Without the item the section before is shorter, so that the pointer is over one row more.
    #expect(place == .init(section: 1, item: 11))
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func theKeysFollow(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let cache = try cache()
    var shown = try ShownKeys(of: layout, in: cache)
    for step in PropertyRun.each(seed, steps: 30) {
      var batch: [BatchOperation] = []
      let keys = try ShownKeys(of: layout, in: cache).sections.flatMap(\.items)
      for (number, key) in keys.shuffled(using: &generator).prefix(3).enumerated() {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: batch.append(.delete(keys: [key]))
        case 1: batch.append(.move(key: key, to: .index(0, section: "before")))
        case 2: batch.append(.resize(key: key, size: Size(width: 7, height: 9)))
        default:
          let item = try Item(key: "\(step)-\(number)", width: 1, height: 1)
          batch.append(.insert([item], at: .before(key)))
        }
      }
      if generator.oneIn(10) { batch.append(.moveSection(key: "today", index: step % 2)) }
      try cache.update("news", with: batch)
      if generator.oneIn(2) { continue }
      try shown.follow(layout, in: cache)
      shown.reloaded = []
      #expect(shown == (try ShownKeys(of: layout, in: cache)))
    }
  }

  @Test(arguments: [
    ("ComingFromUICollectionView", "struct FeedScreen"),
    ("DrivingADiffableDataSource", "struct ShownKeys"),
  ])
  func theArticleHasTheSameProgram(name: String, start: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let article = try String(
      contentsOf: root.appending(path: "Sources/LayoutCache/LayoutCache.docc/\(name).md"),
      encoding: .utf8)
    let program = try #require(
      article.components(separatedBy: "```swift\n").dropFirst().first?
        .components(separatedBy: "```").first)
    let here = try String(contentsOfFile: #filePath, encoding: .utf8)
    #expect(program.contains(start))
    #expect(here.contains(program))
  }
}
