import CollectionLayout
import LayoutCache
import LayoutGeometry
import Testing

@testable import LayoutCluster

/// Templates on nodes: all have those of the log, and a dataset's layout is filed in its log once.
@Suite struct NodeTemplateTests {
  private let phone = LayoutID("phone", of: "d")

  private func template(
    _ name: String = "t", of datasets: String = "*", width: Int
  ) throws -> LayoutTemplate {
    try LayoutTemplate(
      name, datasets: datasets, layout: "phone",
      configuration: ConfigurationText.decode(
        #"{"container":{"width":\#(width)},"section":{"columns":2}}"#))
  }

  private func read(_ node: NodeHouse.Node) throws -> (Length, Incarnation) {
    try node.cache.read(phone) { ($0.contentSize.width, $0.incarnation) }
  }

  /// Has a node poll the log, and follow it as far as another node.
  private func follow(_ node: NodeHouse.Node, as far: NodeHouse.Node) throws {
    try node.node.poll()
    let token = try #require(try far.node.visit("d").token)
    _ = try node.node.visit("d", ReadBounds(least: .position(token)))
  }

  @Test func aTemplateReachesEveryNodeAndIsFiledOnce() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(40, to: "d")
    for width in [300, 400] {
      try a.cache.setTemplate(template(width: width))
      let first = try read(a)
      #expect(first.0 == Length(units: Int64(width) * 64))
      let end = try #require(try a.node.position(of: "d")).sequence
      try follow(b, as: a)
      #expect(try b.cache.templates() == a.cache.templates())
      #expect(try read(b) == first)
      #expect(try b.node.position(of: "d")?.sequence == end)
    }
    try b.cache.removeTemplate("t")
    try follow(a, as: b)
    for node in [a, b] {
      #expect(throws: LayoutCacheError.self) { try read(node) }
      #expect(try node.cache.verify().problems.isEmpty)
    }
  }

  @Test func aNodeThatMissesTheNewestTemplatesFilesNoEarlierOne() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(40, to: "d")
    try a.cache.setTemplate(template(width: 300))
    try b.node.poll()
    try a.cache.setTemplate(template(width: 400))
    let first = try read(a)
    let token = try #require(try a.node.visit("d").token)
    // Without a poll.
    _ = try b.node.visit("d", ReadBounds(least: .position(token)))
    #expect(try b.cache.templates() == [template(width: 300)])
    #expect(try read(b) == first)
  }

  @Test func concurrentChangesOfTemplatesDoNotLoseEachOther() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.cache.setTemplate(template("one", of: "x", width: 300))
    // This node has not polled the log.
    #expect(try b.cache.setTemplate(template("one", of: "x", width: 400)) == false)
    #expect(try a.cache.setTemplate(template("one", of: "x", width: 300)) == false)
    try b.cache.setTemplate(template("two", of: "y", width: 400))
    try a.node.poll()
    for node in [a, b] { #expect(try node.cache.templates().map(\.name) == ["one", "two"]) }
    // A node that starts with an empty file has them at its first poll.
    let late = try house.node("c")
    try late.node.poll()
    #expect(try late.cache.templates() == a.cache.templates())
  }

  /// Through the log, and through a checkpoint of it to a node that begins later.
  @Test func namedViewsReachEveryNode() throws {
    let house = try NodeHouse()
    let (a, b) = (try house.node("a"), try house.node("b"))
    try a.append(40, to: "d")
    let view = try DatasetView(where: "key STARTS WITH a", order: [.init(by: "n")])
    #expect(try a.cache.setView("v", of: "d", to: view))
    try a.cache.setView("w", of: "d", to: DatasetView())
    try follow(b, as: a)
    #expect(try b.cache.view("v", of: "d") == view)
    #expect(try b.cache.setView("v", of: "d", to: DatasetView(where: "key = a")) == false)
    try b.cache.removeView("w", of: "d")
    #expect(throws: LayoutCacheError.self) { try b.cache.removeView("w", of: "d") }
    try follow(a, as: b)
    try a.node.checkpoint("d")
    let late = try house.node("c")
    try follow(late, as: b)
    for node in [a, b, late] {
      #expect(try node.cache.views(of: "d").map(\.name) == ["v"])
      #expect(try node.cache.view("v", of: "d").filterText == "key = a")
      #expect(try node.cache.verify().problems.isEmpty)
    }
  }
}
