import ClusterTestSupport
import LayoutCache
import LayoutCluster
import LayoutGeometry
import Synchronization
import Testing

// Strategy: the log has a change, but the node does not learn of it. Before the node asks, other
// nodes change the dataset, and cut the log after the change.

@Suite struct UndecidedChangeTests {
  /// A log that appends, runs a hook, and loses the answer.
  private final class LosingLog: ForwardingLog {
    let base: any SharedLog
    private let hook = Mutex<(@Sendable () throws -> Void)?>(nil)

    init(_ base: any SharedLog) { self.base = base }

    /// Loses the answer of the next append. `body` runs after it.
    func loseNext(_ body: @escaping @Sendable () throws -> Void) { hook.withLock { $0 = body } }

    func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
      let outcomes = base.append(appends)
      guard let hook = hook.withLock({ $0.take() }) else { return outcomes }
      return outcomes.map { _ in
        Result {
          try hook()
          throw SharedLogFailure.unknown("the answer is lost")
        }
      }
    }
  }

  private static func resize(_ width: Int, on node: NodeHouse.Node) throws {
    let size = Size(width: .points(Double(width)), height: .points(3))
    try node.cache.update("d", with: [.resize(key: "0", size: size)])
  }

  /// A change without a key, applied twice, would overwrite the change of another client.
  @Test func aChangeThatAReloadPassedIsNotProposedAgain() throws {
    let house = try NodeHouse()
    let log = LosingLog(house.log)
    let (a, b) = (try house.node("a", on: log), try house.node("b"))
    try a.append(3, to: "d")
    _ = try b.node.visit("d")
    log.loseNext {
      for width in 5...6 {
        _ = try b.node.visit("d", ReadBounds(ageMax: .zero))
        try Self.resize(width, on: b)
        try b.node.checkpoint("d")
      }
      try Self.resize(7, on: b)
      try b.node.cutLog(of: "d")
    }
    let error = #expect(throws: LayoutCacheError.self) { try Self.resize(9, on: a) }
    guard case .outcomeUnknown? = error?.code else {
      Issue.record("the error is \(String(describing: error))")
      return
    }
    #expect(try #require(try house.log.dataset(named: "d")).cut > 2)
    for node in [a, b] {
      _ = try node.node.visit("d", ReadBounds(ageMax: .zero))
      #expect(try node.cache.item(forKey: "0", of: "d")?.item.size.width == .points(7))
    }
    // The next change is not affected.
    try Self.resize(8, on: a)
    #expect(try a.cache.item(forKey: "0", of: "d")?.item.size.width == .points(8))
  }
}
