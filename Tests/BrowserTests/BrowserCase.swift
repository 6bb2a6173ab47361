import CollectionLayout
import LayoutCache
import LayoutGeometry
import TestSupport

/// A feed of one section with its configuration, and the equivalent page in CSS.
struct BrowserCase {
  /// The seed and step of the case.
  var origin: String
  var configuration: LayoutConfiguration
  var items: [Item]
  var page: BrowserPage
}

extension BrowserCase {
  /// The engine's layout compared with the browser's.
  func agreement(with answer: Browser.Answer) throws -> Agreement {
    let (size, frames) = try layOut()
    let browserSize = UnitSize(
      width: try Self.units(answer.size[0]), height: try Self.units(answer.size[1]))
    let browser = try answer.items.map {
      UnitRect(
        x: try Self.units($0[0]), y: try Self.units($0[1]), width: try Self.units($0[2]),
        height: try Self.units($0[3]))
    }
    return Agreement(
      engine: frames.map { fromLeadingEdge($0, width: size.width) },
      browser: browser.map { fromLeadingEdge($0, width: browserSize.width) },
      engineSize: size, browserSize: browserSize)
  }

  /// The frames of all items by the library, through a file.
  private func layOut() throws -> (size: UnitSize, frames: [UnitRect]) {
    let directory = try TemporaryDirectory()
    let cache = try LayoutCache(path: directory.path(of: "feed.sqlite"))
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for item in items { try importer.add(item, section: "main") }
    }
    try cache.setLayout(LayoutID("layout", of: "feed"), to: configuration)
    return try cache.read(LayoutID("layout", of: "feed")) { snapshot in
      let size = snapshot.contentSize
      let page = try snapshot.elements(in: Rect(origin: .zero, size: size))
      return (
        UnitSize(width: size.width.units, height: size.height.units),
        page.elements.map {
          UnitRect(
            x: $0.frame.minX.units, y: $0.frame.minY.units, width: $0.frame.size.width.units,
            height: $0.frame.size.height.units)
        }
      )
    }
  }

  private func fromLeadingEdge(_ frame: UnitRect, width: Int64) -> UnitRect {
    guard configuration.layoutDirection == .rightToLeft else { return frame }
    var frame = frame
    frame.x = width - frame.maxX
    return frame
  }

  /// A browser's length, which is a whole number of units as long as a Float can hold it.
  private static func units(_ pixels: Double) throws -> Int64 {
    guard let units = Int64(exactly: pixels * 64), abs(units) < 1 << 24 else {
      throw Browser.Failure(reason: "\(pixels) pixels are no number of units below 2^24")
    }
    return units
  }
}
