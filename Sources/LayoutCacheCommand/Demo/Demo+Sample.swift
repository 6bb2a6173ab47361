import CollectionLayout
import DemoSample
import LayoutCache
import LayoutGeometry
import TextFormats

extension Demo {
  /// Imports the bundled sample, replacing the dataset's contents.
  static func importSample(into cache: LayoutCache) throws -> ItemImport.Outcome {
    let work = ItemImport(
      dataset: dataset, mode: .replace, format: .csv,
      options: try ImportOptions([
        .key: "accession", .section: "year", .data: "title,artist,classification",
      ]),
      invalidRows: .skip)
    var sample: UnsafeRawBufferPointer? = UnsafeRawBufferPointer(
      start: demo_sample_bytes(), count: demo_sample_count())
    return try work.run(into: cache, from: "the bundled sample") { body in
      guard let bytes = sample else { return false }
      sample = nil
      try body(bytes)
      return true
    }
  }

  /// The styles of the sections above the years.
  private enum Style {
    static let hero = "hero"
    static let tiles = "tiles"
  }

  /// Inserts two sections before the years: paintings, and a tile for each classification.
  static func insertHomeSections(into cache: LayoutCache) throws {
    var (highlights, highlightedYears): ([Item], Set<String>) = ([], [])
    var counts: [String: Int] = [:]
    try cache.forEachItem(of: dataset) { year, item in
      guard let work = item.data?.string("classification"), !work.isEmpty else { return }
      counts[work, default: 0] += 1
      let isLandscape = item.size.width > item.size.height && item.size.width < item.size.height * 2
      guard work == "painting", isLandscape, highlightedYears.insert(year).inserted else { return }
      highlights.append(
        try Item(
          key: "highlight-\(item.key)", width: item.size.width.points,
          height: item.size.height.points, data: item.data))
    }
    let tiles = try counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { work in
      try Item(
        key: "collection-\(work.key)", width: 4, height: 3,
        data: tileData(title: work.key, subtitle: "\(work.value) works"))
    }
    _ = try cache.update(
      dataset,
      with: [
        .insertSection(key: "Highlights", index: 0, style: Style.hero),
        .insertSection(key: "Collections", index: 1, style: Style.tiles),
        .insert(Array(highlights.prefix(highlightsMax)), at: .end(section: "Highlights")),
        .insert(tiles, at: .end(section: "Collections")),
      ])
  }

  private static let highlightsMax = 12

  private static func tileData(title: String, subtitle: String) throws -> ItemData {
    var json = JSONWriter()
    json.beginObject()
    json.member("title", title)
    json.member("subtitle", subtitle)
    json.endObject()
    return try ItemData(json: String(decoding: json.bytes, as: UTF8.self))
  }

  /// The layout of the feed in any window: a carousel, a grid, and waterfalls with pinned headers.
  static var homeConfiguration: LayoutConfiguration {
    var phone = waterfallOptions(columns: 2)
    // `hero` states no width, so the breakpoints can.
    phone.itemWidth = .fraction(0.84)
    var tablet = SectionOptions()
    tablet.columns = 3
    tablet.itemWidth = .fraction(0.46)
    var desktop = SectionOptions()
    desktop.minimumColumnWidth = 220
    desktop.itemWidth = .fraction(0.31)
    var hero = SectionOptions.carousel(itemLength: .fixed(220), spacing: 8)
    hero.itemWidth = nil
    hero.scrolling = .continuousGroupLeadingBoundary
    hero.pinsHeader = false
    var tiles = SectionOptions.grid(minimumColumnWidth: 170, rowLength: .fixed(72), spacing: 8)
    tiles.pinsHeader = false
    return LayoutConfiguration(
      container: .init(widths: .init()), section: phone,
      breakpoints: [
        Breakpoint(from: 600, options: tablet), Breakpoint(from: 1000, options: desktop),
      ],
      styles: [ExactKey(Style.hero): hero, ExactKey(Style.tiles): tiles])
  }
}
