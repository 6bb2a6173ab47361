import BenchmarkBaselines
import LayoutCache
import LayoutGeometry

extension BenchRun {
  private static let otherSection = "other"

  /// Measures changes, each in a separate commit, compared with bare commits.
  ///
  /// - Parameter sqlResize: The figures of resizes by hand-written SQL.
  func measureEdits(sqlResize: Figures) throws {
    let commits = try BareCommits(
      path: folder.path(of: "commits.sqlite"), synchronous: .normal)
    let cache = try openCache()
    try announce("inserts and deletes")
    // Must be first: later the leaves have changed since the import.
    try measureInsertsAndDeletes(.insertFresh, .deleteFresh, in: cache, comparedWith: commits)
    try announce("resizes")
    try measureResizes(
      .resizeRandom, count: share(5), of: 0..<report.items, in: cache, comparedWith: .bareCommit,
      commits)
    try measureResizes(
      .resizeMiddle, count: share(5), of: feed.middle, in: cache, comparedWith: .bareCommit,
      commits,
      others: [(.handWrittenSQL, sqlResize)])
    try measureBatchesAtTheTop(in: cache, comparedWith: commits)
    try cache.close()

    try announce("resizes, FULL")
    let fullCommits = try BareCommits(
      path: folder.path(of: "commits-full.sqlite"), synchronous: .full)
    let fullCache = try openCache(durability: .power)
    try measureResizes(
      .resizeMiddleFull, count: share(20), of: feed.middle, in: fullCache,
      comparedWith: .bareCommitFull, fullCommits)
    try fullCache.close()

    try measureFirstResizes()
    try announce("many resizes")
    try measureManyResizes(comparedWith: commits)
    try measureManyColdResizes(comparedWith: commits)
    try announce("inserts and deletes")
    let laterCache = try openCache()
    try measureInsertsAndDeletes(
      .insertRandom, .deleteRandom, in: laterCache, comparedWith: commits)
    try laterCache.close()
    // From here on items change their columns, which the plain arrays do not follow; `verify`
    // checks the results.
    try announce("moves")
    try measureMoves(comparedWith: commits)
    for name in ["commits.sqlite", "commits-full.sqlite"] { try folder.removeDatabase(name) }
  }

  /// A fraction of the number of changes of the longest run.
  private func share(_ parts: Int) -> Int { max(1, edits / parts) }

  private func measureResizes(
    _ operation: BenchOperation, count: Int, of numbers: Range<Int>, in cache: LayoutCache,
    comparedWith baseline: BenchBaseline, _ commits: BareCommits,
    others: [BenchRow.BaselineFigures] = []
  ) throws {
    begin(operation)
    let resizes = feed.planResizes(count, of: numbers, using: &random)
    try load(resizes.map { feed.key($0.number) }, in: cache)
    var work = CommittedWork()
    let samples = try stopwatch.inTurn(
      count,
      [
        { call in
          work.add(try cache.update(BenchFeed.dataset, with: [resizes[call].operation]))
        },
        { _ in try commits.commit() },
        { [self] call in feed.arrays.resize(resizes[call].position, by: resizes[call].delta) },
      ]
    ) { _ in try checkAnswers(cache) }
    add(
      operation, samples[0],
      comparedWith: [(baseline, Figures(samples[1])), (.plainArrays, Figures(samples[2]))] + others,
      details: try work.means())
  }

  /// Inserts items at random positions of the whole feed, and deletes them again.
  private func measureInsertsAndDeletes(
    _ insert: BenchOperation, _ delete: BenchOperation, in cache: LayoutCache,
    comparedWith commits: BareCommits
  ) throws {
    begin(insert)
    let count = share(5)
    let positions = (0..<count).map { _ in Int.random(in: 0..<report.items, using: &random) }
    let items = try newItems(count)
    try load(positions.map { feed.key($0) }, in: cache)
    let keys = positions.map { feed.key($0) }
    var works = (inserts: CommittedWork(), deletes: CommittedWork())
    let samples = try stopwatch.inTurn(
      count,
      [
        { call in
          works.inserts.add(
            try cache.update(
              BenchFeed.dataset, with: [.insert([items[call]], at: .before(keys[call]))]))
        },
        { call in
          works.deletes.add(
            try cache.update(BenchFeed.dataset, with: [.delete(keys: [items[call].key])]))
        },
        { _ in try commits.commit() },
      ]
    ) { _ in
      // A block deletes the items that it inserted, so the answers have not changed.
      try checkAnswers(cache)
    }
    let bare: [BenchRow.BaselineFigures] = [(.bareCommit, Figures(samples[2]))]
    add(insert, samples[0], comparedWith: bare, details: try works.inserts.means())
    add(delete, samples[1], comparedWith: bare, details: try works.deletes.means())
  }

  private func measureBatchesAtTheTop(
    in cache: LayoutCache, comparedWith commits: BareCommits
  ) throws {
    begin(.prepend40)
    let batches = try (0..<share(50)).map { _ in try newItems(40) }
    var works = (inserts: CommittedWork(), deletes: CommittedWork())
    let inserts = try stopwatch.inTurn(
      batches.count,
      [
        { call in
          works.inserts.add(
            try cache.update(
              BenchFeed.dataset,
              with: [.insert(batches[call], at: .index(0, section: Importer.defaultSection))]))
        },
        { _ in try commits.commit() },
      ]
    ) { _ in try announce("batches at the top") }
    let deletions = batches.reversed().map { $0.map(\.key) }
    let deletes = try stopwatch.inTurn(
      batches.count,
      [
        { call in
          works.deletes.add(
            try cache.update(BenchFeed.dataset, with: [.delete(keys: deletions[call])]))
        },
        { _ in try commits.commit() },
      ]
    ) { _ in try announce("batches at the top") }
    try checkAnswers(cache)
    add(
      .prepend40, inserts[0], comparedWith: [(.bareCommit, Figures(inserts[1]))],
      details: try works.inserts.means())
    add(
      .deleteTop40, deletes[0], comparedWith: [(.bareCommit, Figures(deletes[1]))],
      details: try works.deletes.means())
  }

  /// Measures the first change of a newly opened cache, compared with the first commit of a new
  /// connection: both begin a write-ahead log, which SQLite syncs.
  private func measureFirstResizes() throws {
    try announce("first resizes")
    begin(.firstResize)
    let resizes = feed.planResizes(share(50), of: 0..<report.items, using: &random)
    var work = CommittedWork()
    var samples: (engine: [Int64], commits: [Int64]) = ([], [])
    for resize in resizes {
      let cache = try openCache()
      samples.engine.append(
        try stopwatch.nanoseconds {
          work.add(
            try cache.update(BenchFeed.dataset, with: [resize.operation], preparing: .upToDate))
        })
      let commits = try BareCommits(path: folder.path(of: "first.sqlite"), synchronous: .normal)
      samples.commits.append(try stopwatch.nanoseconds { try commits.commit() })
      feed.arrays.resize(resize.position, by: resize.delta)
      try checkAnswers(cache)
      try cache.close()
    }
    try folder.removeDatabase("first.sqlite")
    add(
      .firstResize, samples.engine, comparedWith: [(.bareCommit, Figures(samples.commits))],
      details: try work.means())
  }

  /// Moves items to random positions; then some items to the end of another section, and back.
  private func measureMoves(comparedWith commits: BareCommits) throws {
    let cache = try openCache()
    try measureMovesAnywhere(in: cache, comparedWith: commits)
    try cache.update(
      BenchFeed.dataset, with: [.insertSection(key: Self.otherSection)], preparing: .upToDate)
    begin(.moveToSection)
    let numbers = distinctEvenNumbers(min(share(10), report.items / 4))
    let keys = numbers.map { feed.key($0) }
    let neighbors = numbers.map { feed.key($0 + 1) }
    try load(keys + neighbors, in: cache)
    var works = (there: CommittedWork(), back: CommittedWork())
    let samples = try stopwatch.inTurn(
      numbers.count,
      [
        { call in
          works.there.add(
            try cache.update(
              BenchFeed.dataset,
              with: [.move(key: keys[call], to: .end(section: Self.otherSection))]))
        },
        { call in
          works.back.add(
            try cache.update(
              BenchFeed.dataset, with: [.move(key: keys[call], to: .before(neighbors[call]))]))
        },
        { _ in try commits.commit() },
      ]
    ) { _ in
      try announce("moves")
      // Commits update only layouts that are read.
      _ = try read(cache) { $0.contentSize }
    }
    try cache.close()
    let bare: [BenchRow.BaselineFigures] = [(.bareCommit, Figures(samples[2]))]
    add(.moveToSection, samples[0], comparedWith: bare, details: try works.there.means())
    add(.moveBack, samples[1], comparedWith: bare, details: try works.back.means())
  }

  private func measureMovesAnywhere(in cache: LayoutCache, comparedWith commits: BareCommits) throws
  {
    begin(.moveRandom)
    let pairs = (0..<share(10)).map { _ in
      let number = Int.random(in: 0..<report.items, using: &random)
      let other = (number + Int.random(in: 1..<report.items, using: &random)) % report.items
      return (key: feed.key(number), target: feed.key(other))
    }
    try load(pairs.flatMap { [$0.key, $0.target] }, in: cache)
    var work = CommittedWork()
    let samples = try stopwatch.inTurn(
      pairs.count,
      [
        { call in
          work.add(
            try cache.update(
              BenchFeed.dataset,
              with: [.move(key: pairs[call].key, to: .before(pairs[call].target))]))
        },
        { _ in try commits.commit() },
      ]
    ) { _ in
      try announce("moves")
      // Commits update only layouts that are read.
      _ = try read(cache) { $0.contentSize }
    }
    add(
      .moveRandom, samples[0], comparedWith: [(.bareCommit, Figures(samples[1]))],
      details: try work.means())
  }

  /// Returns numbers of items that are not adjacent: each item moves back to its neighbor, which
  /// must not have moved.
  private func distinctEvenNumbers(_ count: Int) -> [Int] {
    var known: Set<Int> = []
    var numbers: [Int] = []
    while numbers.count < count {
      let number = Int.random(in: 0..<(report.items / 2 - 1), using: &random) * 2
      if known.insert(number).inserted { numbers.append(number) }
    }
    return numbers
  }

  private func newItems(_ count: Int) throws -> [Item] {
    let numbers = nextNumber..<(nextNumber + count)
    nextNumber = numbers.upperBound
    return try numbers.map { try feed.newItem($0, using: &random) }
  }
}
