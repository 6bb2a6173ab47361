import ClusterSimulation
import LayoutCache
import LayoutCluster
import TestSupport
import Testing

// Strategy: production nodes run on the simulated log, and survive all faults; every rule of the
// log that one of them breaks is found. Answers are compared with those of a node that has applied
// the final log from its start.

@Suite struct NodeSimulationTests {
  static let seedCount = UInt64(PropertyRun.steps(40))

  @Test(.property) func nodesAgreeWithoutFaults() throws {
    for seed in PropertyRun.eachSeed() {
      let report = Simulation.run(
        try SimulatedClusterNode.program(), seed: seed, rates: FaultRates.none)
      #expect(report.findings == [])
      #expect(report.entryCount > 0 && report.archiveCount > 0)
      #expect(report.faultCounts == [:])
    }
  }

  /// Without changes of names datasets live long: their logs are cut again and again.
  @Test(.property, arguments: [false, true])
  func nodesAgreeInLongRuns(hasImports: Bool) throws {
    let program = try SimulatedClusterNode.program(hasImports: hasImports, changesNames: false)
    for seed in PropertyRun.eachSeed(in: 1...4) {
      #expect(Simulation.run(program, seed: seed, steps: 400).findings == [])
    }
  }

  @Test(.property) func nodesAgreeWithAllFaults() throws {
    var faults: [String: Int] = [:]
    for seed in PropertyRun.eachSeed(in: 1...Self.seedCount) {
      let report = Simulation.run(try SimulatedClusterNode.program(), seed: seed)
      #expect(report.findings == [])
      faults.merge(report.faultCounts, uniquingKeysWith: +)
    }
    // Every fault except the loss must occur, or its test is empty.
    #expect(faults.count == 14, "\(faults)")
  }
}

// MARK: Lost tails

extension NodeSimulationTests {
  @Test(.property) func lostTailsAreAnnounced() throws {
    var lostStates = 0
    let program = { try SimulatedClusterNode.program(hasImports: false, changesNames: false) }
    for seed in PropertyRun.eachSeed(in: 1...Self.seedCount) {
      let report = Simulation.run(try program(), seed: seed, rates: .disasters(seed: seed))
      #expect(report.findings == [])
      lostStates += report.lostStateCount
    }
    #expect(lostStates > 0)
  }

  @Test func aLostStateThatIsNotAnnouncedIsAViolation() throws {
    let position = SharedPosition(dataset: 1, sequence: 2, chain: [3])
    let sighting = Sighting(
      name: "d", node: 0, life: 1, token: PositionToken(position, of: 4), dataset: 1, sequence: 2,
      chain: [3], incarnation: "old")
    for isAccepted in [false, true] {
      for incarnation in ["old", "new"] {
        let answer = Sighting.Answer(isAccepted: isAccepted, incarnation: incarnation)
        let isAnnounced = !isAccepted && incarnation == "new"
        #expect((sighting.violation(by: answer, of: 0) == nil) == isAnnounced)
      }
    }
  }
}

extension NodeSimulationTests {
  @Test(arguments: RuleBreakingLog.Rule.allCases)
  func simulationFindsABrokenRule(rule: RuleBreakingLog.Rule) throws {
    for seed in UInt64(1)...10_000 {
      let program = try SimulatedClusterNode.program(believesReads: rule == .believesReads) {
        RuleBreakingLog($0, breaking: rule)
      }
      let report = Simulation.run(program, seed: seed)
      if let finding = report.findings.first {
        print("\(rule) is found with seed \(seed): \(finding.prefix { $0 != "\n" })")
        return
      }
    }
    Issue.record("\(rule) is not found")
  }
}
