import ClusterSimulation
import LayoutCache
import LayoutCluster
import TestSupport
import Testing

// What the log in memory promises: without faults what `SharedLogStore` says; with each fault
// alone what that fault may do, and no more.

@Suite struct SimulatedLogTests {
  private let log: SimulatedLog
  private let node: SimulatedLogHandle
  private let other: SimulatedLogHandle
  private let origin: SharedPosition

  init() throws { try self.init(seed: 1) }

  private init(seed: UInt64) throws {
    log = SimulatedLog(seed: seed)
    node = log.handle(node: 0)
    other = log.handle(node: 1)
    origin = try node.createDataset(named: "feed", chain: [0]).0.position
  }

  private func entries(
    _ names: [UInt8], behind position: SharedPosition, bytes: Int = 1
  ) -> [SharedEntry] {
    names.enumerated().map { index, name in
      SharedEntry(
        sequence: position.sequence + 1 + index, revision: position.sequence + 2 + index,
        kind: .batch, proposal: Array(repeating: name, count: 16), request: nil,
        payload: Array(repeating: name, count: bytes), time: 0, chain: [name])
    }
  }

  private func position(behind entry: SharedEntry) -> SharedPosition {
    SharedPosition(dataset: origin.dataset, sequence: entry.sequence, chain: entry.chain)
  }

  @discardableResult private func append(
    _ names: [UInt8], behind position: SharedPosition, by handle: SimulatedLogHandle? = nil
  ) throws -> SharedAppending {
    try (handle ?? node).append(entries(names, behind: position), behind: position, epoch: 1)
  }

  private func sequences(by handle: SimulatedLogHandle? = nil) throws -> [Int] {
    try (handle ?? node).entries(of: origin.dataset, after: 0, bytesMax: 1 << 20).map(\.sequence)
  }

  /// A rate alone, until the body ends.
  private func with<Result>(
    _ rates: [WritableKeyPath<FaultRates, Double>], _ body: () throws -> Result
  ) rethrows -> Result {
    for rate in rates { log.rates[keyPath: rate] = 1 }
    defer { log.rates = .none }
    return try body()
  }

  private func failing(_ body: () throws -> Void) -> SharedLogFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? SharedLogFailure
    }
  }

  private static func isUnknown(_ failure: SharedLogFailure?) -> Bool {
    if case .isUnknown = failure { true } else { false }
  }

  private static func isAway(_ failure: SharedLogFailure?) -> Bool {
    if case .isAway = failure { true } else { false }
  }

  // MARK: Without faults

  @Test func entriesAreAppendedBehindTheEndAlone() throws {
    #expect(try append([1, 2], behind: origin) == .isDone)
    #expect(try append([3], behind: origin) == .isBehind)
    let end = position(behind: entries([1, 2], behind: origin)[1])
    var parted = end
    parted.chain = [9]
    #expect(try append([3], behind: parted) == .isBehind)
    #expect(try node.append(entries([3], behind: end), behind: end, epoch: 2) == .isBehind)
    #expect(try append([3, 1], behind: end) == .isRepeated)
    #expect(try append([3], behind: end) == .isDone)
    #expect(try sequences() == [1, 2, 3])
    let head = try #require(try node.dataset(named: "feed"))
    #expect(head.position == position(behind: entries([3], behind: end)[0]))
    #expect(head.revision == 4)
    #expect(try node.heads(of: [origin.dataset, 99]) == [head])
    #expect(
      try node.sequence(of: Array(repeating: 2, count: 16), in: origin.dataset) == 2)
    #expect(try node.sequence(of: Array(repeating: 4, count: 16), in: origin.dataset) == nil)
  }

  @Test func aPageOfEntriesHasOneAtLeast() throws {
    let batch = entries([1, 2, 3], behind: origin, bytes: 100)
    #expect(try node.append(batch, behind: origin, epoch: 1) == .isDone)
    for (bytesMax, count) in [(1, 1), (199, 1), (200, 2), (1000, 3)] {
      let page = try node.entries(of: origin.dataset, after: 0, bytesMax: bytesMax)
      #expect(page == Array(batch.prefix(count)))
    }
    let rest = try node.entries(of: origin.dataset, after: 1, bytesMax: 1000)
    #expect(rest == Array(batch.dropFirst()))
  }

  @Test func datasetsAreListedMadeRenamedAndRemoved() throws {
    let (head, isNew) = try other.createDataset(named: "feed", chain: [7])
    #expect(!isNew && head.position == origin)
    for name in ["a", "Z", "é"] { _ = try node.createDataset(named: name, chain: [1]) }
    #expect(try node.datasets(after: nil, countMax: 9).map(\.name) == ["Z", "a", "feed", "é"])
    #expect(try node.datasets(after: "a", countMax: 1).map(\.name) == ["feed"])
    #expect(try node.renameDataset(origin.dataset, to: "a") == .isTaken)
    #expect(try node.renameDataset(origin.dataset, to: "b") == .isDone)
    #expect(try node.dataset(named: "feed") == nil)
    #expect(try node.removeDataset(origin.dataset))
    #expect(try !node.removeDataset(origin.dataset))
    #expect(try node.renameDataset(origin.dataset, to: "b") == .isGone)
    #expect(try append([1], behind: origin) == .isGone)
    #expect(try node.heads(of: [origin.dataset]) == [])
    let again = try node.createDataset(named: "b", chain: [2])
    #expect(again.isNew && again.0.position.dataset != origin.dataset)
  }

  @Test func aCheckpointIsPublishedOnceAndWhereTheLogIs() throws {
    try append([1, 2, 3], behind: origin)
    let all = entries([1, 2, 3], behind: origin)
    let image = try node.beginImage(of: origin.dataset)
    try node.putChunk([1, 2], number: 0, of: image)
    #expect(try other.chunk(0, of: image) == [1, 2])
    #expect(try other.chunk(1, of: image) == nil)
    var parted = position(behind: all[1])
    parted.chain = [9]
    #expect(try !node.publishCheckpoint(image, at: parted, digest: [5]))
    #expect(try node.publishCheckpoint(image, at: position(behind: all[1]), digest: [5]))
    #expect(try !node.publishCheckpoint(image, at: position(behind: all[1]), digest: [5]))
    let later = try node.beginImage(of: origin.dataset)
    #expect(try node.publishCheckpoint(later, at: position(behind: all[2]), digest: [6]))
    #expect(try node.checkpoints(of: origin.dataset).map(\.image) == [later, image])
    // Both are published, and only what is in neither of them and not named is swept.
    let orphan = try node.beginImage(of: nil)
    log.imageNamed = { _ in orphan }
    #expect(try node.sweepImages(olderThan: -1) == 0)
    log.imageNamed = { _ in nil }
    #expect(try node.sweepImages(olderThan: 1000) == 0)
    #expect(try node.sweepImages(olderThan: -1) == 1)
    try node.removeImage(later)
    #expect(try node.checkpoints(of: origin.dataset).map(\.image) == [image])
  }

  @Test func theLogIsCutUpToACheckpointAtMost() throws {
    try append([1, 2, 3], behind: origin)
    try node.cut(origin.dataset, upTo: 1)
    #expect(try sequences() == [1, 2, 3])
    let place = position(behind: entries([1, 2], behind: origin)[1])
    let image = try node.beginImage(of: origin.dataset)
    #expect(try node.publishCheckpoint(image, at: place, digest: []))
    try node.cut(origin.dataset, upTo: 3)
    #expect(try sequences() == [3])
    #expect(try node.dataset(named: "feed")?.cut == 2)
    #expect(try node.sequence(of: Array(repeating: 1, count: 16), in: origin.dataset) == nil)
    try node.cut(origin.dataset, upTo: 1)
    #expect(try sequences() == [3])
  }

  @Test func layoutsHaveNumbersOfTheirOwn() throws {
    let numbers = try (0..<10).map { try ($0 % 2 == 0 ? node : other).freshLayoutID() }
    #expect(Set(numbers).count == 10)
    #expect(try node.info() == other.info())
  }

  // MARK: Faults

  @Test func aLostCallHasDoneNothing() throws {
    let failure = with([\.lostCall]) { failing { try append([1], behind: origin) } }
    #expect(Self.isAway(failure) || Self.isUnknown(failure))
    #expect(try sequences() == [])
  }

  @Test func aLostAnswerIsUnknownAndDone() throws {
    let failure = with([\.lostAnswer]) { failing { try append([1], behind: origin) } }
    #expect(Self.isUnknown(failure))
    #expect(try sequences() == [1])
    #expect(try append([1], behind: origin) == .isBehind)
  }

  @Test func aPhantomComesLaterIfItsPlaceIsStillFree() throws {
    for isTaken in [false, true] {
      let name = UInt8(isTaken ? 2 : 1)
      let end = try #require(try node.dataset(named: "feed")).position
      let failure = with([\.phantom]) { failing { try append([name], behind: end) } }
      #expect(Self.isUnknown(failure))
      #expect(try sequences().count == end.sequence)
      if isTaken { try append([9], behind: end) }
      // It comes before this call.
      let count = try with([\.phantomArrival]) { try sequences().count }
      #expect(count == end.sequence + 1)
      let proposal = [UInt8](repeating: name, count: 16)
      let found = try node.sequence(of: proposal, in: origin.dataset)
      #expect(found == (isTaken ? nil : 1))
    }
  }

  @Test func aDuplicateIsAppendedOnce() throws {
    var answers: Set<SharedAppending> = []
    var place = origin
    for name in UInt8(1)...20 {
      answers.insert(try with([\.duplicate]) { try append([name], behind: place) })
      place = position(behind: entries([name], behind: place)[0])
    }
    #expect(answers == [.isDone, .isBehind])
    #expect(try sequences() == Array(1...20))
  }

  @Test func aDeadNodeIsDeadUntilItStarts() throws {
    #expect(throws: Killed.self) { try with([\.death]) { try append([1], behind: origin) } }
    #expect(node.isDead)
    #expect(throws: Killed.self) { try node.info() }
    #expect(try sequences(by: other).count <= 1)
    node.restart()
    #expect(try sequences().count <= 1)
  }

  @Test func aPartitionedNodeIsAwayForAWhile() throws {
    let failure = with([\.partition]) { failing { try append([1], behind: origin) } }
    #expect(Self.isAway(failure))
    #expect(try append([2], behind: origin, by: other) == .isDone)
    var count = 0
    while Self.isAway(self.failing { _ = try node.info() }) { count += 1 }
    #expect((0...300).contains(count))
    #expect(try sequences() == [1])
  }

  /// The other node makes a standby take over; who is connected to the old leader stays with
  /// it, or finds its connection cut.
  private func failOver(_ more: WritableKeyPath<FaultRates, Double>...) throws {
    _ = try with([\.failOver] + more) { try other.info() }
    other.restart()
  }

  @Test func whatIsAcknowledgedOrBehindABarrierIsNeverLost() throws {
    for hasBarrier in [false, true] {
      var found: Set<[Int]> = []
      for seed in UInt64(1)...40 {
        let world = try SimulatedLogTests(seed: seed)
        try world.append([1], behind: world.origin)
        let place = world.position(behind: world.entries([1], behind: world.origin)[0])
        #expect(
          Self.isUnknown(
            world.with([\.lostAnswer]) {
              world.failing { try world.append([2], behind: place) }
            }))
        #expect(try world.sequences() == [1, 2])
        if hasBarrier { try world.node.barrier(node: []) }
        try world.failOver()
        found.insert(try world.sequences(by: world.other))
      }
      #expect(found == (hasBarrier ? [[1, 2]] : [[1], [1, 2]]))
    }
  }

  @Test func aDeposedLeaderAnswersUntilABarrierFails() throws {
    var staleCount = 0
    for seed in UInt64(1)...40 {
      let world = try SimulatedLogTests(seed: seed)
      try world.append([1], behind: world.origin)
      let place = world.position(behind: world.entries([1], behind: world.origin)[0])
      try world.failOver(\.deposedLeaderLife)
      #expect(try world.append([3, 4], behind: place, by: world.other) == .isDone)
      var stale: [Int]?
      let cut = world.failing { stale = try world.sequences() }
      if let stale {
        staleCount += 1
        #expect(stale == [1])
        // It forks: it writes, and nobody acknowledges.
        #expect(Self.isUnknown(world.failing { try world.append([2], behind: place) }))
        // At the latest the barrier says that what was read is not to be believed.
        _ = world.failing { try world.node.barrier(node: []) }
      } else {
        #expect(Self.isAway(cut))
      }
      try world.node.barrier(node: [])
      #expect(try world.sequences() == [1, 2, 3])
      let chains = try world.node.entries(of: world.origin.dataset, after: 0, bytesMax: 99)
      #expect(chains.map(\.chain) == [[1], [3], [4]])
    }
    #expect((10...30).contains(staleCount))
  }

  @Test func aNodeThatConnectsMayFindADeposedLeader() throws {
    try append([1], behind: origin)
    let place = position(behind: entries([1], behind: origin)[0])
    try failOver(\.deposedLeaderLife)
    #expect(try append([3], behind: place, by: other) == .isDone)
    node.restart()
    #expect(try with([\.deposedLeaderFinding]) { try sequences() } == [1])
    #expect(Self.isUnknown(failing { try node.barrier(node: []) }))
  }

  @Test func aLossIsToldOf() throws {
    try append([1], behind: origin)
    #expect(log.lastLoss == nil)
    _ = with([\.loss]) { failing { _ = try other.info() } }
    #expect(log.lastLoss != nil)
    // Also those who were connected find out.
    #expect(Self.isAway(failing { _ = try node.info() }))
    #expect(try sequences().count <= 1)
  }

  @Test func othersTakeStepsWhileACallIsOnItsWay() throws {
    var name: UInt8 = 0
    // How many entries there are more than before the call that is on its way.
    var found: Set<Int> = []
    var isTaking = false
    log.runOther = { [other, origin] in
      guard !isTaking else { return }
      isTaking = true
      defer { isTaking = false }
      let count = (try? other.entries(of: origin.dataset, after: 0, bytesMax: 99).count) ?? -1
      found.insert(count - Int(name) + 1)
    }
    defer { log.runOther = nil }
    log.rates.interleaving = 0.5
    var place = origin
    while name < 30 {
      name += 1
      try append([name], behind: place)
      place = position(behind: entries([name], behind: place)[0])
    }
    #expect(found == [0, 1])
  }
}
