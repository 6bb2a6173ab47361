import CollectionLayout
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

/// The bundled sample as a museum's home feed, laid out at three widths, with one item edited, and
/// the cost of the same work with many more items.
struct Demo {
  /// A variant of the layout, with a picture of its beginning.
  struct Scene {
    /// The device whose window has this width.
    var device: String
    var layout: String
    var columns: Int
    var contentSize: Size
    /// The duration of laying out the whole dataset.
    var layOutDuration: Duration
    /// The duration of a query with all nodes in the file, and then in memory.
    var queryDurations: (fromFile: Duration, fromMemory: Duration)
    var picture: Picture
  }

  /// One visible item, resized.
  struct Edit {
    var key: String
    /// The title in the item's data.
    var title: String
    var report: Commit
    var duration: Duration
    /// The phone's view after the edit, with changes marked.
    var picture: Picture
  }

  static let dataset = "tate"
  /// The layout of any width.
  static let layout = "feed"
  /// Layouts of one width, which the examples of the help name.
  static let windows = [
    (name: "phone", window: Size(width: 390, height: 844), columns: 2),
    (name: "desktop", window: Size(width: 1200, height: 844), columns: 5),
  ]
  static let databaseDefault = "layoutcache-demo.sqlite"

  var path: String
  var outcome: ItemImport.Outcome
  var importDuration: Duration
  /// The number of items in the dataset.
  var itemCount: Int
  var scenes: [Scene]
  /// The elements in a visible rectangle of the phone.
  var visible: QueryAnswer
  /// The visible rectangle before the edit.
  var picture: Picture
  /// The edit of one item, with the recomputed parts of the layouts.
  var edit: Edit
  var file: DatabaseInspection
  /// The measurement with many items; `nil` if none was requested.
  var trial: ManyItemsTrial?

  /// Runs the demo on a database.
  ///
  /// - Parameter count: The number of items to measure with; 0 for no measurement.
  init(in cache: LayoutCache, measuringWith count: Int) throws {
    path = cache.path
    let importStart = ContinuousClock.now
    outcome = try Self.importSample(into: cache)
    importDuration = importStart.duration(to: .now)
    try Self.insertHomeSections(into: cache)
    itemCount = try cache.dataset(Self.dataset).itemCount
    try cache.setLayout(
      LayoutID(Self.layout, of: Self.dataset), to: Self.homeConfiguration)
    scenes = [
      try Self.scene("phone", width: 384, in: cache),
      try Self.scene("tablet", width: 768, in: cache),
      try Self.scene("desktop", width: 1200, in: cache),
    ]
    for layout in Self.windows {
      try cache.setLayout(
        LayoutID(layout.name, of: Self.dataset),
        to: feedConfiguration(layout.window, columns: layout.columns))
    }
    let id = LayoutID(Self.windows[0].name, of: Self.dataset)
    let rect = try Self.rect(of: Self.windows[0].window, in: id, cache)
    (visible, picture) = try cache.read(id) { snapshot in
      let start = ContinuousClock.now
      let page = try snapshot.elements(in: rect)
      let duration = start.duration(to: .now)
      return (
        QueryAnswer(snapshot: snapshot, page: page, duration: duration),
        try Picture(of: rect, in: snapshot)
      )
    }
    edit = try Self.edit(visible.page.elements, in: rect, of: id, cache)
    file = try cache.inspect()
    trial = count == 0 ? nil : try ManyItemsTrial(in: cache, itemCount: count)
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

  private static func scene(
    _ device: String, width: Length, in cache: LayoutCache
  ) throws -> Scene {
    let id = LayoutID("\(layout)@\(width)", of: dataset)
    let start = ContinuousClock.now
    try cache.prepare(id)
    let layOutDuration = start.duration(to: .now)
    let rect = Rect(origin: .zero, size: Size(width: width, height: 844))
    func query() throws -> Duration {
      try cache.read(id) { snapshot in
        let start = ContinuousClock.now
        _ = try snapshot.elements(in: rect)
        return start.duration(to: .now)
      }
    }
    return Scene(
      device: device, layout: id.layout,
      columns: try columns(of: id, cache),
      contentSize: try cache.read(id) { $0.contentSize },
      layOutDuration: layOutDuration,
      queryDurations: (fromFile: try query(), fromMemory: try query()),
      picture: try cache.read(id) { try Picture(of: rect, in: $0) })
  }

  /// Returns the number of columns of the waterfalls.
  private static func columns(of id: LayoutID, _ cache: LayoutCache) throws -> Int {
    let layouts = try cache.inspect(dataset: dataset).layouts
    return layouts.first { $0.name.isExactly(id.layout) }?.sections.last?.columnEnds.count ?? 0
  }

  /// Returns a rectangle at one third of the section with the most items: its header is pinned,
  /// all columns have begun and none has ended, and the works are by many artists.
  private static func rect(
    of container: Size, in layout: LayoutID, _ cache: LayoutCache
  ) throws -> Rect {
    try cache.read(layout) { snapshot in
      var largest: SectionExtent?
      try snapshot.forEachSection { section in
        if section.itemCount > largest?.itemCount ?? -1 { largest = section }
        return true
      }
      let left = largest.map { max(.zero, $0.length - container.height) } ?? .zero
      let start = (largest?.start ?? .zero) + Length(units: left.units / 3)
      return Rect(origin: Point(x: .zero, y: start), size: container)
    }
  }

  /// Doubles the height of the topmost item that is entirely visible.
  private static func edit(
    _ elements: [LayoutAttributes], in rect: Rect, of id: LayoutID, _ cache: LayoutCache
  ) throws -> Edit {
    // The pinned header covers everything above.
    let start = rect.minY + 60
    let topmost = elements.filter { $0.isCell && $0.frame.minY >= start }
      .min { $0.frame.minY < $1.frame.minY }
    guard case .cell(let key) = topmost?.category else {
      preconditionFailure("the sample fills the screen")
    }
    guard let size = try cache.item(forKey: key, of: dataset)?.item.size else {
      throw LayoutCacheError(.noSuchKey(key, dataset: dataset))
    }
    let resize = BatchOperation.resize(
      key: key, size: Size(width: size.width, height: size.height + size.height))
    let clock = ContinuousClock.now
    // Without a visible rectangle: that of the phone is beyond the end of the wider layouts.
    let commit = try cache.update(dataset, with: [resize])
    let duration = clock.duration(to: .now)
    let changes = DatasetChanges(
      dataset: dataset, revision: commit.revision, since: commit.revision - 1,
      incarnation: commit.incarnation, updates: commit.updates, layouts: commit.layouts)
    return try cache.read(id) { snapshot in
      Edit(
        key: key, title: try snapshot.data(forKey: key)?.string("title") ?? key, report: commit,
        duration: duration,
        picture: try Picture(of: rect, in: snapshot).marking(changes))
    }
  }
}

/// Returns the options of a waterfall with pinned headers, and cards with room for a title.
func waterfallOptions(columns: Int) -> SectionOptions {
  let gap: ContainerLength = 8
  var section = SectionOptions.waterfall(columns: columns, spacing: gap)
  // Scrolls and friezes among the works would otherwise fill several screens or be slivers.
  section.minimumLength = 96
  section.maximumLength = 420
  section.inset = ContainerInsets(top: gap, left: gap, bottom: gap, right: gap)
  section.header = 44
  section.pinsHeader = true
  return section
}

/// Returns a configuration of such a waterfall, for a window of one size.
func feedConfiguration(_ window: Size, columns: Int) -> LayoutConfiguration {
  LayoutConfiguration(
    container: .init(width: window.width, height: window.height),
    section: waterfallOptions(columns: columns))
}
