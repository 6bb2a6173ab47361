import ClusterSimulation
import ClusterTestSupport
import LayoutCache
import LayoutCluster
import LayoutReplication
import TestSupport
import Testing

// The guarantees of the log in memory. Without faults it behaves as `SharedLog` documents; the
// extension tests that each fault has only its documented effects.

@Suite struct SimulatedLogTests {
  let log: SimulatedLog
  let node: SimulatedLogHandle
  let other: SimulatedLogHandle
  let origin: SharedPosition

  init() throws { try self.init(seed: 1) }

  init(seed: UInt64) throws {
    log = SimulatedLog(seed: seed)
    node = log.handle(node: 0)
    other = log.handle(node: 1)
    origin = try node.createDataset(named: "feed", chain: [0], time: 5).position
  }

  func entries(
    _ names: [UInt8], after position: SharedPosition, bytes: Int = 1
  ) -> [SharedEntry] {
    names.enumerated().map { index, name in
      SharedEntry(
        sequence: position.sequence + 1 + index, revision: position.sequence + 2 + index,
        kind: .batch, proposal: Array(repeating: name, count: 16), request: nil,
        payload: Array(repeating: name, count: bytes), time: 0, chain: [name])
    }
  }

  func position(after entry: SharedEntry) -> SharedPosition {
    SharedPosition(dataset: origin.dataset, sequence: entry.sequence, chain: entry.chain)
  }

  @discardableResult func append(
    _ names: [UInt8], after position: SharedPosition, by handle: SimulatedLogHandle? = nil
  ) throws -> SharedAppending {
    try (handle ?? node).append(entries(names, after: position), after: position, epoch: 1)
  }

  func sequences(by handle: SimulatedLogHandle? = nil) throws -> [Int] {
    try (handle ?? node).entries(of: origin.dataset, after: 0, bytesMax: 1 << 20).map(\.sequence)
  }

  /// Runs `body` with only the given faults.
  func with<Result>(
    _ rates: [WritableKeyPath<FaultRates, Double>], _ body: () throws -> Result
  ) rethrows -> Result {
    for rate in rates { log.rates[keyPath: rate] = 1 }
    defer { log.rates = .none }
    return try body()
  }

  func failing(_ body: () throws -> Void) -> SharedLogFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? SharedLogFailure
    }
  }

  static func isUnknown(_ failure: SharedLogFailure?) -> Bool {
    if case .unknown = failure { true } else { false }
  }

  static func isAway(_ failure: SharedLogFailure?) -> Bool {
    if case .unavailable = failure { true } else { false }
  }

  @Test func entriesAreAppendedOnlyAtTheEnd() throws {
    #expect(try append([1, 2], after: origin) == .appended)
    #expect(try append([3], after: origin) == .behind)
    let end = position(after: entries([1, 2], after: origin)[1])
    var parted = end
    parted.chain = [9]
    #expect(try append([3], after: parted) == .behind)
    #expect(try node.append(entries([3], after: end), after: end, epoch: 2) == .behind)
    #expect(try append([3], after: end) == .appended)
    #expect(try sequences() == [1, 2, 3])
    let head = try #require(try node.dataset(named: "feed"))
    #expect(head.position == position(after: entries([3], after: end)[0]))
    #expect(head.revision == 4)
    #expect(try node.heads(of: [origin.dataset, 99]) == [head])
  }

  @Test func pageHasAtLeastOneEntry() throws {
    let batch = entries([1, 2, 3], after: origin, bytes: 100)
    #expect(try node.append(batch, after: origin, epoch: 1) == .appended)
    for (bytesMax, count) in [(1, 1), (199, 1), (200, 2), (1000, 3)] {
      let page = try node.entries(of: origin.dataset, after: 0, bytesMax: bytesMax)
      #expect(page == Array(batch.prefix(count)))
    }
    let rest = try node.entries(of: origin.dataset, after: 1, bytesMax: 1000)
    #expect(rest == Array(batch.dropFirst()))
  }

  @Test func datasetsAreListedCreatedRenamedAndRemoved() throws {
    let head = try other.createDataset(named: "feed", chain: [7], time: 6)
    #expect(head.position == origin && head.begin == [0] && head.time == 5)
    for name in ["a", "Z", "é"] { _ = try node.createDataset(named: name, chain: [1], time: 0) }
    #expect(try node.datasets(after: nil, countMax: 9).map(\.name) == ["Z", "a", "feed", "é"])
    #expect(try node.datasets(after: "a", countMax: 1).map(\.name) == ["feed"])
    func rename(to name: String, _ tag: [UInt8]) throws -> Bool {
      try node.renameDataset(origin.dataset, tagged: head.nameTag, to: name, tagged: tag)
    }
    #expect(try !rename(to: "a", [8]))
    #expect(try rename(to: "b", [9]))
    #expect(try !rename(to: "c", [8]))
    #expect(try node.dataset(named: "feed") == nil)
    #expect(try !node.removeDataset(origin.dataset, named: "feed"))
    #expect(try node.removeDataset(origin.dataset, named: "b"))
    #expect(try !node.removeDataset(origin.dataset, named: "b"))
    #expect(try !node.renameDataset(origin.dataset, tagged: [9], to: "b", tagged: [8]))
    #expect(try append([1], after: origin) == .behind)
    #expect(try node.heads(of: [origin.dataset]) == [])
    let again = try node.createDataset(named: "b", chain: [2], time: 0)
    #expect(again.begin == [2] && again.position.dataset != origin.dataset)
  }

  @Test func checkpointIsPublishedOnceAndAtALogPosition() throws {
    try append([1, 2, 3], after: origin)
    let all = entries([1, 2, 3], after: origin)
    let archive = try node.beginArchive(of: origin.dataset)
    try node.putChunk([1, 2], number: 0, of: archive)
    #expect(try other.chunk(0, of: archive) == [1, 2])
    #expect(try other.chunk(1, of: archive) == nil)
    var parted = position(after: all[1])
    parted.chain = [9]
    #expect(try !node.publishCheckpoint(archive, at: parted, digest: [5]))
    #expect(try node.publishCheckpoint(archive, at: position(after: all[1]), digest: [5]))
    #expect(try !node.publishCheckpoint(archive, at: position(after: all[1]), digest: [5]))
    let later = try node.beginArchive(of: origin.dataset)
    #expect(try node.publishCheckpoint(later, at: position(after: all[2]), digest: [6]))
    #expect(try node.checkpoints(of: origin.dataset).map(\.archive) == [later, archive])
    // Both are published, and only archives that neither names are swept.
    _ = try node.beginArchive(of: nil)
    #expect(try node.sweepArchives(olderThan: 1000) == 0)
    #expect(try node.sweepArchives(olderThan: -1) == 1)
    try node.removeArchive(archive)
    try node.removeArchive(later)
    #expect(try node.checkpoints(of: origin.dataset).map(\.archive) == [later])
  }

  @Test func logIsCutUpToACheckpointAtMost() throws {
    try append([1, 2, 3], after: origin)
    try node.cut(origin.dataset, upTo: 1)
    #expect(try sequences() == [1, 2, 3])
    let place = position(after: entries([1, 2], after: origin)[1])
    let archive = try node.beginArchive(of: origin.dataset)
    #expect(try node.publishCheckpoint(archive, at: place, digest: []))
    try node.cut(origin.dataset, upTo: 3)
    #expect(try sequences() == [3])
    #expect(try node.dataset(named: "feed")?.cut == 2)
    try node.cut(origin.dataset, upTo: 1)
    #expect(try sequences() == [3])
  }

  @Test func layoutNumbersAreUnique() throws {
    let numbers = try (0..<10).map { try ($0 % 2 == 0 ? node : other).reserveLayoutIDs($0 + 1) }
    #expect(numbers == [1, 2, 4, 7, 11, 16, 22, 29, 37, 46])
    #expect(try node.info() == other.info())
  }
}
