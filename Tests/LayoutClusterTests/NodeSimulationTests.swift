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

  /// Seeds of fixed findings: batches without operations that create a revision, damage found
  /// by a checkpoint, a checkpoint without the state that a later pin continues from, a
  /// checkpoint removed while it was read, two retained checkpoints both before an undo, damage
  /// found while pinning a layout.
  @Test(arguments: [24, 76, 99, 156, 902, 1180, 1181] as [UInt64])
  func fixedFindingsDoNotReturn(seed: UInt64) throws {
    let program = try SimulatedClusterNode.program(hasImports: false, changesNames: false)
    #expect(Simulation.run(program, seed: seed).findings == [])
  }

  /// Seeds of long runs: a log cut repeatedly past the start of a node, a dataset that could
  /// not be restarted, an age that was seconds too old after the poll.
  @Test(arguments: [2303, 2623, 2741] as [UInt64])
  func fixedFindingsOfLongRunsDoNotReturn(seed: UInt64) throws {
    let program = try SimulatedClusterNode.program(hasImports: false, changesNames: false)
    #expect(Simulation.run(program, seed: seed, steps: 400).findings == [])
  }

  /// Seeds of fixed findings with imports: an archive swept before a dataset could start from
  /// it; a log that was cut further while a cut was being checked.
  @Test(arguments: [61, 1138, 2914, 7515] as [UInt64])
  func fixedFindingsOfImportsDoNotReturn(seed: UInt64) throws {
    let program = try SimulatedClusterNode.program(changesNames: false)
    #expect(Simulation.run(program, seed: seed).findings == [])
  }

  /// Seeds of fixed findings with changes of names: a dataset loaded by its new name while the
  /// file had it under the former one; an import that created a dataset twice; a dataset removed
  /// while it was loaded; a renamed dataset that could not be loaded again.
  @Test(arguments: [8, 33, 66, 251, 747] as [UInt64])
  func fixedFindingsOfNamesDoNotReturn(seed: UInt64) throws {
    #expect(Simulation.run(try SimulatedClusterNode.program(), seed: seed).findings == [])
  }

  @Test(.property) func nodesAgreeWithAllFaults() throws {
    var faults: [String: Int] = [:]
    for seed in PropertyRun.eachSeed(in: 1...Self.seedCount) {
      let report = Simulation.run(try SimulatedClusterNode.program(), seed: seed)
      #expect(report.findings == [])
      faults.merge(report.faultCounts, uniquingKeysWith: +)
    }
    // Every fault except the loss must occur, or its test is empty.
    #expect(faults.count == 15, "\(faults)")
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
