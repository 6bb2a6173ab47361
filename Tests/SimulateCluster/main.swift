import ClusterSimulation
import LayoutCache

// Runs the nodes that ship over simulated logs, a seed each:
//
//     swift run SimulateCluster [FIRST [COUNT [STEPS]]]
//
// A seed with a finding is run again, and each of its calls and faults printed.

let numbers = CommandLine.arguments.dropFirst().map { UInt64($0) ?? 1 }
let first = numbers.first ?? 1
let count = numbers.count > 1 ? numbers[1] : 100
let steps = numbers.count > 2 ? Int(numbers[2]) : 80

var (entries, archives, operations) = (0, 0, 0)
var faults: [String: Int] = [:]
for seed in first..<(first + count) {
  let report = Simulation.run(try SimulatedClusterNode.program(), seed: seed, steps: steps)
  entries += report.entryCount
  archives += report.archiveCount
  operations += report.operationCount
  faults.merge(report.faultCounts, uniquingKeysWith: +)
  if report.findings.isEmpty { continue }
  let traced = Simulation.run(
    try SimulatedClusterNode.program(), seed: seed, steps: steps, isTraced: true)
  for line in traced.trace { print(line) }
  for finding in report.findings { print("seed \(seed): \(finding)") }
  break
}
print(
  "\(entries) entries, \(archives) name archives, \(operations) calls of clients, faults: \(faults)"
)
