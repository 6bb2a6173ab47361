import BenchmarkBaselines
import LayoutCache

extension BenchRun {
  /// The time limit: placing the items after a skewed position again takes time in proportion
  /// to their number.
  private static let rebalancingSecondsMax: Int64 = 10

  /// Measures the requested number of resizes at random positions, until all of them are in the
  /// database file, compared with as many bare commits, likewise.
  func measureManyResizes(_ operation: BenchOperation, beside commits: BareCommits) throws {
    let cache = try openCache()
    let resizes = feed.planResizes(edits, of: 0..<report.items, using: &random)
    if operation == .resizeManyCold {
      // The layout is active, and little of it is in memory.
      _ = try read(cache) { $0.contentSize }
    } else {
      try load(resizes.map { feed.key($0.number) }, in: cache)
    }
    let followsArrays = operation != .resizeManyRebalancing
    try commits.checkpoint()
    var work = CommittedWork()
    var samples: [[Int64]] = []
    var closing: Int64 = 0
    let memory = try PeakMemory.during {
      samples = try stopwatch.inTurn(
        edits, secondsMax: followsArrays ? .max : Self.rebalancingSecondsMax,
        [
          { call in
            work.add(try cache.update(BenchFeed.dataset, with: [resizes[call].operation]))
          },
          { _ in try commits.commit() },
        ]
      ) { calls in
        try announce("many resizes")
        guard followsArrays else {
          // A layout that is not read falls behind.
          _ = try read(cache) { $0.contentSize }
          return
        }
        for call in calls {
          feed.arrays.resize(resizes[call].place, by: resizes[call].delta)
        }
        try checkAnswers(cache)
      }
      closing = try stopwatch.nanoseconds { try cache.close() }
    }
    if operation == .resizeMany {
      note(memory, of: "edit")
      report.editedBytes = try folder.bytes(of: Self.engineFile)
    }
    let bareClosing = try stopwatch.nanoseconds { try commits.checkpoint() }
    add(
      operation, samples[0], sharing: closing,
      beside: [(.bareCommit, Figures(samples[1], sharing: bareClosing))],
      details: try work.means() + [("closeMilliseconds", Double(closing) / 1_000_000)])
  }

  /// Loads the nodes that a change of items needs, as for a client that shows them.
  func load(_ keys: [String], in cache: LayoutCache) throws {
    try read(cache) { snapshot in
      for key in keys { _ = try snapshot.attributes(forKey: key) }
    }
  }
}
