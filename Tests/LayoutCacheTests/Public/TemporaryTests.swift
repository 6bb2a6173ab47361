import Foundation
import LayoutCache
import Testing

@Suite struct TemporaryTests {
  @Test func aTemporaryDatabaseIsDeletedWithItsCache() throws {
    var cache: LayoutCache? = try LayoutCache.temporary()
    let path = try #require(cache?.path)
    _ = try cache?.importItems(into: "news", mode: .create) { importer in
      try importer.add(Item(key: "a", width: 4, height: 3))
    }
    let other = try LayoutCache.temporary()
    #expect(try other.datasets().isEmpty)
    #expect(try cache?.datasets().map(\.name) == ["news"])
    #expect(FileManager.default.fileExists(atPath: path))
    try cache?.close()
    cache = nil
    #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
  }
}
