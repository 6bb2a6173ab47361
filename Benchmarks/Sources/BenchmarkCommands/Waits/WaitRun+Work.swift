import CollectionLayout
import Foundation
import LayoutCache
import LayoutGeometry

extension WaitOperation {
  /// The number of repetitions.
  var rounds: Int { self == .layOut || self == .reconfigure ? WaitRun.rounds : 1 }
}

/// The work. Its inputs are created before the measurement. Each operation checks that it did the
/// intended work.
extension WaitRun {
  private static let waterfall = LayoutID(BenchFeed.layout, of: BenchFeed.dataset)
  private static let flow = LayoutID(KindBenchLayout.flow.rawValue, of: BenchFeed.dataset)
  /// The number of operations of a batch that leaves layouts behind.
  private static let batchCount = 1000
  /// The number of operations up to which a flow of up to 10,000,000 items is brought up to date
  /// from the log; with more, the library lays it out from scratch.
  private static let followedOperations = 10_000

  /// Creates the inputs of an operation.
  ///
  /// - Returns: The work.
  func prepare(_ operation: WaitOperation, in cache: LayoutCache) throws -> () throws -> Void {
    switch operation {
    case .idle: return { [size] in usleep(UInt32(min(size.items, 1_000_000))) }
    case .layOut:
      try cache.setLayout(Self.waterfall, to: BenchFeed.configuration(maximumSkew: nil))
      try invalidate(Self.waterfall, in: cache)
      return { try self.layOut(Self.waterfall, in: cache, fromScratch: true) }
    case .catchUpStable:
      try cache.setLayout(Self.flow, to: KindBenchLayout.flow.configuration)
      try cache.prepare(Self.flow)
      try fallBehind(cache)
      return { try self.layOut(Self.waterfall, in: cache, fromScratch: false) }
    // The flow lags as far behind as the waterfall did.
    case .catchUpFlow:
      let isFollowed = size.operations <= Self.followedOperations
      return { try self.layOut(Self.flow, in: cache, fromScratch: !isFollowed) }
    case .reconfigure: return try reconfigure(cache)
    case .rebalance:
      try activateLayout(in: cache)
      return { try self.rebalance(cache) }
    case .resizes:
      try activateLayout(in: cache)
      let resizes = planResizes(size.edits)
      return { try self.commit(resizes.map { [$0] }, to: cache, preparing: .inUse) }
    case .replace: return { try self.importItems(into: cache, mode: .replace) }
    case .compact:
      try cache.prepare(Self.waterfall)
      return { _ = try cache.compact() }
    case .remove:
      return {
        try cache.removeDataset(BenchFeed.dataset)
        try self.require(
          try cache.datasets().map(\.name) == [SmallWriter.dataset], "the dataset still exists")
      }
    }
  }

  func importItems(into cache: LayoutCache, mode: ImportMode) throws {
    let summary = try cache.importItems(into: BenchFeed.dataset, mode: mode) { importer in
      for number in 0..<size.items {
        if number % 65_536 == 65_535 { try announce("importing") }
        try importer.add(feed.item(number))
      }
    }
    try require(summary.itemCount == size.items, "the import has \(summary.itemCount) items")
  }

  /// Discards a layout's result.
  private func invalidate(_ layout: LayoutID, in cache: LayoutCache) throws {
    try cache.update(
      BenchFeed.dataset, with: [.invalidate(layout: layout.layout, everything: true)],
      preparing: .none)
  }

  private func layOut(
    _ layout: LayoutID, in cache: LayoutCache, fromScratch: Bool
  ) throws {
    let context = try cache.prepare(layout).context
    try require(
      context?.invalidateEverything == fromScratch,
      fromScratch ? "the layout has caught up" : "the layout was laid out from scratch")
  }

  private func reconfigure(_ cache: LayoutCache) throws -> () throws -> Void {
    var configuration = try cache.layout(Self.waterfall).configuration
    let columns = configuration.section.columns
    configuration.section.columns =
      .equal(columns == .equal(BenchFeed.columns) ? BenchFeed.columns - 1 : BenchFeed.columns)
    try cache.setLayout(Self.waterfall, to: configuration)
    return {
      let context = try cache.prepare(Self.waterfall).context
      try self.requireAllPlaced(context.map { [$0] } ?? [])
    }
  }

  private func rebalance(_ cache: LayoutCache) throws {
    let commit = try cache.rebalance(BenchFeed.dataset, layouts: [BenchFeed.layout])
    try requireAllPlaced(commit.layouts.map(\.context))
  }

  private func requireAllPlaced(_ contexts: [InvalidationContext]) throws {
    let placed = contexts.reduce(0) { $0 + $1.work.recomputedItems }
    try require(placed >= size.items, "only \(placed) items were placed again")
  }

  /// Reads the layout, so that commits update it.
  private func activateLayout(in cache: LayoutCache) throws {
    _ = try cache.read(Self.waterfall) { $0.contentSize }
  }

  private func fallBehind(_ cache: LayoutCache) throws {
    let resizes = planResizes(size.operations)
    let batches = stride(from: 0, to: resizes.count, by: Self.batchCount).map {
      Array(resizes[$0..<min($0 + Self.batchCount, resizes.count)])
    }
    try commit(batches, to: cache, preparing: .none)
  }

  private func planResizes(_ count: Int) -> [BatchOperation] {
    feed.planResizes(count, of: 0..<size.items, using: &random).map(\.operation)
  }

  private func commit(
    _ batches: [[BatchOperation]], to cache: LayoutCache, preparing layouts: UpdatedLayouts
  ) throws {
    let revision = try cache.dataset(BenchFeed.dataset).revision
    var last = revision
    for (number, batch) in batches.enumerated() {
      // Commits update only layouts that are read.
      if layouts == .inUse, number % 100 == 0 { try activateLayout(in: cache) }
      last = try cache.update(BenchFeed.dataset, with: batch, preparing: layouts).revision
    }
    try require(
      last == revision + batches.count,
      "\(batches.count) batches changed revision \(revision) to \(last)")
  }

  private func require(_ condition: Bool, _ message: String) throws {
    if !condition { throw Failure(.internalError, "\(message); please report it") }
  }
}
