import CollectionLayout
import Foundation
import LayoutCache
import LayoutGeometry

/// Measures the waits of a small dataset's writer during long work on another dataset of the
/// same file: once with the writer in the same process, once in another.
final class WaitRun {
  private static let file = "waits.sqlite"
  /// The number of repetitions of short work.
  static let rounds = 3
  /// The time for which the writer continues after the work, to include its after-effects.
  private static let aftermathMicroseconds: UInt32 = 20_000

  let folder: BenchFolder
  let announce: (String) throws -> Void
  let stopwatch = Stopwatch()
  var random = BenchRandom(seed: 42)
  var feed: BenchFeed
  var size: WaitSize

  private init(
    itemCount: Int, folder: BenchFolder, announce: @escaping (String) throws -> Void
  ) {
    self.folder = folder
    self.announce = announce
    feed = BenchFeed(itemCount: itemCount, using: &random)
    size = WaitSize(
      items: itemCount, operations: max(1, itemCount / 10), edits: max(1, itemCount / 100))
  }

  /// Measures everything at one size.
  ///
  /// - Parameters:
  ///   - folder: The folder for the database, which is deleted afterwards.
  ///   - announce: Announces the next step, and may throw to end the run.
  /// - Throws: ``Failure`` if an operation did not do the intended work, or has left a problem;
  ///   `LayoutCacheError`.
  static func measure(
    itemCount: Int, folder: BenchFolder, announce: @escaping (String) throws -> Void
  ) throws -> WaitSize {
    let run = WaitRun(itemCount: itemCount, folder: folder, announce: announce)
    for location in WriterLocation.allCases {
      let cache = try LayoutCache(path: folder.path(of: file))
      try run.measure(location, in: cache)
      try cache.close()
      try folder.removeDatabase(file)
    }
    let order = WaitOperation.allCases
    // The sort is stable: the locations of each operation keep their order.
    run.size.rows.sort {
      order.firstIndex(of: $0.operation) ?? 0 < order.firstIndex(of: $1.operation) ?? 0
    }
    return run.size
  }

  private func measure(_ location: WriterLocation, in cache: LayoutCache) throws {
    try announce("importing")
    try importItems(into: cache, mode: .create)
    try SmallWriter.makeDataset(in: cache)
    for operation in WaitOperation.allCases {
      try announce("\(operation.title), the writer in \(location.title)")
      var (waits, work) = ([WaitSample](), [Int64]())
      var (longest, longestAt) = (Int64(-1), 0.0)
      for _ in 0..<operation.rounds {
        let body = try prepare(operation, in: cache)
        let end = try location.start(cache)
        let start = Stopwatch.now
        let duration: Int64
        do {
          duration = try stopwatch.nanoseconds { try body() }
        } catch {
          // The error of the work takes precedence.
          _ = try? end()
          throw error
        }
        usleep(Self.aftermathMicroseconds)
        let samples = try end().filter { $0.start + $0.duration > start }
        for sample in samples where sample.duration > longest {
          longest = sample.duration
          longestAt = max(0, Double(sample.start - start)) / Double(max(1, duration))
        }
        waits += samples
        work.append(duration)
      }
      size.rows.append(
        WaitRow(
          operation: operation, location: location, waits: Figures(waits.map(\.duration)),
          work: Figures(work), longestAt: longestAt))
      // Before the items are removed, and at the end.
      if [.resizes, .remove].contains(operation) { try verify(cache) }
    }
  }

  private func verify(_ cache: LayoutCache) throws {
    try announce("checking")
    guard let problem = try cache.verify().problems.first else { return }
    throw Failure(
      .internalError,
      "the work has left a problem, \(problem.place): \(problem.detail); please report it")
  }
}
