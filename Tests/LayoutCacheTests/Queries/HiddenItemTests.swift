import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

/// Hidden items keep their places, collapsed ones have none.
@Suite struct HiddenItemTests {
  private static let kinds =
    KindExample.every + [KindExample(name: "custom", members: #""kind":"timeline""#)]

  private static func section(_ hidden: [Int: OracleVisibility] = [:]) -> OracleSection {
    var sizes: [(Double, Double)] = []
    for index: Int in 0..<24 {
      let width: Int = 40 + index % 5 * 9
      let height: Int = 30 + index * 7 % 40
      sizes.append((Double(width), Double(height)))
    }
    var section = OracleSection("s", sizes: sizes)
    for (index, visibility) in hidden { section.items[index].visibility = visibility }
    return section
  }

  private static let hidden: [Int: OracleVisibility] = [
    0: .collapsed, 3: .hidden, 7: .collapsed, 8: .collapsed, 12: .hidden, 23: .collapsed,
  ]

  /// The frames of all items by key, and those of the cells of a rectangle around all.
  private func frames(
    _ feed: TestFeed
  ) throws -> (all: [String: LayoutAttributes], found: Set<String>, length: Length) {
    try feed.read { snapshot in
      let keys = try snapshot.keys(ofItems: 0..<100, inSection: 0)
      let cells = try keys.map { try #require(try snapshot.attributes(forKey: $0)) }
      let far = Rect(x: -999, y: -999, width: 99_999, height: 99_999)
      let found = try snapshot.elements(in: far).elements.compactMap(\.key)
      return (
        Dictionary(uniqueKeysWithValues: zip(keys, cells)), Set(found),
        snapshot.contentSize.height
      )
    }
  }

  @Test(arguments: kinds)
  func othersArePlacedAsWithoutCollapsedItems(kind: KindExample) throws {
    let configuration = kind.configuration()
    var without = Self.section()
    without.items = without.items.enumerated()
      .filter { Self.hidden[$0.offset] != .collapsed }.map(\.element)
    let (expected, _, length) = try frames(TestFeed([without], configuration: configuration))
    // Imported, and then hidden by a batch of a layout from scratch.
    let imported = try TestFeed([Self.section(Self.hidden)], configuration: configuration)
    let edited = try TestFeed([Self.section()], configuration: configuration)
    try edited.read { _ in }
    try edited.cache.update(
      "feed",
      with: Self.hidden.sorted { $0.key < $1.key }.map {
        .hide(keys: ["s-\($0.key)"], ItemVisibility($0.value))
      } + [.invalidate(layout: "layout", everything: true)])
    for feed in [imported, edited] {
      let present = try frames(feed)
      #expect(present.length == length)
      for (index, item) in Self.section().items.enumerated() {
        let cell = try #require(present.all[item.key])
        #expect(cell.indexPath.item == index)
        #expect(cell.isHidden == (Self.hidden[index] != nil))
        if cell.isHidden { #expect(!present.found.contains(item.key)) }
        guard Self.hidden[index] == .collapsed else {
          #expect(cell.frame == expected[item.key]?.frame, "\(item.key)")
          continue
        }
        let next = Self.section().items[index...].first { expected[$0.key] != nil }
        let origin =
          next.flatMap { expected[$0.key]?.frame.origin } ?? Point(x: .zero, y: length)
        #expect(cell.frame == Rect(origin: origin, size: .zero), "\(item.key)")
      }
      #expect(try feed.cache.verify(dataset: "feed").problems.isEmpty)
    }
  }

  @Test(arguments: kinds)
  func anUndoShowsItemsWhereTheyWere(kind: KindExample) throws {
    let feed = try TestFeed([Self.section()], configuration: kind.configuration())
    let shown = try frames(feed)
    let keys = Self.section().items.map(\.key)
    try feed.cache.update(
      "feed",
      with: [.hide(keys: Array(keys[3...9]), .collapsed), .hide(keys: [keys[1]], .hidden)])
    #expect(try frames(feed).found.count <= 16)
    try feed.cache.undo("feed")
    let back = try frames(feed)
    #expect(back.all == shown.all && back.found == shown.found)
  }

  @Test func aChangeIsReportedAsAReload() throws {
    let feed = try TestFeed(
      [Self.section()], configuration: KindExample.waterfall.configuration())
    try feed.read { _ in }
    let hide = BatchOperation.hide(keys: ["s-4", "s-2"], .collapsed)
    let commit = try feed.cache.update("feed", with: [hide])
    #expect(commit.updates.items.map(\.operation) == [.reload, .reload])
    #expect(commit.updates.items.map(\.key) == ["s-2", "s-4"])
    let context = try #require(commit.layouts["layout"]?.context)
    #expect(context.section(0)?.items == RangeSet(2..<24))
    #expect(!context.invalidateDataSourceCounts)
    #expect(try feed.cache.update("feed", with: [hide]).revision == commit.revision)
    #expect(throws: LayoutCacheError.self) {
      try feed.cache.update("feed", with: [.hide(keys: ["s-4", "none"], .shown)])
    }
  }

  @Test func pagesAreAsLongAsAskedFor() throws {
    let feed = try TestFeed(
      [Self.section(Self.hidden)], configuration: KindExample.flow.configuration())
    try feed.read { snapshot in
      let page = try snapshot.elements(fromKey: "s-0", count: 6)
      #expect(page.elements.compactMap(\.indexPath.item) == [1, 2, 4, 5, 6, 9])
      let rest = try snapshot.elements(after: #require(page.next), limit: 99)
      #expect(rest.elements.compactMap(\.indexPath.item) == [10, 11] + Array(13...22))
      #expect(rest.next == nil)
      let back = try snapshot.elements(fromKey: "s-9", count: 3, backward: true)
      #expect(back.elements.compactMap(\.indexPath.item) == [9, 6, 5])
    }
  }

  /// Items that come back take the columns that an undo restores, and lengths measured before.
  @Test func measuredLengthsStay() throws {
    let feed = try TestFeed(
      [Self.section()], configuration: KindExample.waterfall.configuration())
    try feed.cache.update("feed", with: [.prefer(layout: "layout", key: "s-5", length: 77)])
    try feed.cache.update("feed", with: [.hide(keys: ["s-5"], .collapsed)])
    #expect(try feed.read { try $0.attributes(forKey: "s-5") }?.frame.size == .zero)
    try feed.cache.update("feed", with: [.hide(keys: ["s-5"], .hidden)])
    #expect(try feed.read { try $0.attributes(forKey: "s-5") }?.frame.size.height == 77)
  }

  @Test func unknownFlagsAreDamage() throws {
    var leaf = ItemLeaf()
    leaf.append(Item(key: "a", size: Size(width: 1, height: 1), columnSpan: 1))
    let shown = leaf
    leaf.append(
      Item(key: "b", size: Size(width: 1, height: 1), columnSpan: 1, visibility: .collapsed))
    var writer = ByteWriter()
    leaf.encode(into: &writer)
    var bytes = writer.bytes
    #expect(bytes.suffix(2) == [0, 2])
    #expect(leaf.slice(0..<1) == shown, "a neighbour's flags do not matter")
    #expect(try ByteReader.read(bytes) { try ItemLeaf(from: &$0) } == leaf)
    for flags: UInt8 in [3, 4, 0x82] {
      bytes[bytes.count - 1] = flags
      #expect(throws: ByteError.self) { try ByteReader.read(bytes) { try ItemLeaf(from: &$0) } }
    }
  }
}

extension LayoutAttributes {
  fileprivate var key: String? { if case .cell(let key) = category { key } else { nil } }
}

extension Size {
  fileprivate static let zero = Size(width: .zero, height: .zero)
}
