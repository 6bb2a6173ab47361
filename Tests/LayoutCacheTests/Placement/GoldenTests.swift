import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Each file in Golden holds an input, the expected frames and the method they were computed
// with, which is never this engine: they cannot be updated automatically.

@Suite struct GoldenTests {
  struct Golden: Decodable {
    var recipe: String
    var configuration: LayoutConfiguration
    /// Natural [width, height] in points.
    var items: [[Double]]
    /// [width, height] in points.
    var contentSize: [Double]
    /// [x, y, width, height] in points, by item.
    var frames: [[Double]]
  }

  static let files: [String] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Golden")
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    // Without the folder the list is empty, and `thereAreGoldenFiles` fails.
    return (names ?? []).sorted().map { folder.appending(path: $0).path }
  }()

  @Test func thereAreGoldenFiles() {
    #expect(!Self.files.isEmpty)
  }

  @Test(arguments: files)
  func framesEqualThoseOfTheFile(path: String) throws {
    let golden = try JSONDecoder().decode(Golden.self, from: Data(contentsOf: URL(filePath: path)))
    let feed = try TestFeed([
      OracleSection("s", sizes: golden.items.map { ($0[0], $0[1]) })
    ])
    try feed.cache.setLayout(LayoutID("layout", of: "feed"), to: golden.configuration)
    try feed.read { snapshot in
      let size = snapshot.contentSize
      #expect([size.width.points, size.height.points] == golden.contentSize)
      let found = try snapshot.elements(in: Rect(origin: .zero, size: size)).elements.map {
        [
          $0.frame.minX.points, $0.frame.minY.points, $0.frame.size.width.points,
          $0.frame.size.height.points,
        ]
      }
      #expect(found == golden.frames)
    }
  }
}
