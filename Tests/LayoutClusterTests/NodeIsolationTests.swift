import ClusterTestSupport
import Dispatch
import LayoutCache
import Synchronization
import Testing
import Threads

@testable import LayoutCluster

// Strategy: calls of the log fail in each way, or are not answered at all. What nodes do with
// other datasets, and how often they call the log, is checked.

@Suite struct NodeIsolationTests {
  /// A log whose reads of some datasets are not answered until a test permits it.
  private final class StuckLog: ForwardingLog {
    let base: any SharedLog
    private let gate = DispatchSemaphore(value: 0)
    private let stuck = Mutex<Set<Int64>>([])
    private let waiting = Atomic(0)

    init(_ base: any SharedLog) { self.base = base }

    var waitingCount: Int { waiting.load(ordering: .sequentiallyConsistent) }

    func hold(_ dataset: Int64) { stuck.withLock { _ = $0.insert(dataset) } }

    /// Lets one call pass; the next waits.
    func pass() { gate.signal() }

    func release(_ count: Int) {
      stuck.withLock { $0 = [] }
      for _ in 0..<count { gate.signal() }
    }

    func tail(of dataset: Int64, after sequence: Int, bytesMax: Int) throws -> SharedTail? {
      if stuck.withLock({ $0.contains(dataset) }) {
        waiting.add(1, ordering: .sequentiallyConsistent)
        gate.wait()
      }
      return try around { try base.tail(of: dataset, after: sequence, bytesMax: bytesMax) }
    }
  }

  private static let answers: [SharedLogFailure] = [
    .busy("locked"), .unknown("lost"), .rejected("no"), .incompatible("other"),
    .newerEntry("newer"), .archiveDeleted("swept"),
  ]

  @Test(arguments: answers)
  func onlyAnUnavailableLogEndsTheContact(failure: SharedLogFailure) throws {
    let house = try NodeHouse()
    let a = try house.node("a")
    for name in ["d", "e"] { try a.append(1, to: name) }
    house.log.failure = failure
    #expect(throws: LayoutCacheError.self) { try a.append(1, to: "d") }
    #expect(a.node.status().awayReason == nil)
    house.log.failure = nil
    // Without a poll.
    try a.append(1, to: "e")
    #expect(try a.itemCount(of: "e") == 2)
  }

  @Test func namesThatCannotExistDoNotReachTheLog() throws {
    let house = try NodeHouse()
    let a = try house.node("a")
    let calls = house.log.callCount
    for name in ["", "\0", "a\0b", "a\nb", String(repeating: "a", count: 256)] {
      #expect(throws: LayoutCacheError.self) { try a.node.visit(name) }
      #expect(throws: LayoutCacheError.self) { try a.cache.removeDataset(name) }
      #expect(throws: LayoutCacheError.self) { try a.cache.update(name, with: []) }
      #expect(try !a.node.hasDataset(name))
    }
    #expect(house.log.callCount == calls)
  }

  @Test func unknownNameIsRememberedForASecond() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    #expect(throws: LayoutCacheError.self) { try b.node.visit("d") }
    let calls = house.log.callCount
    for _ in 0..<3 { #expect(throws: LayoutCacheError.self) { try b.node.visit("d") } }
    #expect(house.log.callCount == calls)
    try a.append(1, to: "d")
    // A reader with a position asks in any case.
    let token = try #require(try a.node.visit("d").token)
    _ = try b.node.visit("d", ReadBounds(least: .position(token)))
    #expect(throws: LayoutCacheError.self) { try b.node.visit("e") }
    try a.append(1, to: "e")
    house.pass(.seconds(1.1))
    _ = try b.node.visit("e")
    // A dataset that the node itself creates.
    #expect(throws: LayoutCacheError.self) { try b.node.visit("f") }
    try b.append(1, to: "f")
    _ = try b.node.visit("f")
  }

  @Test func layoutOfAnotherNodeIsLookedUpOnce() async throws {
    let house = try NodeHouse()
    let a = try house.node("a")
    // Longer than any pause of a busy machine.
    let b = try house.node("b") { $0.readTimeout = .seconds(60) }
    try a.append(1, to: "d")
    _ = try b.node.visit("d")
    house.pass(.seconds(1))
    try a.cache.setLayout(LayoutID("l", of: "d"), to: NodeHouse.configuration)
    #expect(try await b.node.mayFind(LayoutID("l", of: "d")))
    _ = try b.cache.layout(LayoutID("l", of: "d"))
    let calls = house.log.callCount
    #expect(try await !b.node.mayFind(LayoutID("l", of: "d")))
    #expect(try await !b.node.mayFind(LayoutID("\n", of: "d")))
    #expect(house.log.callCount == calls)
  }

  @Test func readersOfResidentDatasetsDoNotWaitForAStuckLog() async throws {
    let house = try NodeHouse()
    let log = StuckLog(house.log)
    let a = try house.node("a", on: log) { $0.readTimeout = .milliseconds(50) }
    for name in ["d", "e"] { try a.append(1, to: name) }
    let id = try #require(try house.log.dataset(named: "d")).position.dataset
    let token = try #require(try a.node.visit("d").token)
    house.pass(.seconds(10))
    log.hold(id)
    // Returns while the log still does not answer.
    #expect(try await a.node.acquireRead("d").age == .seconds(10))
    // Many readers that must wait occupy one thread, so that other datasets are asked for.
    var later = token.text.split(separator: ".")
    later[2] = "99"
    let bounds = ReadBounds(
      least: .position(try #require(PositionToken(text: later.joined(separator: ".")))))
    let waiting = (0..<40).map { _ in Task { try await a.node.acquireRead("d", bounds) } }
    let lease = try await a.node.acquireRead("e", ReadBounds(ageMax: .zero))
    #expect(lease.age == .zero)
    #expect(log.waitingCount == 1)
    log.release(1)
    for each in waiting { await #expect(throws: ClusterError.self) { try await each.value } }
  }

  @Test func readersWaitForADatasetThatIsBeingLoaded() async throws {
    let house = try NodeHouse()
    let a = try house.node("a")
    for _ in 0..<2 { try a.append(1, to: "d") }
    let log = StuckLog(house.log)
    let b = try house.node("b", on: log) { $0.readTimeout = .milliseconds(50) }
    let head = try #require(try house.log.dataset(named: "d")).position
    log.hold(head.dataset)
    let first = Task { try await b.node.acquireRead("d") }
    // The first call looks for an archive to begin with.
    while log.waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
    log.pass()
    while log.waitingCount < 2 { try await Task.sleep(for: .milliseconds(1)) }
    b.node.availability.withLock { $0.didFail("no answer", at: b.node.options.now()) }
    // The file has the beginning of the dataset, which no reader of this node must see.
    let start = try #require(try b.node.position(of: "d"))
    #expect(start.sequence < head.sequence)
    #expect(try b.node.tryAcquireRead("d") == nil)
    #expect(throws: LayoutCacheError.self) { try b.node.visit("d") }
    // Nor does its reader wait for the call that is not answered.
    await #expect(throws: LayoutCacheError.self) { try await first.value }
    // A node that is started again after it was killed has the same beginning.
    func startAgain() throws -> ClusterNode {
      let node = try house.node("b").node
      node.availability.withLock { $0.didFail("no answer", at: node.options.now()) }
      return node
    }
    #expect(try startAgain().tryAcquireRead("d") == nil)
    log.release(1)
    while try b.node.tryAcquireRead("d") == nil { try await Task.sleep(for: .milliseconds(1)) }
    #expect(try b.itemCount(of: "d") == 2)
    #expect(try startAgain().tryAcquireRead("d") != nil)
  }

  @Test func readersThatWaitForACallFailWithIt() async throws {
    let house = try NodeHouse()
    let log = StuckLog(house.log)
    let a = try house.node("a", on: log)
    try a.append(1, to: "d")
    log.hold(try #require(try house.log.dataset(named: "d")).position.dataset)
    house.pass(.seconds(1))
    let readers = (0..<20).map { _ in
      Task { try await a.node.acquireRead("d", ReadBounds(ageMax: .zero)) }
    }
    while a.node.turns.waitingCount(of: ExactKey("d")) < 19 {
      try await Task.sleep(for: .milliseconds(1))
    }
    house.log.failure = .busy("locked")
    let calls = house.log.callCount
    log.release(1)
    for reader in readers {
      await #expect(throws: LayoutCacheError.self) { try await reader.value }
    }
    // Not one call after another, each of which may take seconds.
    #expect(house.log.callCount == calls + 1)
  }

  @Test func readersWithBoundsDoNotWaitForAnUnavailableLog() async throws {
    let house = try NodeHouse()
    let log = StuckLog(house.log)
    let a = try house.node("a", on: log) { $0.readTimeout = .milliseconds(50) }
    try a.append(1, to: "d")
    log.hold(try #require(try house.log.dataset(named: "d")).position.dataset)
    house.pass(.seconds(1))
    let readers = (0..<3).map { _ in
      Task { try await a.node.acquireRead("d", ReadBounds(ageMax: .zero)) }
    }
    while log.waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
    a.node.availability.withLock { $0.didFail("no answer", at: a.node.options.now()) }
    for reader in readers {
      await #expect(throws: LayoutCacheError.self) { try await reader.value }
    }
    #expect(log.waitingCount == 1)
    log.release(1)
  }

  @Test func entryOfANewerVersionQuarantinesTheDataset() throws {
    let house = try NodeHouse()
    let events = Mutex<[NodeEvent]>([])
    let a = try house.node("a")
    let b = try house.node("b") { $0.report = { event in events.withLock { $0.append(event) } } }
    try a.append(1, to: "d")
    try a.append(1, to: "other")
    _ = try b.node.visit("d")
    let next = try #require(try house.log.dataset(named: "d")).position.sequence + 2
    for _ in 0..<3 { try a.append(1, to: "d") }
    house.log.newerFrom = next
    for _ in 0..<3 { try b.node.poll() }
    // The entry before it is applied.
    #expect(try b.itemCount(of: "d") == 2)
    #expect(b.node.status().quarantined == ["d"])
    #expect(events.withLock { $0 } == [.quarantined(dataset: "d", reason: "newer")])
    #expect(b.node.status().counters.first { $0.name == "quarantines" }?.value == 1)
    do {
      try b.append(1, to: "d")
      Issue.record("the change was committed")
    } catch let error as LayoutCacheError {
      #expect(error.category == .busy)
    }
    // A new node reports the same.
    let c = try house.node("c")
    _ = try? c.node.visit("d")
    #expect(try c.node.visit("d").quarantine == "newer")
    #expect(try c.itemCount(of: "d") == 2)
    house.log.newerFrom = nil
    house.pass(.seconds(61))
    try b.node.poll()
    #expect(try b.itemCount(of: "d") == 4)
    #expect(events.withLock { $0.last } == .followingResumed(dataset: "d"))
  }
}
