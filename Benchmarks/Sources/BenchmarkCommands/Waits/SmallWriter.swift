import CollectionLayout
import Foundation
import LayoutCache
import LayoutGeometry

/// One commit of the small dataset's writer, in nanoseconds of ``Stopwatch/now``.
struct WaitSample: Sendable {
  var start: Int64
  var duration: Int64
}

/// A small dataset of 100 items in five columns, and the writer whose waits are measured:
/// it resizes one item at a time.
enum SmallWriter {
  static let dataset = "small"
  /// The pause of the writer between two commits.
  static let pauseMilliseconds: Int32 = 2
  private static let layout = LayoutID("waterfall", of: dataset)
  private static let itemCount = 100

  /// Creates the dataset and lays it out.
  static func makeDataset(in cache: LayoutCache) throws {
    _ = try cache.importItems(into: dataset, mode: .create) { importer in
      for number in 0..<itemCount {
        try importer.add(Item(key: "item-\(number)", width: 200, height: 99))
      }
    }
    try cache.setLayout(layout, to: BenchFeed.configuration(maximumSkew: nil))
    try cache.prepare(layout)
  }

  /// Commits one resize after the other, with the layout active.
  ///
  /// - Parameters:
  ///   - pause: Pauses, and returns whether to continue.
  ///   - isReady: Called after the first commits, which load the nodes for later commits.
  /// - Returns: The times of the commits after the first ones; at least one.
  /// - Throws: ``Failure`` if a commit is lost, or another one intervenes.
  static func write(
    to cache: LayoutCache, pausing pause: () -> Bool, isReady: () throws -> Void
  ) throws -> [WaitSample] {
    try readLayout(in: cache)
    var revision = try cache.dataset(dataset).revision
    for _ in 0..<5 { try commit(to: cache, &revision) }
    try isReady()
    var samples: [WaitSample] = []
    repeat {
      let start = Stopwatch.now
      try commit(to: cache, &revision)
      samples.append(WaitSample(start: start, duration: Stopwatch.now - start))
      try readLayout(in: cache)
    } while pause()
    return samples
  }

  /// Reads the layout, because commits update only layouts that are read.
  private static func readLayout(in cache: LayoutCache) throws {
    _ = try cache.read(layout) { $0.contentSize }
  }

  private static func commit(to cache: LayoutCache, _ revision: inout Int) throws {
    // Each item is resized to 100 points, then 150, and so on.
    let height = 100 + Double(revision / itemCount % 2) * 50
    let commit = try cache.update(
      dataset,
      with: [
        .resize(
          key: "item-\(revision % itemCount)", size: Size(width: 200, height: .points(height)))
      ])
    revision += 1
    guard commit.revision == revision, commit.layouts.count == 1 else {
      throw Failure(
        .internalError,
        """
        a commit to the small dataset has revision \(commit.revision) instead of \(revision), \
        and \(plural(commit.layouts.count, "layout")); please report it
        """)
    }
  }
}
