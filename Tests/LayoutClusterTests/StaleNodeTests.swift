import ClusterTestSupport
import CollectionLayout
import LayoutCache
import LayoutCluster
import LayoutGeometry
import Testing

// Strategy: a node makes a change that depends on what its file lacks: another node has just made
// it. The outcome is that of one machine.

@Suite struct StaleNodeTests {
  private let house: NodeHouse
  private let (a, b): (NodeHouse.Node, NodeHouse.Node)
  private let layout = LayoutID("l", of: "d")

  init() throws {
    house = try NodeHouse()
    (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(3, to: "d")
    try meet()
  }

  /// Brings both nodes to the end of the log.
  private func meet() throws {
    for node in [a, b, a] {
      try node.node.catchUp(with: "d")
      house.pass(.milliseconds(1))
    }
  }

  @Test func importsKeepTheOrder() throws {
    let order = DatasetOrder([.init(by: "n")])
    _ = try a.cache.sortDataset("d", by: order)
    _ = try b.cache.importItems(into: "d", mode: .replace) {
      try $0.add(Item(key: "x", width: 1, height: 1), section: "s")
    }
    #expect(try b.cache.dataset("d").order == order)
    _ = try a.cache.sortDataset("d", by: nil)
    _ = try b.cache.sortDataset("d", by: order)
    try meet()
    for node in [a, b] { #expect(try node.cache.dataset("d").order == order) }
  }

  @Test func measuredLengthsEndWithTheirWidth() throws {
    func set(width: Int, by node: NodeHouse.Node) throws {
      let text = #"{"container":{"width":\#(width)},"section":{"columns":1}}"#
      try node.cache.setLayout(layout, to: ConfigurationText.decode(text))
    }
    try set(width: 100, by: a)
    try meet()
    try a.cache.update("d", with: [.prefer(layout: "l", key: "0", length: 77)])
    try set(width: 200, by: b)
    let frame = try b.cache.read(layout) { try $0.attributes(forKey: "0")?.frame }
    #expect(frame?.size.height == 150)
  }

  /// Also one whose beginning no node can reach.
  @Test(arguments: [false, true]) func aRefusedLayoutIsLaidOutLater(isReconfigured: Bool) throws {
    func set(columns: Int) throws {
      let text = #"{"container":{"width":1000000},"section":{"columns":\#(columns)}}"#
      try a.cache.setLayout(layout, to: ConfigurationText.decode(text))
    }
    let long = try Item(key: "long", width: 0.015625, height: 1_000_000)
    try a.cache.update("d", with: [.insert([long], at: .end(section: "s"))])
    try set(columns: 1)
    #expect(throws: LayoutCacheError.self) { try a.cache.prepare(layout) }
    if isReconfigured { try set(columns: 2) }
    #expect(throws: LayoutCacheError.self) { try a.cache.prepare(layout) }
    try a.cache.update("d", with: [.delete(keys: ["long"])])
    try meet()
    for node in [b, a] {
      try node.cache.prepare(layout)
      #expect(try node.cache.read(layout) { $0.itemCount } == 3)
    }
    try meet()
    #expect(try a.node.checkpoint("d") != nil)
    let late = try house.node("late")
    _ = try late.node.visit("d")
    let frames = try [a, b, late].map { node in
      try node.cache.read(layout) { try $0.attributes(forKey: "2")?.frame }
    }
    #expect(Set(frames.map { "\(String(describing: $0))" }).count == 1)
  }
}
