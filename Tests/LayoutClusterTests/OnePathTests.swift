import ClusterSimulation
import LayoutCache
import TestSupport
import Testing

@Suite struct OnePathTests {
  /// The number of seeds per run; `swift run SimulateCluster 1 10000 60 single` uses more.
  private static let seedCount = UInt64(PropertyRun.steps(20))

  @Test(.property) func coordinatorAndSingleMachineAgree() throws {
    var counts: [String: Int] = [:]
    for seed in PropertyRun.eachSeed(in: 1...Self.seedCount) {
      let report = try SingleMachineRun.run(seed: seed)
      #expect(report.findings == [])
      counts.merge(report.counts, uniquingKeysWith: +)
    }
    // Every kind of call must succeed at least once, or the comparison is empty.
    #expect(counts.count == 14, "\(counts)")
  }

  @Test func coordinatorDroppingAnOperationIsFound() throws {
    for seed in UInt64(1)...100 {
      let report = try SingleMachineRun.run(seed: seed) { request in
        guard case .batch(let operations) = request.work, operations.count > 2 else {
          return request
        }
        return request.replacing(.batch(operations.dropLast()))
      }
      if !report.findings.isEmpty { return }
    }
    Issue.record("no seed finds the dropped operation")
  }
}
