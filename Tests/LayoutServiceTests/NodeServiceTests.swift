import ClusterSimulation
import ClusterTestSupport
import LayoutCache
import LayoutReplication
import Synchronization
import Testing

@testable import LayoutCluster

// The service of a cluster node.

@Suite struct NodeServiceTests {
  /// A log that calls ``onChange`` when it has renamed, created or removed a dataset, before it
  /// answers.
  private final class ObservedLog: ForwardingLog {
    let base: any SharedLog
    let onChange = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ base: any SharedLog) { self.base = base }

    private func noting<R>(_ body: () throws -> R) rethrows -> R {
      defer { onChange.withLock { $0 }?() }
      return try body()
    }

    func createDataset(
      named name: String, chain: [UInt8], time: Int64, beginningWith request: SharedRequest?
    ) throws -> SharedHead {
      try noting {
        try base.createDataset(named: name, chain: chain, time: time, beginningWith: request)
      }
    }

    func removeDataset(
      _ id: Int64, named name: String, at position: SharedPosition?
    ) throws -> Bool {
      try noting { try base.removeDataset(id, named: name, at: position) }
    }

    func renameDataset(
      _ id: Int64, tagged tag: [UInt8], to name: String, tagged new: [UInt8],
      at position: SharedPosition?
    ) throws -> Bool {
      try noting {
        try base.renameDataset(id, tagged: tag, to: name, tagged: new, at: position)
      }
    }
  }

  @Test(arguments: [("POST", "d/rename?to=e"), ("DELETE", "d"), ("PUT", "new")])
  func changesThatAreMadeAreNotRejectedByANewerLog(method: String, path: String) async throws {
    let switched = SwitchedLog(SimulatedLog(seed: 1).handle(node: 0))
    let log = ObservedLog(switched)
    let service = try await TestService(following: log)
    let node = try #require(service.node)
    try service.cache.createDataset("d")
    log.onChange.withLock {
      $0 = {
        switched.replacedInfo = SharedLogInfo(incarnation: node.log, rules: 99, isReplicated: false)
        // Records the version. Should it fail, the expectation of a reason below does too.
        _ = try? node.look(at: [] as [DatasetCommitQueue])
      }
    }
    let answer = try await service.send(method, "/v1/datasets/\(path)")
    #expect(node.reasonOfRules != nil)
    // An answer that the outcome is unknown is correct too.
    #expect(
      answer.status < 300 || answer.text.contains("outcome-unknown"),
      "\(answer.status) \(answer.text)")
    let refused = try await service.send("PUT", "/v1/datasets/other")
    #expect(refused.status == 503)
    try await service.stop()
  }
}
