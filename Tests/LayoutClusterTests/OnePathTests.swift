import ClusterSimulation
import TestSupport
import Testing

@Suite struct OnePathTests {
  /// The number of seeds per run; `swift run SimulateCluster 1 10000 60 single` uses more.
  private static let seedCount = UInt64(PropertyRun.steps(20))

  @Test(.property) func nodesAndSingleMachineAgree() throws {
    var counts: [String: Int] = [:]
    for seed in PropertyRun.eachSeed(in: 1...Self.seedCount) {
      let report = try SingleMachineRun.run(seed: seed)
      #expect(report.findings == [])
      counts.merge(report.counts, uniquingKeysWith: +)
    }
    // Every kind of call must succeed at least once, or the comparison is empty.
    #expect(counts.count == 17, "\(counts)")
  }

  @Test func nodesDroppingAnOperationAreFound() throws {
    for seed in UInt64(1)...100 {
      if try !SingleMachineRun.run(seed: seed, dropsOperations: true).findings.isEmpty { return }
    }
    Issue.record("no seed finds the dropped operation")
  }
}
