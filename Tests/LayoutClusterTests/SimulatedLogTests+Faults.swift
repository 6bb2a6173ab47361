import ClusterSimulation
import ClusterTestSupport
import LayoutCache
import LayoutCluster
import LayoutReplication
import Testing

// Each fault by itself.

extension SimulatedLogTests {
  @Test func lostCallHasNoEffect() throws {
    let failure = with([\.lostCall]) { failing { try append([1], after: origin) } }
    #expect(Self.isAway(failure) || Self.isUnknown(failure))
    #expect(try sequences() == [])
  }

  @Test func lostAnswerIsUnknownButApplied() throws {
    let failure = with([\.lostAnswer]) { failing { try append([1], after: origin) } }
    #expect(Self.isUnknown(failure))
    #expect(try sequences() == [1])
    #expect(try append([1], after: origin) == .behind)
  }

  @Test func phantomArrivesIfItsPositionIsFree() throws {
    for isTaken in [false, true] {
      let name = UInt8(isTaken ? 2 : 1)
      let end = try #require(try node.dataset(named: "feed")).position
      let failure = with([\.phantom]) { failing { try append([name], after: end) } }
      #expect(Self.isUnknown(failure))
      #expect(try sequences().count == end.sequence)
      if isTaken { try append([9], after: end) }
      // The phantom write arrives before this call.
      let count = try with([\.phantomArrival]) { try sequences().count }
      #expect(count == end.sequence + 1)
      let proposal = [UInt8](repeating: name, count: 16)
      let found = try node.entries(of: origin.dataset, after: 0, bytesMax: 99)
      #expect(found.contains { $0.proposal == proposal } == !isTaken)
    }
  }

  @Test func duplicateIsAppendedOnce() throws {
    var place = origin
    for name in UInt8(1)...20 {
      let isFirst = name.isMultiple(of: 2)
      let rates: [WritableKeyPath<FaultRates, Double>] =
        isFirst ? [\.duplicate] : [\.duplicate, \.secondAnswer]
      let answer = try with(rates) { try append([name], after: place) }
      #expect(answer == (isFirst ? .appended : .behind))
      place = position(after: entries([name], after: place)[0])
    }
    #expect(try sequences() == Array(1...20))
  }

  @Test func deadNodeFailsUntilRestart() throws {
    #expect(throws: Killed.self) { try with([\.death]) { try append([1], after: origin) } }
    #expect(node.isDead)
    #expect(throws: Killed.self) { try node.info() }
    #expect(try sequences(by: other).count <= 1)
    node.restart()
    #expect(try sequences().count <= 1)
  }

  @Test func partitionedNodeRecoversAfterAWhile() throws {
    let failure = with([\.partition]) { failing { try append([1], after: origin) } }
    #expect(Self.isAway(failure))
    #expect(try append([2], after: origin, by: other) == .appended)
    var count = 0
    while Self.isAway(self.failing { _ = try node.info() }) { count += 1 }
    #expect((0...300).contains(count))
    #expect(try sequences() == [1])
  }

  /// Makes a standby take over during a call of the other node. Connections to the old leader
  /// stay with it, or are cut.
  private func failOver(_ more: WritableKeyPath<FaultRates, Double>...) throws {
    // A confirmed read would find that its connection is cut.
    other.believesReads = true
    defer { other.believesReads = false }
    _ = try with([\.failOver] + more) { try other.info() }
    other.restart()
  }

  @Test func acknowledgedOrConfirmedEntriesAreNeverLost() throws {
    for isConfirmed in [false, true] {
      var found: Set<[Int]> = []
      for seed in UInt64(1)...40 {
        let world = try SimulatedLogTests(seed: seed)
        try world.append([1], after: world.origin)
        let place = world.position(after: world.entries([1], after: world.origin)[0])
        #expect(
          Self.isUnknown(
            world.with([\.lostAnswer]) {
              world.failing { try world.append([2], after: place) }
            }))
        world.node.believesReads = !isConfirmed
        #expect(try world.sequences() == [1, 2])
        try world.failOver()
        found.insert(try world.sequences(by: world.other))
      }
      #expect(found == (isConfirmed ? [[1, 2]] : [[1], [1, 2]]))
    }
  }

  @Test func deposedLeaderAnswersOnlyUnconfirmedReads() throws {
    var staleCount = 0
    for seed in UInt64(1)...40 {
      let world = try SimulatedLogTests(seed: seed)
      try world.append([1], after: world.origin)
      let place = world.position(after: world.entries([1], after: world.origin)[0])
      try world.failOver(\.deposedLeaderLife)
      #expect(try world.append([3, 4], after: place, by: world.other) == .appended)
      var stale: [Int]?
      world.node.believesReads = true
      let cut = world.failing { stale = try world.sequences() }
      if let stale {
        staleCount += 1
        #expect(stale == [1])
        if seed.isMultiple(of: 2) {
          // The old leader forks: it writes, but no standby acknowledges.
          #expect(Self.isUnknown(world.failing { try world.append([2], after: place) }))
        } else {
          world.node.believesReads = false
          #expect(
            Self.isAway(world.failing { _ = try world.node.heads(of: [place.dataset]) }))
        }
      } else {
        #expect(Self.isAway(cut))
      }
      world.node.believesReads = false
      let believed = try world.node.entries(of: world.origin.dataset, after: 0, bytesMax: 99)
      #expect(believed.map(\.chain) == [[1], [3], [4]])
    }
    #expect((10...30).contains(staleCount))
  }

  @Test func connectingNodeMayReachADeposedLeader() throws {
    try append([1], after: origin)
    let place = position(after: entries([1], after: origin)[0])
    try failOver(\.deposedLeaderLife)
    #expect(try append([3], after: place, by: other) == .appended)
    node.restart()
    node.believesReads = true
    #expect(try with([\.deposedLeaderFinding]) { try sequences() } == [1])
    node.believesReads = false
    #expect(Self.isAway(failing { _ = try sequences() }))
  }

  @Test func lossIsRecordedAndSeenByNodes() throws {
    try append([1], after: origin)
    #expect(log.lastLoss == nil)
    _ = with([\.loss]) { failing { _ = try other.info() } }
    #expect(log.lastLoss != nil)
    // Connected nodes notice it too.
    #expect(Self.isAway(failing { _ = try node.info() }))
    #expect(try sequences().count <= 1)
  }

  @Test func otherNodesTakeStepsDuringACall() throws {
    var name: UInt8 = 0
    // The numbers of entries that others have added during the call.
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
      try append([name], after: place)
      place = position(after: entries([name], after: place)[0])
    }
    #expect(found == [0, 1])
  }
}
