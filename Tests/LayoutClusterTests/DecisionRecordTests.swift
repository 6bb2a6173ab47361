import ClusterTestSupport
import LayoutCache
import Synchronization
import Testing

@testable import LayoutCluster

// Strategy: a node lacks three entries of a dataset, and has the record of processes that have ended
// at the first or the second of them.

@Suite struct DecisionRecordTests {
  @Test(arguments: [0, 1, 2])
  func anEntryThatHasEndedTwoProcessesIsNotDecided(endCount: Int) throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    for name in ["d", "e"] {
      try a.append(1, to: name)
      _ = try b.node.visit(name)
    }
    let position = try #require(try b.node.position(of: "d"))
    for name in ["d", "e", "d", "d"] { try a.append(1, to: name) }
    var record = DecisionRecord(of: [])
    let first = position.sequence + 1
    record.begin(position.dataset, first, through: first + 2)
    for _ in 1..<max(1, endCount) {
      // A process that does not decide them adds no end.
      for _ in 0..<3 { record = DecisionRecord(of: record.encoded) }
      #expect(record.endCount(position.dataset, first) == 1)
      #expect(record.endCount(position.dataset, first + 3) == nil)
      record.begin(position.dataset, first, through: first)
    }
    let stored = Mutex<[[UInt8]]>([])
    let next = try house.node("b") {
      $0.storedDecisions = endCount == 0 ? [] : record.encoded
      $0.storeDecisions = { bytes in stored.withLock { $0.append(bytes) } }
    }
    try next.node.poll()
    // Of the other dataset one entry.
    #expect(stored.withLock { $0.count } == [4, 8, 2][endCount])
    #expect(try next.itemCount(of: "e") == 2)
    #expect(try next.itemCount(of: "d") == [4, 4, 1][endCount])
    #expect(next.node.status().quarantined == (endCount == 2 ? ["d"] : []))
  }

  @Test func rejectedRequestsAreLimitedPerMinute() throws {
    let house = try NodeHouse()
    let a = try house.node("a")
    try a.append(1, to: "d")
    func refused() -> Bool {
      let error = #expect(throws: LayoutCacheError.self) {
        try a.cache.update("d", with: [.delete(keys: ["missing"])])
      }
      return error?.category == .busy
    }
    for _ in 0..<1_000 { #expect(!refused()) }
    #expect(refused())
    house.pass(.seconds(61))
    #expect(!refused())
    try a.append(1, to: "d")
  }
}
