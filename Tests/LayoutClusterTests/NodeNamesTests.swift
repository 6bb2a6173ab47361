import ClusterTestSupport
import LayoutCache
import LayoutCluster
import LayoutGeometry
import Testing

// Strategy: a node changes the names of datasets that another one has, and that has not polled the
// log since. The simulation loses and repeats the answers to changes of names.

@Suite struct NodeNamesTests {
  private let house: NodeHouse
  private let a: NodeHouse.Node
  private let b: NodeHouse.Node

  init() throws {
    house = try NodeHouse()
    (a, b) = (try house.node("a"), try house.node("b"))
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
