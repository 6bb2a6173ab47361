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

/// The bundled sample, imported and laid out for two screens, with one item edited, and the cost
/// of the same work with many more items.
struct Demo {
  /// A layout with a picture of a part.
  struct Scene {
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
  static let databaseDefault = "layoutcache-demo.sqlite"

  var path: String
  var outcome: ItemImport.Outcome
  var importDuration: Duration
  var scenes: [Scene]
  /// The elements in the phone's visible rectangle.
  var visible: QueryAnswer
  /// The edit of one item, with the recomputed parts of both layouts.
  var edit: Edit
  var file: DatabaseInspection
  /// The measurement with many items; `nil` if none was requested.
  var trial: ManyItemsTrial?

  /// Runs the demo on a database.
  ///
  /// - Parameter itemCount: The number of items to measure with; 0 for no measurement.
  init(in cache: LayoutCache, measuringWith itemCount: Int) throws {
    path = cache.path
    let importStart = ContinuousClock.now
    outcome = try Self.importSample(into: cache)
    importDuration = importStart.duration(to: .now)
    let phone = try Self.scene("phone", Size(width: 390, height: 844), columns: 2, in: cache)
    let desktop = try Self.scene("desktop", Size(width: 1200, height: 844), columns: 5, in: cache)
    scenes = [phone, desktop]
    let rect = phone.picture.rect
    visible = try cache.read(LayoutID(phone.layout, of: Self.dataset)) { snapshot in
      let start = ContinuousClock.now
      let page = try snapshot.elements(in: rect)
      return QueryAnswer(snapshot: snapshot, page: page, duration: start.duration(to: .now))
    }
    edit = try Self.edit(visible.page.elements, seenIn: phone, cache)
    file = try cache.inspect()
    trial = itemCount == 0 ? nil : try ManyItemsTrial(in: cache, itemCount: itemCount)
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
    _ layout: String, _ container: Size, columns: Int, in cache: LayoutCache
  ) throws -> Scene {
    let id = LayoutID(layout, of: dataset)
    try cache.setLayout(id, to: feedConfiguration(container, columns: columns))
    let start = ContinuousClock.now
    try cache.prepare(id)
    let layOutDuration = start.duration(to: .now)
    let rect = try Self.rect(of: container, in: id, cache)
    func query() throws -> Duration {
      try cache.read(id) { snapshot in
        let start = ContinuousClock.now
        _ = try snapshot.elements(in: rect)
        return start.duration(to: .now)
      }
    }
    return Scene(
      layout: layout, columns: columns,
      contentSize: try cache.read(id) { $0.contentSize },
      layOutDuration: layOutDuration,
      queryDurations: (fromFile: try query(), fromMemory: try query()),
      picture: try cache.read(id) { try Picture(of: rect, in: $0) })
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
    _ elements: [LayoutAttributes], seenIn scene: Scene, _ cache: LayoutCache
  ) throws -> Edit {
    // The pinned header covers everything above.
    let start = scene.picture.rect.minY + 60
    let topmost = elements.filter { $0.isCell && $0.frame.minY >= start }
      .min { $0.frame.minY < $1.frame.minY }
    guard case .cell(let key) = topmost?.category else {
      preconditionFailure("the sample fills the screen")
    }
    guard let size = try cache.item(forKey: key, of: dataset)?.item.size else {
      throw LayoutCacheError(.noSuchKey(key, dataset: dataset))
    }
    let id = LayoutID(scene.layout, of: dataset)
    let resize = BatchOperation.resize(
      key: key, size: Size(width: size.width, height: size.height + size.height))
    let clock = ContinuousClock.now
    let commit = try cache.update(dataset, with: [resize], visible: scene.picture.rect)
    let duration = clock.duration(to: .now)
    let changes = DatasetChanges(
      dataset: dataset, revision: commit.revision, since: commit.revision - 1,
      incarnation: commit.incarnation, updates: commit.updates, layouts: commit.layouts)
    return try cache.read(id) { snapshot in
      Edit(
        key: key, title: try snapshot.data(forKey: key)?.string("title") ?? key, report: commit,
        duration: duration,
        picture: try Picture(of: scene.picture.rect, in: snapshot)
          .marking(changes, layout: scene.layout))
    }
  }
}

/// Returns a waterfall configuration with pinned headers, and cards with room for a title.
func feedConfiguration(_ container: Size, columns: Int) -> LayoutConfiguration {
  let gap: Length = 8
  var section = SectionOptions()
  section.kind = .waterfall
  section.columns = columns
  section.columnSpacing = gap
  section.lineSpacing = gap
  // Scrolls and friezes among the works would otherwise fill several screens or be slivers.
  section.minimumLength = 96
  section.maximumLength = 420
  section.inset = EdgeInsets(top: gap, left: gap, bottom: gap, right: gap)
  section.header = 44
  section.pinsHeader = true
  return LayoutConfiguration(
    container: .init(width: container.width, height: container.height), section: section)
}
