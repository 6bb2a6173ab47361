import ClusterSimulation
import TestSupport
import Testing

// Strategy: the node that ships runs over the simulated log, where the node of
// SimulationTests.swift has shown that broken rules are found. What it answers is held to a node
// that has carried out the final log from its begin.

@Suite struct NodeSimulationTests {
  static let seedCount = UInt64(PropertyRun.steps(40))

  @Test(.property) func nodesAgreeWithoutFaults() throws {
    for seed in PropertyRun.eachSeed() {
      let report = Simulation.run(
        try SimulatedClusterNode.program(), seed: seed, rates: FaultRates.none)
      #expect(report.findings == [])
      #expect(report.entryCount > 0 && report.archiveCount > 0)
    }
  }

  /// Seeds that have found something: batches without operations that make a revision, damage
  /// met by a checkpoint, a checkpoint without what a later pin continues from, one that was
  /// removed while it was read, two that were kept and both
  /// stood before an undo, damage met where a layout is pinned.
  @Test(arguments: [24, 76, 99, 156, 902, 1180, 1181] as [UInt64])
  func whatWasFoundOnceStaysAway(seed: UInt64) throws {
    let program = try SimulatedClusterNode.program(hasImports: false)
    #expect(Simulation.run(program, seed: seed).findings == [])
  }

  /// Seeds of long runs: a log that was cut again and again past what a node had begun with, a
  /// dataset that was started again and could not be, an age that had come to seconds after the
  /// look at the log.
  @Test(arguments: [2303, 2623, 2741] as [UInt64])
  func whatWasFoundInLongRunsStaysAway(seed: UInt64) throws {
    let program = try SimulatedClusterNode.program(hasImports: false)
    #expect(Simulation.run(program, seed: seed, steps: 400).findings == [])
  }

  /// Seeds that have found something where there are imports: an archive that was swept before a
  /// dataset could begin with it; a log that was cut further while it was looked whether it may be.
  @Test(arguments: [61, 1138, 2914, 7515] as [UInt64])
  func whatImportsHaveFoundStaysAway(seed: UInt64) throws {
    #expect(Simulation.run(try SimulatedClusterNode.program(), seed: seed).findings == [])
  }

  @Test(.property) func nodesAgreeWhateverHappens() throws {
    for seed in PropertyRun.eachSeed(in: 1...Self.seedCount) {
      let report = Simulation.run(try SimulatedClusterNode.program(), seed: seed)
      #expect(report.findings == [])
    }
  }
}

extension NodeSimulationTests {
  @Test(arguments: RuleBreakingLog.Rule.allCases)
  func aBrokenRuleIsFound(rule: RuleBreakingLog.Rule) throws {
    for seed in UInt64(1)...10_000 {
      let program = try SimulatedClusterNode.program { RuleBreakingLog($0, breaking: rule) }
      let report = Simulation.run(program, seed: seed)
      if let finding = report.findings.first {
        print("\(rule) is found with seed \(seed): \(finding.prefix { $0 != "\n" })")
        return
      }
    }
    Issue.record("\(rule) is not found")
  }
}
