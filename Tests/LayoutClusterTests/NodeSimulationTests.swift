import ClusterSimulation
import TestSupport
import Testing

// Strategy: the node that ships runs over the simulated log, where the node of
// SimulationTests.swift has shown that broken rules are found. What it answers is held to a node
// that has carried out the final log from its begin.

@Suite struct NodeSimulationTests {
  static let seedCount = UInt64(PropertyRun.steps(40))

  @Test func nodesAgreeWithoutFaults() throws {
    for seed in PropertyRun.seeds {
      let report = Simulation.run(
        try SimulatedClusterNode.program(), seed: seed, rates: FaultRates.none)
      #expect(report.findings == [], "seed \(seed)")
      #expect(report.entryCount > 0)
    }
  }

  @Test func nodesAgreeWhateverHappens() throws {
    for seed in 1...Self.seedCount {
      let report = Simulation.run(try SimulatedClusterNode.program(), seed: seed)
      #expect(report.findings == [], "seed \(seed)")
    }
  }
}
