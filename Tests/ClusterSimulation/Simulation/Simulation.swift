import LayoutCache
import LayoutCluster
import LayoutReplication
import TestSupport

/// Nodes over a simulated log: random steps with random faults, which then end. Finally all
/// nodes must return the same answers, and the observations of clients must be linearizable.
///
/// Everything is determined by the seed and runs in one thread: while a call of a node is on
/// its way, steps of other nodes run inside it.
package final class Simulation {
  package let log: SimulatedLog
  package let clients: SimulatedClients
  let program: SimulatedProgram
  private let datasets: [String]
  /// The number of datasets that exist from the start.
  private let madeCount: Int
  private var generator: SeededGenerator
  private var nodes: [(handle: SimulatedLogHandle, node: SimulatedClusterNode)] = []
  /// The nodes that wait for the log, and the number of remaining steps.
  private var busy: Set<Int> = []
  private var stepsLeft = 0
  private var findings: [String] = []
  private var lostStateCount = 0

  /// The result of a simulation.
  package struct Report {
    package var seed: UInt64
    /// The violations found; empty if there are none.
    package var findings: [String]
    package var operationCount: Int
    /// The number of entries of the final log.
    package var entryCount: Int
    /// The number of entries that name an archive.
    package var archiveCount: Int
    package var callCount: Int
    package var faultCounts: [String: Int]
    /// The number of states that clients had seen and the log has lost, as far as they are checked.
    package var lostStateCount: Int
    /// Each call and fault, if requested.
    package var trace: [String]
  }

  /// - Parameters:
  /// - rates: The fault rates; some of the faults, chosen by the seed, if omitted.
  /// - isTraced: Whether the report lists each call and fault.
  package static func run(
    _ program: SimulatedProgram, seed: UInt64, steps: Int = 80, nodes: Int = 3,
    datasets: Int = 2, rates: FaultRates? = nil, isTraced: Bool = false
  ) -> Report {
    let simulation = Simulation(program, seed: seed, datasetCount: datasets, isTraced: isTraced)
    do {
      try simulation.prepare(nodes: nodes)
      simulation.run(steps: steps, rates: rates)
      try simulation.finish()
      simulation.findings += simulation.historyViolations()
    } catch {
      simulation.findings.append("\(error)")
    }
    return simulation.report(seed: seed)
  }

  private init(
    _ program: SimulatedProgram, seed: UInt64, datasetCount: Int, isTraced: Bool
  ) {
    self.program = program
    generator = SeededGenerator(seed: seed)
    madeCount = datasetCount
    datasets = (0..<(datasetCount + program.unmadeCount)).map { "d\($0)" }
    log = SimulatedLog(seed: generator.next())
    if isTraced { log.trace = [] }
    clients = SimulatedClients(log: log, write: program.write)
  }

  private func report(seed: UInt64) -> Report {
    let entries = log.state.datasets.values.flatMap(\.entries)
    return Report(
      seed: seed, findings: findings, operationCount: clients.operations.count,
      entryCount: entries.count, archiveCount: entries.count { $0.kind == .archive },
      callCount: log.callCount, faultCounts: log.faultCounts,
      lostStateCount: lostStateCount, trace: log.trace ?? [])
  }

  // MARK: Steps

  private func prepare(nodes count: Int) throws {
    for node in 0..<count {
      let handle = log.handle(node: node)
      nodes.append((handle, try program.makeNode(handle, clients)))
    }
    for name in datasets.prefix(madeCount) {
      _ = try nodes[0].handle.createDataset(
        named: name, chain: generator.bytes(16), time: 0, beginningWith: nil)
    }
    log.secure()
  }

  private func run(steps: Int, rates: FaultRates?) {
    stepsLeft = steps
    log.rates = rates ?? .some(using: &generator)
    log.runOther = { [unowned self] in takeStep() }
    while stepsLeft > 0, findings.isEmpty { takeStep() }
    log.runOther = nil
  }

  /// Takes a step of a node that does not wait for the log, if there is one.
  private func takeStep() {
    guard stepsLeft > 0, findings.isEmpty,
      let index = nodes.indices.filter({ !busy.contains($0) }).randomElement(using: &generator)
    else {
      return
    }
    stepsLeft -= 1
    busy.insert(index)
    defer { busy.remove(index) }
    let step = randomStep()
    let dataset = datasets.randomElement(using: &generator)!
    // Steps within this one draw from the simulation's generator.
    var generator = SeededGenerator(seed: self.generator.next())
    let (handle, node) = nodes[index]
    log.note("node \(index): \(step) \(dataset)")
    do {
      if step == .restart {
        try restart(index)
      } else {
        try node.carryOut(step, on: dataset, using: &generator)
      }
    } catch is Killed {
      // Restarted below.
    } catch is SharedLogFailure {
      // A node may give up.
    } catch {
      findings.append("node \(index), \(step) \(dataset): \(error)")
    }
    if handle.isDead { attempt("restart of node \(index)") { try restart(index) } }
  }

  private func restart(_ index: Int) throws {
    nodes[index].handle.restart()
    try nodes[index].node.restart()
  }

  private func attempt(_ what: String, _ body: () throws -> Void) {
    do {
      try body()
    } catch is Killed {
      // The node died again while starting; the next step restarts it.
    } catch is SharedLogFailure {
      // The node continues without the log until it is available.
    } catch {
      findings.append("\(what): \(error)")
    }
  }

  private func randomStep() -> SimulatedStep {
    let steps = SimulatedStep.allCases.flatMap {
      Array(repeating: $0, count: program.weights[$0] ?? 0)
    }
    return steps.randomElement(using: &generator)!
  }

  // MARK: The end

  /// Ends all faults, lets all nodes follow to the end, and compares their answers.
  private func finish() throws {
    log.note("the faults end")
    log.heal()
    for index in nodes.indices where nodes[index].handle.isDead { try restart(index) }
    let datasets = datasets.filter { log.state.dataset(named: $0) != nil }
    for (index, (_, node)) in nodes.enumerated() {
      try node.follow(datasets)
      for name in datasets {
        let answer = try node.answer(of: name)
        if let difference = difference(of: answer, in: name) {
          findings.append("node \(index) in the end: \(name) \(difference): \(answer)")
        }
      }
    }
    try checkLostStates(datasets)
    try finishUpkeep(datasets)
    findings += NameOperation.violations(of: clients.nameOperations, in: log.state.nameChanges)
    findings += NameOperation.violations(
      by: clients.accesses, after: clients.nameOperations, log.state.nameChanges)
  }

  /// Checks that states that the log has lost are announced, if a node that had such a state still
  /// has its memory: no node accepts their tokens, and streams are reset.
  private func checkLostStates(_ datasets: [String]) throws {
    let lost = clients.sightings.filter { sighting in
      datasets.contains(sighting.name)
        && log.state.dataset(named: sighting.name)?.position.dataset == sighting.dataset
        && log.state.datasets[sighting.dataset]?.chain(at: sighting.sequence) != sighting.chain
        && nodes[sighting.node].node.life == sighting.life
    }
    if lost.isEmpty { return }
    // A node that has announced a loss last makes all others load the dataset again.
    for (_, node) in nodes { try node.follow(datasets) }
    for sighting in lost {
      lostStateCount += 1
      for (index, (_, node)) in nodes.enumerated() {
        guard let answer = try node.answer(to: sighting) else { continue }
        if let violation = sighting.violation(by: answer, of: index) { findings.append(violation) }
      }
    }
  }

  /// Lets the nodes make the checkpoints that are due, once no node has claimed one.
  private func finishUpkeep(_ datasets: [String]) throws {
    guard let dueCost = program.dueCost else { return }
    log.pause(ticks: 1_000 * SimulatedLog.ticksPerSecond)
    for (index, (_, node)) in nodes.enumerated() {
      do { try node.keepUp() } catch { findings.append("upkeep of node \(index): \(error)") }
    }
    for name in datasets {
      guard let head = log.state.dataset(named: name) else { continue }
      let checkpoint = log.state.checkpoints(of: head.position.dataset).first
      if head.cost - head.coveredCost >= dueCost, checkpoint?.position != head.position {
        findings.append("no node has made the checkpoint that is due: \(head)")
      }
    }
  }

  private func difference(of answer: ClientOperation.Reading, in name: String) -> String? {
    guard let head = log.state.dataset(named: name),
      let dataset = log.state.datasets[head.position.dataset]
    else {
      return "is gone"
    }
    if answer.sequence != head.position.sequence
      || answer.chain.map({ $0 != hexadecimal(head.position.chain) }) ?? false
    {
      return "is not at \(head)"
    }
    let replayed = program.replay(dataset, answer.sequence, answer.question)
    return replayed == answer.digest ? nil : "is not \(replayed ?? "what can be replayed")"
  }
}

/// Returns two characters per byte, as histories write chains.
package func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef")
  return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}
