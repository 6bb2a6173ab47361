import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@Suite struct DamagedReconfigurationTests {
  /// A damaged result can't be updated: the layout is laid out from scratch.
  @Test func reconfiguringADamagedResultLaysOutFromScratch() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path(of: "feeds.sqlite")
    let phone = LayoutID("phone", of: "feed")
    do {
      let cache = try LayoutCache(path: path)
      _ = try cache.importItems(into: "feed", mode: .create) { importer in
        for number in 0..<500 {
          try importer.add(
            Item(key: "\(number)", width: 4, height: Double(1 + number % 7)), section: "s")
        }
      }
      try cache.setLayout(phone, to: Self.configuration(columns: 2))
      try cache.prepare(phone)
      try cache.close()
    }
    try RawDatabase(path: path).execute(
      """
      UPDATE nodes SET payload = zeroblob(length(payload))
      WHERE id / 274877906944 = (SELECT space FROM layouts)
      """)
    let cache = try LayoutCache(path: path)
    let whole = try LayoutCache.temporary()
    try cache.setLayout(phone, to: Self.configuration(columns: 3))
    let found = try cache.read(phone) { try $0.elements(in: Self.everything) }.elements
    _ = try whole.importItems(into: "feed", mode: .create) { importer in
      try cache.forEachItem(of: "feed") { try importer.add($1, section: $0) }
    }
    try whole.setLayout(phone, to: Self.configuration(columns: 3))
    #expect(found == (try whole.read(phone) { try $0.elements(in: Self.everything) }.elements))
    #expect(found.count == 500)
  }

  private static let everything = Rect(
    x: .zero, y: .zero, width: .points(300), height: .points(1_000_000))

  private static func configuration(columns: Int) throws -> LayoutConfiguration {
    try ConfigurationText.decode(
      #"{"container":{"width":300},"section":{"columns":\#(columns)}}"#)
  }
}
