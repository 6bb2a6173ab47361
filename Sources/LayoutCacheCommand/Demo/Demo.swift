import CollectionLayout
import DemoSample
import LayoutCache
import LayoutGeometry
import TextFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The bundled sample as a museum's home feed: laid out at three widths, with one item edited, and
/// the cost of the same work with many more items.
struct Demo {
  /// The layout at one width.
  struct Scene {
    var device: String
    var layout: String
    var columns: Int
    var contentSize: Size
    var layOutDuration: Duration
    var window: Rect
    /// The elements of the window, with nodes read from the file.
    var visible: QueryAnswer
    /// The duration of the same query with all nodes in memory.
    var warmDuration: Duration
    /// The beginning of the feed.
    var picture: Picture
  }

  static let dataset = "tate"
  static let databaseDefault = "layoutcache-demo.sqlite"
  private static let height: Length = 844

  let path: String
  let outcome: ItemImport.Outcome
  let importDuration: Duration
  let scenes: [Scene]
  let edit: (key: String, title: String, commit: Commit, duration: Duration)
  /// The edited item's window before and after the edit.
  let pictures: [Picture]
  let itemCount: Int
  let fileBytes: Int
  /// The measurement with many items; `nil` if none was requested.
  let trial: DemoTrial?

  /// Runs the demo on a database.
  ///
  /// - Parameter count: The number of items to measure with; 0 for no measurement.
  init(in cache: LayoutCache, measuringWith count: Int) throws {
    path = cache.path
    (outcome, importDuration) = try timed { try Self.importSample(into: cache) }
    try Self.insertHomeSections(into: cache)
    try cache.setLayout(LayoutID("feed", of: Self.dataset), to: Self.configuration)
    scenes = try [("phone", 384), ("tablet", 768), ("desktop", 1200)].map {
      try Self.scene($0.0, width: $0.1, in: cache)
    }
    // Layouts of one width, which the examples of the help name.
    for (name, width, columns) in [("phone", 390, 2), ("desktop", 1200, 5)] {
      try cache.setLayout(
        LayoutID(name, of: Self.dataset),
        to: LayoutConfiguration(
          container: .init(width: .points(Double(width)), height: Self.height),
          section: waterfall(columns: columns)))
    }
    let id = LayoutID("phone", of: Self.dataset)
    let window = try cache.read(id) { try Self.window(width: 390, in: $0) }
    let before = try cache.read(id) { try Picture(of: window, in: $0) }
    edit = try Self.edit(in: window, of: id, cache)
    let changes = try cache.changes(
      of: Self.dataset, since: edit.commit.revision - 1, layout: id.layout)
    pictures = [before, try cache.read(id) { try Picture(of: window, in: $0).marking(changes) }]
    itemCount = try cache.dataset(Self.dataset).itemCount
    fileBytes = try cache.inspect().fileBytes
    trial = count == 0 ? nil : try DemoTrial(in: cache, itemCount: count)
  }

  /// Deletes the database of an earlier demo from the current directory.
  ///
  /// - Throws: ``LayoutCacheError`` if the file is not such a database, which is then not
  ///   deleted; ``Failure``.
  static func removeEarlierDatabase() throws {
    guard access(databaseDefault, F_OK) == 0 else { return }
    try DatabaseOptions.withCache(at: databaseDefault, createsFile: false) { _ in }
    for path in [databaseDefault, databaseDefault + "-wal", databaseDefault + "-shm"] {
      if unlink(path) != 0 && errno != ENOENT {
        throw Failure(.inputOutput, "cannot remove \(path)", errno: errno)
      }
    }
  }

  private static func importSample(into cache: LayoutCache) throws -> ItemImport.Outcome {
    var options = ImportOptions()
    try options.set(.key, "accession")
    try options.set(.section, "year")
    try options.set(.data, "title,artist,classification")
    let work = ItemImport(
      dataset: dataset, mode: .replace, format: .csv, options: options, invalidRows: .skip)
    var sample: UnsafeRawBufferPointer? = UnsafeRawBufferPointer(
      start: demo_sample_bytes(), count: demo_sample_count())
    return try work.run(into: cache, from: "the bundled sample") { body in
      guard let bytes = sample else { return false }
      sample = nil
      try body(bytes)
      return true
    }
  }

  /// Inserts two sections before the years: paintings, and a tile for each classification.
  private static func insertHomeSections(into cache: LayoutCache) throws {
    var (highlights, years, counts) = ([Item](), Set<String>(), [String: Int]())
    try cache.forEachItem(of: dataset) { year, item in
      guard let work = item.data?.string("classification"), !work.isEmpty else { return }
      counts[work, default: 0] += 1
      let isLandscape = item.size.width > item.size.height && item.size.width < item.size.height * 2
      guard work == "painting", isLandscape, years.insert(year).inserted else { return }
      highlights.append(
        try Item(
          key: "highlight-\(item.key)", width: item.size.width.points,
          height: item.size.height.points, data: item.data))
    }
    let tiles = try counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { work in
      try Item(
        key: "collection-\(work.key)", width: 4, height: 3,
        data: ItemData(json: #"{"title":"\#(work.key)","subtitle":"\#(work.value) works"}"#))
    }
    _ = try cache.update(
      dataset,
      with: [
        .insertSection(key: "Highlights", index: 0, style: "hero"),
        .insertSection(key: "Collections", index: 1, style: "tiles"),
        .insert(Array(highlights.prefix(12)), at: .end(section: "Highlights")),
        .insert(tiles, at: .end(section: "Collections")),
      ])
  }

  /// The layout of the feed in any window: a carousel, a grid, and waterfalls with pinned headers.
  private static var configuration: LayoutConfiguration {
    var (phone, tablet, desktop) = (waterfall(columns: 2), SectionOptions(), SectionOptions())
    // `hero` states no width, so the breakpoints can.
    (phone.itemWidth, tablet.itemWidth, desktop.itemWidth) = (
      .fraction(0.84), .fraction(0.46), .fraction(0.31)
    )
    (tablet.columns, desktop.minimumColumnWidth) = (3, 220)
    var hero = SectionOptions.carousel(itemLength: .fixed(220), spacing: 8)
    (hero.itemWidth, hero.scrolling, hero.pinsHeader) = (
      nil, .continuousGroupLeadingBoundary, false
    )
    var tiles = SectionOptions.grid(minimumColumnWidth: 170, rowLength: .fixed(72), spacing: 8)
    tiles.pinsHeader = false
    return LayoutConfiguration(
      container: .init(widths: .init()), section: phone,
      breakpoints: [
        Breakpoint(from: 600, options: tablet), Breakpoint(from: 1000, options: desktop),
      ],
      styles: ["hero": hero, "tiles": tiles])
  }

  private static func scene(
    _ device: String, width: Length, in cache: LayoutCache
  ) throws -> Scene {
    let id = LayoutID("feed@\(width)", of: dataset)
    let layOutDuration = try timed { try cache.prepare(id) }.duration
    let columns =
      try cache.inspect(dataset: dataset).layouts
      .first { $0.name.isExactly(id.layout) }?.sections.last?.columnEnds.count ?? 0
    return try cache.read(id) { snapshot in
      let rect = try window(width: width, in: snapshot)
      let (page, duration) = try timed { try snapshot.elements(in: rect) }
      return Scene(
        device: device, layout: id.layout, columns: columns, contentSize: snapshot.contentSize,
        layOutDuration: layOutDuration, window: rect,
        visible: QueryAnswer(snapshot: snapshot, page: page, duration: duration),
        warmDuration: try timed { try snapshot.elements(in: rect) }.duration,
        picture: try Picture(
          of: Rect(x: .zero, y: .zero, width: width, height: height), in: snapshot))
    }
  }

  /// Returns a window at one third of the section with the most items: its header is pinned, all
  /// columns have begun and none has ended, and the works are by many artists.
  private static func window(width: Length, in snapshot: LayoutSnapshot) throws -> Rect {
    var largest: SectionExtent?
    try snapshot.forEachSection { section in
      if section.itemCount > largest?.itemCount ?? -1 { largest = section }
      return true
    }
    let left = largest.map { max(.zero, $0.length - height) } ?? .zero
    return Rect(
      x: .zero, y: (largest?.start ?? .zero) + Length(units: left.units / 3), width: width,
      height: height)
  }

  /// Doubles the height of the topmost item that is entirely visible.
  private static func edit(
    in window: Rect, of id: LayoutID, _ cache: LayoutCache
  ) throws -> (key: String, title: String, commit: Commit, duration: Duration) {
    // The pinned header covers everything above.
    let topmost = try cache.read(id) { try $0.elements(in: window).elements }
      .filter { $0.isCell && $0.frame.minY >= window.minY + 60 }
      .min { $0.frame.minY < $1.frame.minY }
    guard case .cell(let key) = topmost?.category,
      let item = try cache.item(forKey: key, of: dataset)?.item
    else { preconditionFailure("the sample fills the screen") }
    let size = Size(width: item.size.width, height: item.size.height + item.size.height)
    // Without a visible rectangle: that of the phone is beyond the end of the wider layouts.
    let (commit, duration) = try timed {
      try cache.update(dataset, with: [.resize(key: key, size: size)])
    }
    return (key, item.data?.string("title") ?? key, commit, duration)
  }
}

/// The cost of the same work with many items on this machine.
struct DemoTrial {
  static let dataset = "many"

  let itemCount: Int
  let importDuration: Duration
  let layOutDuration: Duration
  let bytesPerItem: Double
  /// Medians: the query of a window at a random position, the nodes read by it, and a durable
  /// change of one item's size.
  let query: Duration
  let queryNodes: Int
  let edit: Duration

  /// Imports items of various heights, 1,000 per section, lays them out for a phone, and queries
  /// and edits them at scattered positions.
  init(in cache: LayoutCache, itemCount: Int) throws {
    self.itemCount = itemCount
    importDuration = try timed {
      try cache.importItems(into: Self.dataset, mode: .replace) { importer in
        for number in 0..<itemCount {
          try importer.add(
            Item(key: "item-\(number)", width: 200, height: Self.height(number)),
            section: "part \(number / 1000 + 1)")
        }
      }
    }.duration
    let layout = LayoutID("phone", of: Self.dataset)
    try cache.setLayout(
      layout,
      to: LayoutConfiguration(
        container: .init(width: 390, height: 844), section: waterfall(columns: 2)))
    layOutDuration = try timed { try cache.prepare(layout) }.duration
    let inspection = try cache.inspect(dataset: Self.dataset)
    bytesPerItem = (inspection.bytesPerItem ?? 0) + (inspection.layouts.first?.bytesPerItem ?? 0)
    let length = try cache.read(layout) { $0.contentSize.height }
    let queries = try (0..<1000).map { number in
      let y = Length(units: Int64(Self.scattered(number) % UInt64(max(1, length.units))))
      return try cache.read(layout) { snapshot in
        try timed { try snapshot.elements(in: Rect(x: .zero, y: y, width: 390, height: 844)) }
      }
    }
    query = queries.map(\.duration).sorted()[queries.count / 2]
    queryNodes = queries.map(\.result.work.nodesVisited).sorted()[queries.count / 2]
    let edits = try (0..<200).map { number in
      let key = "item-\(Self.scattered(number) % UInt64(itemCount))"
      let size = Size(width: 200, height: .points(Self.height(number + itemCount)))
      return try timed { try cache.update(Self.dataset, with: [.resize(key: key, size: size)]) }
        .duration
    }
    edit = edits.sorted()[edits.count / 2]
  }

  private static func height(_ number: Int) -> Double { Double(100 + scattered(number) % 400) }

  /// Returns a number that is the same in each run and has no order.
  private static func scattered(_ number: Int) -> UInt64 {
    let product = UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
    return (product ^ (product >> 29)) &* 0xBF58_476D_1CE4_E5B9 >> 20
  }
}

/// Returns the options of a waterfall with pinned headers, and cards with room for a title.
private func waterfall(columns: Int) -> SectionOptions {
  let gap: ContainerLength = 8
  var section = SectionOptions.waterfall(columns: columns, spacing: gap)
  // Scrolls and friezes among the works would otherwise fill several screens or be slivers.
  (section.minimumLength, section.maximumLength) = (96, 420)
  section.inset = ContainerInsets(top: gap, left: gap, bottom: gap, right: gap)
  (section.header, section.pinsHeader) = (44, true)
  return section
}

/// Returns the result of a call and its duration.
private func timed<R>(_ body: () throws -> R) rethrows -> (result: R, duration: Duration) {
  let start = ContinuousClock.now
  let result = try body()
  return (result, start.duration(to: .now))
}
