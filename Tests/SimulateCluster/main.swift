import ClusterSimulation

// Runs the nodes that ship over simulated logs, or a database on a single machine next to nodes
// without faults; one run for each seed:
//
//     swift run SimulateCluster [FIRST [COUNT [STEPS [single | loss]]]]
//
// With `loss` the log loses acknowledged entries, and only their announcement is checked. Stops at
// a seed with a finding. Of nodes it is run again then, and each of its calls and faults printed.

let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.map { UInt64($0) ?? 1 }
let first = numbers.first ?? 1
let count = numbers.count > 1 ? numbers[1] : 100
let steps = numbers.count > 2 ? Int(numbers[2]) : 80

func simulateNodes() throws {
  var (entries, archives, operations, lostStates) = (0, 0, 0, 0)
  var faults: [String: Int] = [:]
  let isLossy = arguments.last == "loss"
  func run(seed: UInt64, isTraced: Bool = false) throws -> Simulation.Report {
    Simulation.run(
      try SimulatedClusterNode.program(hasImports: !isLossy, changesNames: !isLossy), seed: seed,
      steps: steps, rates: isLossy ? .disasters(seed: seed) : nil, isTraced: isTraced)
  }
  for seed in first..<(first + count) {
    let report = try run(seed: seed)
    entries += report.entryCount
    archives += report.archiveCount
    operations += report.operationCount
    lostStates += report.lostStateCount
    faults.merge(report.faultCounts, uniquingKeysWith: +)
    if report.findings.isEmpty { continue }
    for line in try run(seed: seed, isTraced: true).trace { print(line) }
    for finding in report.findings { print("seed \(seed): \(finding)") }
    break
  }
  print(
    "\(entries) entries, \(archives) name archives, \(operations) calls of clients, "
      + "\(lostStates) lost states, faults: \(faults)"
  )
}

func simulateSingleMachines() throws {
  var counts: [String: Int] = [:]
  for seed in first..<(first + count) {
    let report = try SingleMachineRun.run(seed: seed, steps: steps)
    counts.merge(report.counts, uniquingKeysWith: +)
    if report.findings.isEmpty { continue }
    for finding in report.findings { print("seed \(seed): \(finding)") }
    break
  }
  print("calls: \(counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
}

if arguments.last == "single" { try simulateSingleMachines() } else { try simulateNodes() }
