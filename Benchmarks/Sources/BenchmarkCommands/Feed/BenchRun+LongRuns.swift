import BenchmarkBaselines
import LayoutCache

/// A cache in a long run, and the work of its commits.
private struct LongRun {
  let cache: LayoutCache
  var work = CommittedWork()
  /// The time of closing the cache, with the checkpoint of the database file.
  var closing: Int64 = 0

  mutating func apply(_ resize: PlannedResize) throws {
    work.add(try cache.update(BenchFeed.dataset, with: [resize.operation]))
  }

  func details() throws -> [(String, Double)] {
    try work.means() + [("closeMilliseconds", Double(closing) / 1_000_000)]
  }
}

extension BenchRun {
  /// Measures the requested number of resizes at random positions, until all of them are in the
  /// database file, without rebalancing and with the default configuration, compared with as many
  /// bare commits. They take turns with the same resizes.
  func measureManyResizes(comparedWith commits: BareCommits) throws {
    begin(.resizeMany)
    try makeEvenFile()
    let resizes = feed.planResizes(edits, of: 0..<report.items, using: &random)
    let keys = resizes.map { feed.key($0.number) }
    var skewed = LongRun(cache: try openCache())
    var even = LongRun(cache: try openCache(Self.evenFile))
    for cache in [skewed.cache, even.cache] { try load(keys, in: cache) }
    try commits.checkpoint()
    var samples: [[Int64]] = []
    let memory = try PeakMemory.during {
      samples = try stopwatch.inTurn(
        edits,
        [
          { call in try skewed.apply(resizes[call]) },
          { call in try even.apply(resizes[call]) },
          { _ in try commits.commit() },
        ]
      ) { calls in
        try announce("many resizes")
        // Commits update only layouts that are read.
        _ = try read(even.cache) { $0.contentSize }
        try follow(resizes[calls], in: skewed.cache)
      }
      skewed.closing = try stopwatch.nanoseconds { try skewed.cache.close() }
      even.closing = try stopwatch.nanoseconds { try even.cache.close() }
    }
    record(memory, of: "edit")
    report.editedBytes = try folder.bytes(of: Self.engineFile)
    let bareClosing = try stopwatch.nanoseconds { try commits.checkpoint() }
    let bare = Figures(samples[2], sharing: bareClosing)
    add(
      .resizeMany, samples[0], sharing: skewed.closing, comparedWith: [(.bareCommit, bare)],
      details: try skewed.details())
    add(
      .resizeManyRebalancing, samples[1], sharing: even.closing,
      comparedWith: [
        (.withoutRebalancing, Figures(samples[0], sharing: skewed.closing)), (.bareCommit, bare),
      ],
      details: try even.details())
    try checkEvenFile()
  }

  /// Measures the same without rebalancing, starting with an empty cache.
  func measureManyColdResizes(comparedWith commits: BareCommits) throws {
    begin(.resizeManyCold)
    let resizes = feed.planResizes(edits, of: 0..<report.items, using: &random)
    var run = LongRun(cache: try openCache())
    // The layout is active, and little of it is in memory.
    _ = try read(run.cache) { $0.contentSize }
    try commits.checkpoint()
    let samples = try stopwatch.inTurn(
      edits, [{ call in try run.apply(resizes[call]) }, { _ in try commits.commit() }]
    ) { calls in
      try announce("many resizes")
      try follow(resizes[calls], in: run.cache)
    }
    run.closing = try stopwatch.nanoseconds { try run.cache.close() }
    let bareClosing = try stopwatch.nanoseconds { try commits.checkpoint() }
    add(
      .resizeManyCold, samples[0], sharing: run.closing,
      comparedWith: [(.bareCommit, Figures(samples[1], sharing: bareClosing))],
      details: try run.details())
  }

  /// Loads the nodes that changes of the items need, as if a client showed the items.
  func load(_ keys: [String], in cache: LayoutCache) throws {
    try read(cache) { snapshot in
      for key in keys { _ = try snapshot.attributes(forKey: key) }
    }
  }

  /// Applies resizes to the plain arrays, and compares the answers.
  private func follow(_ resizes: ArraySlice<PlannedResize>, in cache: LayoutCache) throws {
    for resize in resizes { feed.arrays.resize(resize.position, by: resize.delta) }
    try checkAnswers(cache)
  }

  /// Copies the database, with even columns and the default configuration.
  private func makeEvenFile() throws {
    // After closing there is no write-ahead log.
    try folder.copy(Self.engineFile, to: Self.evenFile)
    let even = try openCache(Self.evenFile)
    try setLayout(even, maximumSkew: nil)
    // The previous changes made the columns more uneven than this configuration allows.
    _ = try even.rebalance(BenchFeed.dataset, layouts: [BenchFeed.layout])
    try even.close()
  }

  private func checkEvenFile() throws {
    let even = try openCache(Self.evenFile)
    try verify(even)
    try even.close()
    try folder.removeDatabase(Self.evenFile)
  }
}
