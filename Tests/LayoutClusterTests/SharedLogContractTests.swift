import ClusterSimulation
import ClusterTestSupport
import Testing

/// The log in memory is held to what the one in PostgreSQL is held to, without faults.
@Suite struct SharedLogContractTests {
  @Test(arguments: SharedLogContract.clauses.filter { !$0.needsThreads })
  func theLogInMemoryKeepsTheContract(clause: SharedLogContract) throws {
    try clause.check(SimulatedLog(seed: 1).handle(node: 0))
  }
}
