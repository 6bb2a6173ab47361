import ClusterTestSupport
import LayoutCache
import LayoutReplication
import Testing

@testable import LayoutCluster

// Strategy: nodes use a log that tests switch off and on, and a clock that tests set. Answers
// are compared with the writes, and the calls of the log are counted.

@Suite struct NodeReadingTests {
  @Test func readerWaitsForItsOwnWrite() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(3, to: "d")
    _ = try b.node.visit("d")
    try a.append(2, to: "d")
    let token = try #require(try a.node.visit("d").token)
    #expect(try b.itemCount(of: "d") == 3)
    // The write has not arrived, and reads without bounds do not wait for it.
    #expect(try b.node.tryAcquireRead("d") != nil)
    let bounds = ReadBounds(least: .position(token))
    #expect(try b.node.tryAcquireRead("d", bounds) == nil)
    let visit = try b.node.visit("d", bounds)
    #expect(try b.itemCount(of: "d") == 5)
    #expect(visit.isGood)
    #expect(visit.token == token)
    #expect(try b.node.tryAcquireRead("d", bounds) != nil)
    // The same for a revision, which is looked up in the file.
    try a.append(1, to: "d")
    let revision = try a.cache.dataset("d").revision
    _ = try b.node.visit("d", ReadBounds(least: .revision(revision)))
    #expect(try b.itemCount(of: "d") == 6)
    #expect(throws: ClusterError.self) {
      try b.node.visit("d", ReadBounds(least: .revision(revision + 1)))
    }
  }

  @Test func tokenRoundTripsAndIsBoundToItsHistory() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(1, to: "d")
    let token = try #require(try a.node.visit("d").token)
    #expect(PositionToken(text: token.text) == token)
    for text in ["", "1", "1.2.3", "x.1.1.1", "1.1.-1.1", "1.1.1.1.1", token.text + ".", "1.1.1.g"]
    {
      #expect(PositionToken(text: text) == nil, "\(text)")
    }
    _ = try b.node.visit("d")
    try a.cache.removeDataset("d")
    try a.append(1, to: "d")
    // The other node still has the previous dataset, but must not reject a token that it can
    // look up.
    let fresh = try #require(try a.node.visit("d").token)
    #expect(try b.node.tryAcquireRead("d", ReadBounds(least: .position(fresh))) == nil)
    #expect(try b.node.visit("d", ReadBounds(least: .position(fresh))).token == fresh)
    for node in [a, b] {
      #expect(throws: ClusterError.diverged) {
        try node.node.visit("d", ReadBounds(least: .position(token)))
      }
    }
  }

  @Test func localDataIsReadDuringALogOutage() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(3, to: "d")
    try a.append(3, to: "elsewhere")
    _ = try b.node.visit("d")
    house.log.failure = .unavailable("switched off")
    house.pass(.seconds(30))
    let visit = try b.node.visit("d")
    #expect(visit.age == .seconds(30))
    #expect(try b.itemCount(of: "d") == 3)
    // Once a call has failed, only polls call the log.
    #expect(throws: SharedLogFailure.self) { try b.node.poll() }
    let calls = house.log.callCount
    #expect(throws: LayoutCacheError.self) { try b.append(1, to: "d") }
    #expect(throws: LayoutCacheError.self) { try b.node.visit("elsewhere") }
    #expect(throws: LayoutCacheError.self) {
      try b.node.visit("d", ReadBounds(ageMax: .seconds(1)))
    }
    #expect(try b.node.tryAcquireRead("d") != nil)
    #expect(house.log.callCount == calls)
    #expect(b.node.status().awayReason == "switched off")
    house.log.failure = nil
    house.pass(.seconds(2))
    #expect(throws: LayoutCacheError.self) { try b.append(1, to: "d") }
    try b.node.poll()
    try b.append(1, to: "d")
    #expect(b.node.status().awayReason == nil)
    #expect(try b.node.visit("d", ReadBounds(ageMax: .seconds(1))).age == .zero)
  }

  @Test func invalidEntryKeepsTheLastGoodState() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(3, to: "d")
    try a.append(50, to: "other")
    _ = try b.node.visit("d")
    let head = try #require(try house.log.dataset(named: "d"))
    _ = try ContractTools.append([[0, 0, 99]], after: head, to: house.log)
    for node in [a, b] {
      try node.node.poll()
      #expect(node.node.status().quarantined == ["d"])
      #expect(try node.node.visit("d").quarantine != nil)
      #expect(try node.itemCount(of: "d") == 3)
      #expect(throws: LayoutCacheError.self) { try node.append(1, to: "d") }
      try node.append(1, to: "other")
    }
    // The log is not read again for a while; then the outcome is the same.
    let calls = house.log.callCount
    try b.node.poll()
    let callsOfPoll = house.log.callCount - calls
    house.pass(.seconds(61))
    try b.node.poll()
    #expect(house.log.callCount - calls > 2 * callsOfPoll)
    #expect(b.node.status().quarantined == ["d"])
    // A new node has the dataset up to the invalid entry.
    let c = try house.node("c")
    _ = try? c.node.visit("d")
    #expect(try c.node.visit("d").quarantine != nil)
    #expect(try c.itemCount(of: "d") == 3)
  }

  @Test func staleHeadsOfADeletedDatasetAreIgnored() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(3, to: "d")
    _ = try b.node.visit("d")
    try a.cache.removeDataset("d")
    // A poll that is slower than a reader, which has already found the next dataset.
    let behind = try b.node.look(at: b.node.residents())
    try a.append(4, to: "d")
    let token = try #require(try a.node.visit("d").token)
    _ = try b.node.visit("d", ReadBounds(least: .position(token)))
    for each in behind { try b.node.follow(each) }
    #expect(try b.node.tryAcquireRead("d", ReadBounds(least: .position(token))) != nil)
    #expect(try b.itemCount(of: "d") == 4)
  }

  @Test func nodeStartsFromItsFileDuringALogOutage() throws {
    let house = try NodeHouse()
    do {
      let a = try house.node("a")
      try a.append(4, to: "d")
      try a.cache.close()
    }
    house.log.failure = .unavailable("switched off")
    let again = try house.node("a")
    #expect(try again.node.visit("d").age == nil)
    #expect(try again.itemCount(of: "d") == 4)
    #expect(throws: SharedLogFailure.self) { try house.node("new") }
    house.log.failure = nil
    try again.node.poll()
    try again.append(1, to: "d")
    #expect(try again.itemCount(of: "d") == 5)
  }

  @Test func staleDatasetIsUpdatedBeforeReading() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(1, to: "d")
    _ = try b.node.visit("d")
    try a.append(1, to: "d")
    house.pass(.seconds(4))
    _ = try b.node.visit("d")
    #expect(try b.itemCount(of: "d") == 1)
    house.pass(.seconds(4))
    #expect(try b.node.tryAcquireRead("d") == nil)
    _ = try b.node.visit("d")
    #expect(try b.itemCount(of: "d") == 2)
    try a.append(1, to: "d")
    house.pass(.milliseconds(1))
    _ = try b.node.visit("d", ReadBounds(ageMax: .zero))
    #expect(try b.itemCount(of: "d") == 3)
  }

  @Test func rebuildOrEvictionEndsAVisit() throws {
    let house = try NodeHouse()
    let a = try house.node("a")
    try a.append(1, to: "d")
    let visit = try a.node.visit("d")
    try a.node.rebuild("d")
    #expect(!visit.isGood)
    let next = try a.node.visit("d")
    #expect(next.isGood)
    try a.node.evict("d")
    #expect(!next.isGood)
    #expect(try a.node.tryAcquireRead("d") == nil)
  }

  @Test func unsupportedRulesStopANode() throws {
    let house = try NodeHouse()
    let version = LayoutRules.version
    let old = try house.node("old")
    let new = try house.node("new") { $0.rules = version...(version + 1) }
    try old.append(1, to: "d")
    _ = try new.node.visit("d")
    var info = try house.log.info()
    info.rules = version + 1
    house.log.replacedInfo = info
    for node in [old, new] { try node.node.poll() }
    #expect(throws: LayoutCacheError.self) { try old.node.visit("d") }
    #expect(throws: LayoutCacheError.self) { try old.append(1, to: "d") }
    #expect(!old.node.status().rulesAreKnown)
    try new.append(1, to: "d")
    _ = try new.node.visit("d")
    #expect(new.node.status().rulesAreKnown)
    // The version is lowered again, as after raising it by mistake.
    house.log.replacedInfo = nil
    try old.node.poll()
    try old.append(1, to: "d")
    #expect(try old.itemCount(of: "d") == 3)
  }

  @Test func restoredLogIsAnotherHistory() throws {
    let house = try NodeHouse()
    let a = try house.node("a")
    try a.append(2, to: "d")
    try a.cache.setLayout(LayoutID("l", of: "d"), to: NodeHouse.configuration)
    let before = try a.cache.read(LayoutID("l", of: "d")) { $0.incarnation }
    let token = try #require(try a.node.visit("d").token)
    try a.node.checkpoint("d")
    var info = try house.log.info()
    info.incarnation = [UInt8](repeating: 7, count: 16)
    house.log.replacedInfo = info
    #expect(throws: ClusterError.diverged) { try a.node.poll() }
    try a.cache.close()
    // The nodes start again, with a checkpoint and without one.
    for name in ["a", "b"] {
      if name == "a" { #expect(throws: ClusterError.otherLog(["d"])) { try house.node(name) } }
      let again = try house.node(name) { $0.adoptsFile = true }
      #expect(throws: ClusterError.diverged) {
        try again.node.visit("d", ReadBounds(least: .position(token)))
      }
      _ = try again.node.visit("d")
      #expect(try again.itemCount(of: "d") == 2)
      let after = try again.cache.read(LayoutID("l", of: "d")) { $0.incarnation }
      #expect(after.rawValue.split(separator: "-")[0] != before.rawValue.split(separator: "-")[0])
      try again.cache.close()
    }
  }
}
