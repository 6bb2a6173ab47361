import ClusterSimulation
import CollectionLayout
import LayoutCache
import LayoutGeometry
import TestSupport
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

  @Test func aVariantIsTheSameOnEveryNodeAndInTheLogOnce() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(40, to: "d")
    try a.cache.setLayout(id("any"), to: ConfigurationText.decode(Self.configuration))
    let first = try read("any@390", a)
    #expect(first.0 == "any@384")
    let end = try #require(try a.node.position(of: "d")).sequence
    try follow(b, as: a)
    // The node that comes later finds the row and its pin.
    #expect(try read("any@385", b) == first)
    #expect(try b.node.position(of: "d")?.sequence == end)
    #expect(try a.cache.layouts(of: "d").map(\.variants.count) == [1])
    #expect(try b.cache.layouts(of: "d").map(\.variants.count) == [1])
  }

  @Test func dropsAndConfigurationsReachEveryNode() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(40, to: "d")
    try a.cache.setLayout(id("any"), to: ConfigurationText.decode(Self.configuration))
    for width in [300, 400, 500] {
      _ = try read("any@\(width)", a)
    }
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
}
