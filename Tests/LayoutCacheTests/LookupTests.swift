import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

/// Items and sections by their keys, without a layout.
@Suite struct LookupTests {
  private static let sections = [
    OracleSection("first", sizes: [(1, 2), (3, 4)]), OracleSection("empty", sizes: []),
    OracleSection("last", sizes: [(5, 6), (7, 8), (9, 10)]),
  ]

  @Test func anItemIsFoundWhereItStands() throws {
    let feed = try TestFeed(Self.sections)
    for (index, section) in Self.sections.enumerated() {
      for (number, item) in section.items.enumerated() {
        let found = try #require(try feed.cache.item(forKey: item.key, of: "feed"))
        #expect(found.item.size.width.points == item.width)
        #expect(found.item.size.height.points == item.height)
        #expect(found.sectionKey == section.key)
        #expect(found.indexPath.section == index && found.indexPath.item == number)
        #expect(found.revision == 1)
      }
    }
    #expect(try feed.cache.item(forKey: "nowhere", of: "feed") == nil)
  }

  @Test func aSectionIsFoundWithItsItems() throws {
    let feed = try TestFeed(Self.sections)
    let empty = try #require(try feed.cache.section(forKey: "empty", of: "feed"))
    #expect(empty.index == 1 && empty.section.firstItem == 2 && empty.section.itemCount == 0)
    let last = try #require(try feed.cache.section(forKey: "last", of: "feed"))
    #expect(last.index == 2 && last.section.firstItem == 2 && last.section.itemCount == 3)
    #expect(try feed.cache.section(forKey: "nowhere", of: "feed") == nil)
  }

  /// What another cache has committed is seen, and what this one has.
  @Test func lookupsFollowChanges() throws {
    let feed = try TestFeed(Self.sections)
    let other = try LayoutCache(path: feed.path)
    let key = Self.sections[2].items[0].key
    try feed.cache.update("feed", with: [.move(key: key, to: .index(0, section: "first"))])
    for cache in [feed.cache, other] {
      let found = try #require(try cache.item(forKey: key, of: "feed"))
      #expect(found.sectionKey == "first" && found.indexPath.item == 0 && found.revision == 2)
    }
    try other.update("feed", with: [.delete(keys: [key])])
    #expect(try feed.cache.item(forKey: key, of: "feed") == nil)
    #expect(throws: LayoutCacheError.self) { try other.item(forKey: key, of: "elsewhere") }
  }
}
