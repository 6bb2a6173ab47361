import ClusterSimulation
import ClusterTestSupport
import Testing

/// The log in memory, without faults, is checked against the same contract as the one in
/// PostgreSQL.
@Suite struct SharedLogContractTests {
  @Test(arguments: SharedLogContract.clauses.filter { !$0.needsThreads })
  func inMemoryLogMeetsTheContract(clause: SharedLogContract) throws {
    try clause.check(SimulatedLog(seed: 1).handle(node: 0))
  }
}
