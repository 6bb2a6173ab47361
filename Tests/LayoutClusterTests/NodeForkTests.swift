import ClusterSimulation
import ClusterTestSupport
import LayoutCache
import Synchronization
import Testing

@testable import LayoutCluster

// Strategy: the log is restored from a backup, with the same name, so that it lacks entries that
// nodes have applied; then it gets other entries. What nodes report, count and answer.

@Suite struct NodeForkTests {
  private final class Events: Sendable {
    private let events = Mutex<[NodeEvent]>([])

    func add(_ event: NodeEvent) { events.withLock { $0.append(event) } }

    func take() -> [NodeEvent] {
      events.withLock { events in
        defer { events = [] }
        return events
      }
    }
  }

  private func counter(_ name: String, of node: ClusterNode) -> Int? {
    node.status().counters.first { $0.name == name }?.value
  }

  @Test(arguments: [0, 1, 2, 3])
  func aLostTailIsReportedAndItsPositionsAreOfAnotherHistory(newEntries: Int) throws {
    let house = try NodeHouse()
    let events = Events()
    let a = try house.node("a") { $0.report = { events.add($0) } }
    try a.append(1, to: "d")
    try a.append(1, to: "d")
    let kept = try #require(try a.node.visit("d").token)
    let incarnation = try a.cache.dataset("d").incarnation
    let backup = house.simulated.backup
    try a.append(1, to: "d")
    try a.append(1, to: "d")
    let lost = try #require(try a.node.visit("d").token)
    house.simulated.restore(backup)
    // The connection to the former log fails once.
    _ = try? house.log.info()
    // Another node continues, with fewer, as many and more entries.
    let b = try house.node("b")
    _ = try b.node.visit("d")
    for _ in 0..<newEntries { try b.append(1, to: "d") }
    try a.node.poll()
    let reported = events.take()
    guard case .lostTail("d", let applied, let found)? = reported.first, reported.count == 1 else {
      Issue.record("reported are \(reported)")
      return
    }
    #expect(applied - found == 2 - newEntries)
    #expect(counter("lost_tails", of: a.node) == 1)
    #expect(try a.itemCount(of: "d") == 2 + newEntries)
    // Repeated polls report nothing further.
    try a.node.poll()
    #expect(events.take().isEmpty)
    for _ in newEntries..<4 { try b.append(1, to: "d") }
    try a.node.poll()
    for node in [a.node, b.node] {
      for token in [kept, lost] {
        #expect(throws: ClusterError.diverged) {
          try node.visit("d", ReadBounds(least: .position(token)))
        }
      }
    }
    // All nodes have the new history, also the one that has not seen the lost entries.
    try b.node.poll()
    let incarnations = try [a, b].map { try $0.cache.dataset("d").incarnation }
    #expect(incarnations[0] == incarnations[1] && incarnations[0] != incarnation)
    #expect(a.node.status().forked == ["d"] && b.node.status().forked == [])
    #expect(a.node.mayBeLost(5, of: "d") && !a.node.mayBeLost(100, of: "d"))
    // After a second loss the log has the first epoch again, and yet gets another history.
    house.simulated.restore(backup)
    _ = try? house.log.info()
    try a.node.poll()
    let again = try a.cache.dataset("d").incarnation
    #expect(again != incarnation && again != incarnations[0])
    #expect(counter("lost_tails", of: b.node) == 0)
  }

  @Test func aFailureToFollowIsReportedOnceAndSoIsItsEnd() throws {
    let house = try NodeHouse()
    let events = Events()
    let a = try house.node("a") { $0.report = { events.add($0) } }
    let b = try house.node("b")
    try a.append(1, to: "d")
    _ = try b.node.visit("d")
    try b.append(1, to: "d")
    let lagging = try #require(try a.node.look(at: a.node.residents()).first)
    house.log.failure = .unavailable("away")
    for _ in 0..<3 { a.node.followForPoll(lagging) }
    let failures = events.take()
    #expect(failures.count == 1)
    guard case .followingFailed("d", _)? = failures.first else {
      Issue.record("reported are \(failures)")
      return
    }
    house.log.failure = nil
    house.pass(.seconds(5))
    for _ in 0..<2 { a.node.followForPoll(lagging) }
    #expect(events.take() == [.followingResumed(dataset: "d")])
    #expect(counter("failed_follows", of: a.node) == 1)
    #expect(try a.itemCount(of: "d") == 2)
  }
}
