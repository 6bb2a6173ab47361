import ClusterTestSupport
import LayoutCache
import LayoutCluster
import LayoutReplication
import Logging
import Testing

// Strategy: the background work of a node is called step by step, and once by `run`.

@Suite struct NodeUpkeepTests {
  @Test func unusedDatasetsAreEvicted() throws {
    let house = try NodeHouse()
    let writer = try house.node("writer")
    for name in ["first", "second", "third"] { try writer.append(2_000, to: name) }
    let node = try house.node("reader") { $0.diskBytes = 1 }
    for name in ["first", "second", "third"] {
      _ = try node.node.visit(name)
      house.pass(.seconds(1))
    }
    // All datasets are in use.
    try node.node.evictUnused()
    #expect(node.node.status().residentCount == 3)
    house.pass(.seconds(4))
    _ = try node.node.visit("second")
    try node.node.evictUnused()
    #expect(try node.cache.datasets().map(\.name) == ["second"])
    #expect(node.node.status().residentCount == 1)
    // Evicted datasets are loaded again on request.
    _ = try node.node.visit("first")
    #expect(try node.itemCount(of: "first") == 2_000)
  }

  @Test func datasetWithAListenerIsNotEvicted() async throws {
    let house = try NodeHouse()
    let node = try house.node("a") { $0.diskBytes = 1 }
    for name in ["heard", "unheard"] { try node.append(500, to: name) }
    let commits = try await node.cache.commits(of: "heard")
    house.pass(.seconds(60))
    try node.node.evictUnused()
    #expect(try node.cache.datasets().map(\.name) == ["heard"])
    withExtendedLifetime(commits) {}
  }

  @Test func oneNodeMakesTheCheckpointsThatAreDue() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(100, to: "short")
    try a.append(30_000, to: "long")
    _ = try b.node.visit("long")
    let id = try #require(try house.log.dataset(named: "long")).position.dataset
    #expect(try house.log.claimCheckpoint(of: id, for: 0.01))
    // Another node is making it.
    #expect(a.node.makeCheckpoints().isEmpty)
    #expect(try house.log.checkpoints(of: id).isEmpty)
    for _ in 0..<20 { _ = try house.log.look(at: []) }
    #expect(b.node.makeCheckpoints().isEmpty)
    #expect(a.node.makeCheckpoints().isEmpty)
    func checkpoints(of dataset: String) throws -> [SharedCheckpoint] {
      let head = try #require(try house.log.dataset(named: dataset))
      return try house.log.checkpoints(of: head.position.dataset)
    }
    #expect(try checkpoints(of: "short").isEmpty)
    #expect(try checkpoints(of: "long").map(\.position.sequence) == [1])
    // Only once, until there are enough new entries.
    try a.append(10, to: "long")
    #expect(a.node.makeCheckpoints().isEmpty)
    #expect(try checkpoints(of: "long").count == 1)
    // A layout computed from scratch counts as much work as the dataset.
    try b.cache.setLayout(LayoutID("l", of: "long"), to: NodeHouse.configuration)
    try b.cache.read(LayoutID("l", of: "long")) { _ in }
    try a.node.poll()
    #expect(a.node.makeCheckpoints().isEmpty)
    #expect(try checkpoints(of: "long").count == 2)
    #expect(b.node.makeCheckpoints().isEmpty)
    #expect(try checkpoints(of: "long").count == 2)
    let c = try house.node("c")
    let calls = house.log.callCount
    _ = try c.node.visit("long")
    try c.cache.read(LayoutID("l", of: "long")) { #expect($0.revision > 1) }
    #expect(try c.itemCount(of: "long") == 30_010)
    #expect(house.log.callCount - calls < 20)
  }

  @Test func logIsCutOnlyAfterConsistentCheckpoints() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(30, to: "d")
    try a.cache.setLayout(LayoutID("l", of: "d"), to: NodeHouse.configuration)
    try a.cache.read(LayoutID("l", of: "d")) { _ in }
    var chunks: [[UInt8]] = []
    _ = try a.cache.exportReplica(of: "d", in: a.node.log) { chunks.append($0) }
    try a.append(5, to: "d")
    // The position is right, but the content is of an earlier one.
    var heads: [[UInt8]] = []
    let (position, digest) = try a.cache.exportReplica(of: "d", in: a.node.log) {
      heads.append($0)
    }
    let archive = try house.log.beginArchive(of: position.dataset)
    for (number, chunk) in ([heads[0]] + chunks.dropFirst()).enumerated() {
      try house.log.putChunk(chunk, number: number, of: archive)
    }
    #expect(try house.log.publishCheckpoint(archive, at: position, digest: digest))
    func cut() throws -> Int { try #require(try house.log.dataset(named: "d")).cut }
    try a.append(5, to: "d")
    try a.node.checkpoint("d")
    try a.append(5, to: "d")
    for node in [a, b] {
      _ = try node.node.visit("d")
      #expect(throws: ClusterError.self) { try node.node.cutLog(of: "d") }
    }
    #expect(try cut() == 0)
    // Two valid checkpoints.
    try a.node.checkpoint("d")
    try a.append(5, to: "d")
    try a.node.cutLog(of: "d")
    #expect(try cut() > position.sequence)
    let c = try house.node("c")
    _ = try c.node.visit("d")
    #expect(try c.itemCount(of: "d") == 50)
  }

  @Test func damagedCheckpointDoesNotBlockOtherDatasets() throws {
    let house = try NodeHouse()
    let a = try house.node("a")
    let good = ["first", "second"]
    for name in good { try a.append(22_000, to: name) }
    try a.append(15_000, to: "bad")
    let (position, digest) = try a.cache.exportReplica(of: "bad", in: a.node.log) { _ in }
    let archive = try house.log.beginArchive(of: position.dataset)
    try house.log.putChunk([1, 2, 3], number: 0, of: archive)
    let cost = try #require(try house.log.dataset(named: "bad")).cost
    #expect(try house.log.publishCheckpoint(archive, at: position, digest: digest, covering: cost))
    try a.append(22_000, to: "bad")
    #expect(a.node.makeCheckpoints().map(\.dataset) == ["bad"])
    for name in good {
      let head = try #require(try house.log.dataset(named: name))
      #expect(try house.log.checkpoints(of: head.position.dataset).count == 1)
    }
    #expect(try #require(try house.log.dataset(named: "bad")).cut == 0)
    // The damage was reported once, and the checkpoint is not retried.
    #expect(a.node.makeCheckpoints().isEmpty)
  }

  /// When a checkpoint is due follows from the log, whichever nodes have written it.
  @Test func changesOfEarlierProcessesCount() throws {
    let house = try NodeHouse()
    for _ in 0..<5 {
      let a = try house.node("a")
      try a.append(5_000, to: "d")
      #expect(a.node.makeCheckpoints().isEmpty)
      try a.cache.close()
      // Each process alone changes less than a checkpoint is made for.
      let head = try #require(try house.log.dataset(named: "d"))
      #expect(head.cost - head.coveredCost < 20_000)
    }
    let head = try #require(try house.log.dataset(named: "d"))
    #expect(head.coveredCost >= 20_000)
    #expect(try house.log.checkpoints(of: head.position.dataset).count >= 1)
  }

  @Test func unknownNamesLeaveNoState() throws {
    let house = try NodeHouse()
    let a = try house.node("a")
    for number in 0..<50 {
      #expect(throws: LayoutCacheError.self) { try a.node.visit("none \(number)") }
    }
    #expect(a.node.status().residentCount == 0)
    #expect(a.node.queueCount == 0)
  }

  /// The only test with the system's clock: the loops run, and end. If the node does not
  /// follow, the time limit cancels both tasks; concurrent slow tests do not reach it.
  @Test(.timeLimit(.minutes(60))) func runFollowsTheLogAndEndsWhenCancelled() async throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b") { $0.pollInterval = .milliseconds(5) })
    try a.append(1, to: "d")
    _ = try b.node.visit("d")
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await b.node.run(Logger(label: "test"))
        return false
      }
      try a.append(2, to: "d")
      group.addTask {
        while try b.itemCount(of: "d") < 3 { try await Task.sleep(for: .milliseconds(5)) }
        return true
      }
      // `run` ends only by an error or when it is cancelled.
      #expect(try await group.next() == true)
      group.cancelAll()
      #expect(try await group.next() == false)
    }
  }
}
