import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import Testing

@testable import LayoutCluster

/// Variants of responsive layouts on nodes: each is in the log once, whichever node creates it.
@Suite struct NodeVariantTests {
  private static let configuration =
    #"{"container":{"widths":{"keep":3}},"section":{"columns":2}}"#

  private func id(_ name: String) -> LayoutID { LayoutID(name, of: "d") }

  private func read(_ name: String, _ node: NodeHouse.Node) throws -> (String, Incarnation) {
    try node.cache.read(id(name)) { ($0.layout.layout, $0.incarnation) }
  }

  /// Has a node follow the log as far as another one.
  private func follow(_ node: NodeHouse.Node, as far: NodeHouse.Node) throws {
    let token = try #require(try far.node.visit("d").token)
    _ = try node.node.visit("d", ReadBounds(least: .position(token)))
  }

  @Test func dropsAndConfigurationsReachEveryNode() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(40, to: "d")
    try a.cache.setLayout(id("any"), to: ConfigurationText.decode(Self.configuration))
    for width in [300, 400, 500] { _ = try read("any@\(width)", a) }
    try follow(b, as: a)
    #expect(
      try b.cache.layout(id("any")).variants.map(\.name) == ["any@296", "any@400", "any@496"])
    try b.cache.update("d", with: [.prefer(layout: "any@400", key: "1", length: 70)])
    try b.cache.setLayout(
      id("any"),
      to: ConfigurationText.decode(
        Self.configuration.replacing("\"keep\"", with: "\"step\":20,\"keep\"")))
    try follow(a, as: b)
    #expect(try a.cache.layout(id("any")).variants.map(\.name) == ["any@400"])
    #expect(try read("any@400", a) == read("any@400", b))
    try a.cache.removeLayout(id("any"))
    try follow(b, as: a)
    #expect(try b.cache.inspect(dataset: "d").layouts.isEmpty)
    for node in [a, b] { #expect(try node.cache.verify().problems.isEmpty) }
  }

  @Test func nodesThatMissEachOthersFirstRequestsShareOneVariant() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(40, to: "d")
    try a.cache.setLayout(id("any"), to: ConfigurationText.decode(Self.configuration))
    try follow(b, as: a)
    let first = try read("any@390", a)
    let end = try #require(try a.node.position(of: "d")).sequence
    // This node has not followed the log since, and so knows neither the variant nor its pin.
    #expect(try #require(try b.node.position(of: "d")).sequence < end)
    #expect(try read("any@384", b) == first)
    #expect(try b.cache.layout(id("any")).variants.count == 1)
    let lengths = try [a, b].map { node in
      try node.cache.read(id("any@390")) { try $0.columnEnds(inSection: 0) }
    }
    #expect(lengths[0] == lengths[1])
  }

  @Test func nodesAgreeOnWidthsThatAreNotStored() throws {
    let house = try NodeHouse()
    // The log has the system's time.
    let clock = TestClock(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    let (a, b) = (try house.node("a", clock: clock.clock), try house.node("b", clock: clock.clock))
    func names() throws -> [String] { try a.cache.layout(id("any")).variants.map(\.name) }
    try a.append(40, to: "d")
    try a.cache.setLayout(id("any"), to: ConfigurationText.decode(Self.configuration))
    for width in [304, 400, 504] { _ = try read("any@\(width)", a) }
    try follow(b, as: a)
    let temporary = try read("any@600", a)
    #expect(try read("any@600", b) == temporary)
    try b.cache.update("d", with: [.delete(keys: ["1"])])
    try follow(a, as: b)
    let ends = try [a, b].map { node in
      try node.cache.read(id("any@600")) { try $0.columnEnds(inSection: 0) }
    }
    #expect(ends[0] == ends[1])
    #expect(try names() == ["any@304", "any@400", "any@504"])
    // A node drops what it has not used for an hour.
    clock.advance(by: 4_000_000)
    _ = try read("any@400", a)
    _ = try read("any@600", a)
    #expect(try names() == ["any@400", "any@504", "any@600"])
    try follow(b, as: a)
    #expect(try b.cache.layout(id("any")).variants.map(\.name) == names())
    for node in [a, b] { #expect(try node.cache.verify().problems.isEmpty) }
  }
}
