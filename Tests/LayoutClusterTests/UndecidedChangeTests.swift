import ClusterTestSupport
import LayoutCache
import LayoutCluster
import LayoutGeometry
import Synchronization
import Testing

// Strategy: the log has a change, but the node does not learn of it. Before the node asks, other
// nodes change the dataset, and cut the log after the change.

@Suite struct UndecidedChangeTests {
  private static func resize(_ width: Int, on node: NodeHouse.Node) throws {
    let size = Size(width: .points(Double(width)), height: .points(3))
    try node.cache.update("d", with: [.resize(key: "0", size: size)])
  }

  /// A change without a key, applied twice, would overwrite the change of another client.
  @Test func aChangeThatAReloadPassedIsNotAppendedAgain() throws {
    let (house, log) = (try NodeHouse(), WatchedLog())
    let (a, b) = (try house.node("a", on: log), try house.node("b", on: log))
    try a.append(3, to: "d")
    _ = try b.node.visit("d")
    let isLost = Atomic(false)
    log.onCall { call in
      guard case .didAppend = call, isLost.exchange(true, ordering: .relaxed) == false
      else { return }
      for width in 5...6 {
        _ = try b.node.visit("d", ReadBounds(ageMax: .zero))
        try Self.resize(width, on: b)
        try b.node.checkpoint("d")
      }
      try Self.resize(7, on: b)
      try b.node.cutLog(of: "d")
      throw SharedLogFailure.unknown("the answer is lost")
    }
    try Self.resize(9, on: a)
    #expect(try #require(try log.dataset(named: "d")).cut > 2)
    for node in [a, b] {
      _ = try node.node.visit("d", ReadBounds(ageMax: .zero))
      #expect(try node.cache.item(forKey: "0", of: "d")?.item.size.width == .points(7))
    }
    // The next change is not affected.
    try Self.resize(8, on: a)
    #expect(try a.cache.item(forKey: "0", of: "d")?.item.size.width == .points(8))
  }
}
