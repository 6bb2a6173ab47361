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

/// The bundled sample, imported and laid out for two screens.
struct Demo {
  /// A layout with what is seen of it.
  struct Scene {
    var layout: String
    var columns: Int
    var contentSize: Size
    /// The time to lay out the whole dataset.
    var layOutDuration: Duration
    /// The time of a query with all nodes in the file, and then in memory.
    var queryDurations: (fromFile: Duration, fromMemory: Duration)
    var picture: Picture

    var pictureFile: String { "demo-\(layout).svg" }
  }

  /// One visible item, resized.
  struct Edit {
    var key: String
    var report: Commit
    var duration: Duration
  }

  static let dataset = "tate"
  static let databaseDefault = "layoutcache-demo.sqlite"

  var path: String
  var outcome: ItemImport.Outcome
  var importDuration: Duration
  var scenes: [Scene]
  /// What lies in the phone's visible rectangle.
  var visible: QueryAnswer
  /// What the edit of one item recomputed, in both layouts.
  var edit: Edit
  var file: DatabaseInspection

  /// Runs the demo on a database.
  init(in cache: LayoutCache) throws {
    path = cache.path
    let importStart = ContinuousClock.now
    outcome = try Self.importSample(into: cache)
    importDuration = importStart.duration(to: .now)
    let phone = try Self.scene(
      "phone", Size(width: .points(390), height: .points(844)), columns: 2, in: cache)
    let desktop = try Self.scene(
      "desktop", Size(width: .points(1200), height: .points(800)), columns: 5, in: cache)
    scenes = [phone, desktop]
    let rect = phone.picture.rect
    visible = try cache.read(LayoutID(phone.layout, of: Self.dataset)) { snapshot in
      let start = ContinuousClock.now
      let page = try snapshot.elements(in: rect)
      return QueryAnswer(snapshot: snapshot, page: page, duration: start.duration(to: .now))
    }
    edit = try Self.edit(visible.page.elements, in: rect, cache)
    file = try cache.inspect()
  }

  /// Makes the first visible item square.
  private static func edit(
    _ elements: [LayoutAttributes], in rect: Rect, _ cache: LayoutCache
  ) throws -> Edit {
    var key = ""
    for case .cell(let cell) in elements.reversed().map(\.category) { key = cell }
    let side = Length.points(1000)
    let start = ContinuousClock.now
    let commit = try cache.update(
      dataset, with: [.resize(key: key, size: Size(width: side, height: side))], visible: rect)
    let duration = start.duration(to: .now)
    return Edit(
      key: key, report: commit, duration: duration)
  }

  /// Removes the database that an earlier demo has left in the current folder.
  ///
  /// - Throws: ``LayoutCacheError`` where the file there is something else, which
  ///   stays; ``Failure``.
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
    let work = ItemImport(
      dataset: dataset, mode: .replace, format: .csv,
      fields: FieldNames(
        key: "accession", section: .required("year"),
        data: .members(["title", "artist", "classification"])),
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

  private static func scene(
    _ layout: String, _ container: Size, columns: Int, in cache: LayoutCache
  ) throws -> Scene {
    try cache.setLayout(
      LayoutID(layout, of: dataset), to: configuration(container, columns: columns))
    let start = ContinuousClock.now
    try cache.prepare(LayoutID(layout, of: dataset))
    let layOutDuration = start.duration(to: .now)
    let rect = try Self.rect(of: container, layout: layout, in: cache)
    func query() throws -> Duration {
      try cache.read(LayoutID(layout, of: dataset)) { snapshot in
        let start = ContinuousClock.now
        _ = try snapshot.elements(in: rect)
        return start.duration(to: .now)
      }
    }
    return Scene(
      layout: layout, columns: columns,
      contentSize: try cache.read(LayoutID(layout, of: dataset)) { $0.contentSize },
      layOutDuration: layOutDuration,
      queryDurations: (fromFile: try query(), fromMemory: try query()),
      picture: try Picture(of: rect, layout: layout, dataset: dataset, in: cache))
  }

  /// The rectangle in whose middle the section with the most items ends: its
  /// header is pinned, and the next section's header follows.
  private static func rect(
    of container: Size, layout: String, in cache: LayoutCache
  ) throws -> Rect {
    try cache.read(LayoutID(layout, of: dataset)) { snapshot in
      var largest: SectionExtent?
      try snapshot.forEachSection { section in
        if section.itemCount > largest?.itemCount ?? -1 { largest = section }
        return true
      }
      let end = largest.map { $0.start + $0.length } ?? .zero
      let half = Length(units: container.height.units / 2)
      return Rect(origin: Point(x: .zero, y: max(.zero, end - half)), size: container)
    }
  }

  private static func configuration(_ container: Size, columns: Int) -> LayoutConfiguration {
    let gap = Length.points(8)
    var section = SectionOptions()
    section.kind = .waterfall
    section.columns = columns
    section.columnSpacing = gap
    section.lineSpacing = gap
    section.inset = EdgeInsets(top: gap, left: gap, bottom: gap, right: gap)
    section.header = .points(44)
    section.pinsHeader = true
    return LayoutConfiguration(
      container: .init(width: container.width, height: container.height), section: section)
  }
}
