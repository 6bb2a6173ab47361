import ClusterTestSupport
import LayoutCache
import LayoutCluster
import LayoutGeometry
import LayoutReplication
import Synchronization
import TestSupport
import Testing

// Strategy: one call that changes a name is answered wrongly or not at all, and another node
// changes the names in between. What clients are told, and what the log has then, is compared.

@Suite struct NodeNamesTests {
  /// A log that gives the next change of a name to a hook.
  private final class HookedLog: ForwardingLog {
    typealias Hook = @Sendable (_ perform: () throws -> Void) throws -> Void
    let base: any SharedLog
    private let hook = Mutex<Hook?>(nil)
    private let lookupsLeft = Mutex<Int?>(nil)

    init(_ base: any SharedLog) { self.base = base }

    /// A hook that does not perform the call gives the answer of a server without the dataset.
    func onNext(_ hook: @escaping Hook) { self.hook.withLock { $0 = hook } }

    /// Fails all lookups after some.
    func failLookups(after count: Int?) { lookupsLeft.withLock { $0 = count } }

    private func meet(_ perform: () throws -> Void) throws {
      guard let hook = hook.withLock({ $0.take() }) else { return try perform() }
      try hook(perform)
    }

    func dataset(named name: String) throws -> SharedHead? {
      let mayCall = lookupsLeft.withLock { left in
        guard let count = left else { return true }
        left = count - 1
        return count > 0
      }
      if !mayCall { throw SharedLogFailure.unavailable("away") }
      return try around { try base.dataset(named: name) }
    }

    func createDataset(
      named name: String, chain: [UInt8], time: Int64, beginningWith entry: SharedEntry?
    ) throws -> SharedHead {
      let position = SharedPosition(dataset: 99, sequence: 0, chain: [9])
      var head = SharedHead(
        name: name, nameTag: [9], epoch: 1, position: position, revision: 1, cut: 0, begin: [9],
        time: 0)
      try meet {
        head = try base.createDataset(named: name, chain: chain, time: time, beginningWith: entry)
      }
      return head
    }

    func removeDataset(_ id: Int64, named name: String) throws -> Bool {
      var answer = false
      try meet { answer = try base.removeDataset(id, named: name) }
      return answer
    }

    func renameDataset(
      _ id: Int64, tagged tag: [UInt8], to newName: String, tagged newTag: [UInt8]
    ) throws -> Bool {
      var answer = false
      try meet { answer = try base.renameDataset(id, tagged: tag, to: newName, tagged: newTag) }
      return answer
    }
  }

  private static let lost = SharedLogFailure.unknown("the answer is lost")

  private let house: NodeHouse
  private let log: HookedLog
  private let a: NodeHouse.Node
  private let b: NodeHouse.Node

  init() throws {
    house = try NodeHouse()
    log = HookedLog(house.log)
    (a, b) = (try house.node("a", on: log), try house.node("b"))
  }

  private var names: [String] {
    get throws { try house.log.datasets(after: nil, countMax: 9).map(\.name) }
  }

  private func expectUnknown(_ body: () throws -> Void) {
    let error = #expect(throws: LayoutCacheError.self) { try body() }
    guard case .outcomeUnknown? = error?.code else {
      Issue.record("the error is \(String(describing: error))")
      return
    }
  }

  // MARK: Answers

  @Test func anUnconfirmedAnswerRemovesAndRenamesNothing() throws {
    try a.append(1, to: "d")
    log.onNext { _ in }
    try a.cache.removeDataset("d")
    #expect(try names == [])
    try a.append(1, to: "d")
    log.onNext { _ in }
    try a.cache.renameDataset("d", to: "e")
    #expect(try names == ["e"])
  }

  @Test func anUnconfirmedAnswerCreatesNothing() throws {
    log.onNext { _ in }
    expectUnknown { try a.cache.createDataset("d") }
    #expect(try names == [])
    try a.cache.createDataset("d")
    #expect(try names == ["d"])
  }

  @Test func aChangeOfADatasetThatIsCreatedAgainIsMadeThere() throws {
    try a.append(3, to: "d")
    _ = try b.node.visit("d")
    try a.cache.removeDataset("d")
    try a.append(1, to: "d")
    // The other node has not polled the log.
    try b.cache.update("d", with: [.resize(key: "0", size: Size(width: 7, height: 9))])
    #expect(try b.cache.dataset("d").itemCount == 1)
    #expect(try b.cache.item(forKey: "0", of: "d")?.item.size == Size(width: 7, height: 9))
  }

  /// The dataset was created, although another one has the name when it is looked up.
  @Test func aCreationThatIsUndoneIsNotRejected() throws {
    log.onNext { [b] perform in
      try perform()
      try b.cache.removeDataset("d")
      try b.cache.createDataset("d")
    }
    expectUnknown { try a.cache.createDataset("d") }
    #expect(try names == ["d"])
  }

  /// A second call would create another dataset: the first one has a new name.
  @Test func aCreationWithoutAnAnswerIsNotRepeated() throws {
    log.onNext { [b] perform in
      try perform()
      try b.cache.renameDataset("d", to: "e")
      throw Self.lost
    }
    expectUnknown { try a.cache.createDataset("d") }
    #expect(try names == ["e"])
    log.onNext { perform in
      try perform()
      throw Self.lost
    }
    try a.cache.createDataset("d")
    #expect(try names == ["d", "e"])
    try a.append(1, to: "d")
  }

  /// The rename was made, although the dataset has a third name now.
  @Test func aRenameWithoutAnAnswerIsNotRejected() throws {
    try a.append(1, to: "d")
    log.onNext { [b] perform in
      try perform()
      try b.cache.renameDataset("e", to: "f")
      throw Self.lost
    }
    expectUnknown { try a.cache.renameDataset("d", to: "e") }
    #expect(try names == ["f"])
  }

  /// The rename is not made a second time, although the dataset has its first name again.
  @Test(arguments: [false, true])
  func aRenameWithoutAnAnswerIsMadeOnce(isAnotherFirst: Bool) throws {
    try a.append(1, to: "d")
    log.onNext { [b] perform in
      if isAnotherFirst {
        try b.cache.renameDataset("d", to: "c")
        try b.cache.renameDataset("c", to: "d")
      } else {
        try perform()
        try b.cache.renameDataset("e", to: "d")
      }
      throw Self.lost
    }
    expectUnknown { try a.cache.renameDataset("d", to: "e") }
    #expect(try names == ["d"])
  }

  /// A removal without an answer can be repeated after any renames.
  @Test(arguments: [false, true])
  func aRemovalWithoutAnAnswerIsRepeated(isMade: Bool) throws {
    try a.append(1, to: "d")
    log.onNext { [b] perform in
      if isMade {
        try perform()
        // Another dataset has the name, and stays.
        try b.append(2, to: "d")
      } else {
        try b.cache.renameDataset("d", to: "c")
        try b.cache.renameDataset("c", to: "d")
      }
      throw Self.lost
    }
    try a.cache.removeDataset("d")
    #expect(try names == (isMade ? ["d"] : []))
  }

  @Test func aRenameThatIsMadeIsNotReportedAsFailed() throws {
    try b.append(1, to: "d")
    // Following is not possible once the rename is made.
    log.onNext { [log] perform in
      try perform()
      log.failLookups(after: 0)
    }
    expectUnknown { try a.cache.renameDataset("d", to: "e") }
    #expect(try names == ["e"])
    log.failLookups(after: nil)
    house.pass(.seconds(2))
    try a.node.poll()
    _ = try a.node.visit("e")
    #expect(try a.itemCount(of: "e") == 1)
  }

  // MARK: Former names

  private func makeLaidOut(_ name: String, by node: NodeHouse.Node) throws {
    try node.append(3, to: name)
    try node.cache.setLayout(LayoutID("l", of: name), to: NodeHouse.configuration)
  }

  @Test(arguments: [false, true])
  func aRenamedDatasetIsFoundByItsNewNameBeforeAnyPoll(isCheckpointed: Bool) throws {
    try makeLaidOut("d", by: a)
    _ = try b.node.visit("d")
    if isCheckpointed { try a.node.checkpoint("d") }
    try a.cache.renameDataset("d", to: "e")
    try b.append(1, to: "e")
    #expect(try b.itemCount(of: "e") == 4)
    #expect(try b.cache.layout(LayoutID("l", of: "e")).name == "l")
    #expect(try b.node.position(of: "d") == nil)
    // And by readers.
    try a.cache.renameDataset("e", to: "c")
    _ = try b.node.visit("c")
    #expect(try b.cache.layout(LayoutID("l", of: "c")).name == "l")
    #expect(throws: LayoutCacheError.self) { try b.node.visit("d") }
    #expect(b.node.status().quarantined == [])
  }

  /// Also on a node that loads a checkpoint.
  @Test(arguments: [false, true])
  func theHistoryOfALayoutIsTheSameOnEveryNode(isCheckpointed: Bool) throws {
    try makeLaidOut("d", by: a)
    _ = try b.node.visit("d")
    let layout = LayoutID("l", of: "d")
    var configuration = try NodeHouse.configuration
    configuration.section.columns = 7
    _ = try LayoutCache.$caller.withValue("shop") {
      try a.cache.setLayout(layout, to: configuration)
    }
    if isCheckpointed { try a.node.checkpoint("d") }
    let history = try a.cache.layoutHistory(of: layout)
    #expect(history.map(\.who) == ["shop", nil])
    let c = try house.node("c")
    for node in [b, c] {
      try node.append(1, to: "d")
      #expect(try node.cache.layoutHistory(of: layout) == history)
    }
  }

  /// A node does not poll a dataset that is not in use, so its name may be long out of date.
  @Test(arguments: [false, true])
  func theFormerNameIsNotThatOfTheDataset(isTaken: Bool) throws {
    try a.append(1, to: "d")
    _ = try b.node.visit("d")
    try a.cache.renameDataset("d", to: "e")
    if isTaken { try a.append(5, to: "d") }
    house.pass(.seconds(60))
    let size = Size(width: .points(9), height: .points(9))
    // A change, and one without an effect.
    for batch in [[BatchOperation.resize(key: "0", size: size)], []] {
      let result = Result { try b.cache.update("d", with: batch) }
      if isTaken {
        _ = try result.get()
      } else {
        #expect(throws: LayoutCacheError.self) { try result.get() }
      }
    }
    _ = try b.node.visit("e", ReadBounds(ageMax: .zero))
    #expect(try b.itemCount(of: "e") == 1)
    #expect(try b.cache.item(forKey: "0", of: "e")?.item.size != size)
    if isTaken { #expect(try b.cache.item(forKey: "0", of: "d")?.item.size == size) }
  }

  @Test func aReaderByTheFormerNameIsNotGivenTheDataset() throws {
    try a.append(1, to: "d")
    _ = try b.node.visit("d")
    try a.cache.renameDataset("d", to: "e")
    house.pass(.seconds(60))
    #expect(throws: LayoutCacheError.self) { try b.node.visit("d") }
    try a.append(2, to: "d")
    house.pass(.seconds(60))
    _ = try b.node.visit("d")
    #expect(try b.itemCount(of: "d") == 2)
    _ = try b.node.visit("e")
    #expect(try b.itemCount(of: "e") == 1)
  }

  /// Names that change places.
  @Test func swappedNamesAreFollowed() throws {
    for (name, count) in [("d", 1), ("e", 2)] { try a.append(count, to: name) }
    for name in ["d", "e"] { _ = try b.node.visit(name) }
    for (name, other) in [("d", "f"), ("e", "d"), ("f", "e")] {
      try a.cache.renameDataset(name, to: other)
    }
    for _ in 0..<2 {
      house.pass(.seconds(1))
      for name in ["d", "e"] { _ = try b.node.visit(name, ReadBounds(ageMax: .zero)) }
      try b.node.poll()
    }
    for name in ["d", "e"] { _ = try b.node.visit(name) }
    #expect(try b.itemCount(of: "d") == 2)
    #expect(try b.itemCount(of: "e") == 1)
  }

  @Test func aRenamedDatasetIsReloaded() throws {
    try makeLaidOut("d", by: a)
    _ = try b.node.visit("d")
    let id = try #require(try house.log.dataset(named: "d")).position.dataset
    try a.cache.renameDataset("d", to: "e")
    // The node must load it again, and does not know its name yet.
    try house.log.raiseEpoch(of: id, from: 1, to: 5)
    house.pass(.seconds(1))
    let error = #expect(throws: LayoutCacheError.self) {
      try b.node.visit("d", ReadBounds(ageMax: .zero))
    }
    guard case .noSuchDataset("d")? = error?.code else {
      Issue.record("the error is \(String(describing: error))")
      return
    }
    #expect(b.node.status().quarantined == [])
    _ = try b.node.visit("e")
    #expect(try b.itemCount(of: "e") == 3)
    #expect(try b.node.position(of: "d") == nil)
  }
}
