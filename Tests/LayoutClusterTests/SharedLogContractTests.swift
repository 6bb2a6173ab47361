import ClusterSimulation
import ClusterTestSupport
import LayoutCache
import Testing

/// The log in memory is held to what the one in PostgreSQL is held to, without faults.
@Suite struct SharedLogContractTests {
  @Test(arguments: SharedLogContract.clauses.filter { !$0.needsThreads })
  func theLogInMemoryKeepsTheContract(clause: SharedLogContract) throws {
    let log = SimulatedLog(seed: 1)
    log.imageNamed = { $0.kind == .image ? try? SharedImage($0.payload).number : nil }
    try clause.check(log.handle(node: 0))
  }
}
