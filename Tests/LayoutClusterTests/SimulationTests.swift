import ClusterSimulation
import TestSupport
import Testing

// Strategy: a toy node that follows a log by the rules survives all faults, and every rule that
// it breaks is found. That justifies trust in the simulation of production nodes.

@Suite struct SimulationTests {
  /// The number of seeds per run; a manual sweep uses 10,000.
  static let seedCount = UInt64(PropertyRun.steps(300))

  @Test(.property) func correctNodesSurviveAllFaults() {
    var faults: [String: Int] = [:]
    for seed in PropertyRun.eachSeed(in: 1...Self.seedCount) {
      let report = Simulation.run(CounterNode.program(nil), seed: seed)
      #expect(report.findings == [])
      faults.merge(report.faultCounts, uniquingKeysWith: +)
    }
    // Every fault except the loss must occur, or its test is empty.
    #expect(faults.count == 15, "\(faults)")
  }

  @Test(.property) func correctNodesAgreeAfterALogRestore() {
    var losses = 0
    for seed in PropertyRun.eachSeed(in: 1...Self.seedCount) {
      let report = Simulation.run(
        CounterNode.program(nil), seed: seed, rates: .disasters(seed: seed))
      #expect(report.findings == [])
      losses += report.faultCounts["loss"] ?? 0
    }
    #expect(losses > 0)
  }

  @Test(.property) func withoutFaultsEveryWriteIsCommitted() {
    for seed in PropertyRun.eachSeed() {
      let report = Simulation.run(CounterNode.program(nil), seed: seed, rates: FaultRates.none)
      #expect(report.findings == [])
      #expect(report.faultCounts == [:])
      #expect(report.entryCount > 0)
    }
  }

  @Test(arguments: CounterNode.Mistake.allCases)
  func simulationFindsAMistake(mistake: CounterNode.Mistake) {
    let isFoundByLoss = mistake == .doesNotCheckTheChain
    for seed in UInt64(1)...10_000 {
      let report = Simulation.run(
        CounterNode.program(mistake), seed: seed,
        rates: isFoundByLoss ? .disasters(seed: seed) : nil)
      if let finding = report.findings.first {
        print("\(mistake) is found with seed \(seed): \(finding.prefix { $0 != "\n" })")
        return
      }
    }
    Issue.record("\(mistake) is not found")
  }

  @Test(.property) func seedDeterminesTheRun() {
    for seed in PropertyRun.eachSeed() {
      let runs = (0..<2).map { _ in
        Simulation.run(CounterNode.program(nil), seed: seed, isTraced: true)
      }
      #expect(!runs[0].trace.isEmpty)
      #expect(runs[0].trace == runs[1].trace)
    }
  }
}
