import LayoutCache
import LayoutCluster
import TestSupport

/// Nodes over a simulated log: random steps with random faults, then none any more; in the end
/// all nodes answer alike, and what clients have seen is linearizable.
///
/// Everything follows from the seed, and happens in one thread: while a call of a node is on
/// its way, steps of others are taken within it.
package final class Simulation {
  package let log: SimulatedLog
  package let clients: SimulatedClients
  private let program: SimulatedProgram
  private let datasets: [String]
  /// How many of them there are from the begin.
  private let madeCount: Int
  private var generator: SeededGenerator
  private var nodes: [(handle: SimulatedLogHandle, node: any SimulatedNode)] = []
  /// The nodes that wait for the log, and how many steps are still to be taken.
  private var busy: Set<Int> = []
  private var stepsLeft = 0
  private var findings: [String] = []

  /// What a simulation has found.
  package struct Report {
    package var seed: UInt64
    /// What is wrong; empty where all is well.
    package var findings: [String]
    package var operationCount: Int
    /// Entries of the final log.
    package var entryCount: Int
    /// Of these, those that name an archive.
    package var archiveCount: Int
    package var callCount: Int
    package var faultCounts: [String: Int]
    /// Each call and fault, where it was asked for.
    package var trace: [String]
  }

  /// - Parameters:
  ///   - rates: Some of the faults by seed, if not given.
  ///   - isTraced: Whether the report says each call and fault.
  package static func run(
    _ program: SimulatedProgram, seed: UInt64, steps: Int = 80, nodes: Int = 3,
    datasets: Int = 2, rates: FaultRates? = nil, isTraced: Bool = false
  ) -> Report {
    let simulation = Simulation(program, seed: seed, datasetCount: datasets, isTraced: isTraced)
    do {
      try simulation.prepare(nodes: nodes)
      simulation.run(steps: steps, rates: rates)
      try simulation.finish()
      simulation.checkHistory()
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
    clients = SimulatedClients(log: log)
  }

  private func report(seed: UInt64) -> Report {
    let entries = log.state.datasets.values.flatMap(\.entries)
    return Report(
      seed: seed, findings: findings, operationCount: clients.operations.count,
      entryCount: entries.count, archiveCount: entries.count { $0.kind == .archive },
      callCount: log.callCount, faultCounts: log.faultCounts, trace: log.trace ?? [])
  }

  // MARK: Steps

  private func prepare(nodes count: Int) throws {
    for node in 0..<count {
      let handle = log.handle(node: node)
      nodes.append((handle, try program.makeNode(handle, clients)))
    }
    for name in datasets.prefix(madeCount) {
      _ = try nodes[0].handle.createDataset(named: name, chain: generator.bytes(16), time: 0)
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

  /// A step of a node that does not wait for the log, if there is one.
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
      // Started again below.
    } catch is SharedLogFailure {
      // The node has given up, as it may.
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
      // Dies again as it starts: the next step finds it dead, and starts it again.
    } catch is SharedLogFailure {
      // Does without the log until it is back.
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

  /// All faults end, all nodes follow to the end and answer alike.
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
  }

  private func difference(of answer: ClientOperation.Reading, in name: String) -> String? {
    guard let head = log.state.dataset(named: name),
      let dataset = log.state.datasets[head.position.dataset]
    else {
      return "is gone"
    }
    if answer.sequence != head.position.sequence || answer.revision != head.revision
      || answer.chain.map({ $0 != hexadecimal(head.position.chain) }) ?? false
    {
      return "is not at \(head)"
    }
    let replayed = program.replay(dataset, answer.sequence, answer.question)
    return replayed == answer.digest ? nil : "is not \(replayed ?? "what can be replayed")"
  }

  private func checkHistory() {
    let entries = loggedEntries()
    let history = History(
      operations: recentOperations().map { located($0, in: entries) }, log: entries)
    let datasets = log.state.datasets
    let violations = HistoryChecker.violations(of: history) { dataset, sequence, question in
      program.replay(datasets[Int64(dataset)!]!, sequence, question)
    }
    findings += violations.map(\.description)
  }

  /// A write with its dataset, where only the log tells.
  private func located(
    _ operation: ClientOperation, in entries: [LoggedEntry]
  ) -> ClientOperation {
    guard operation.dataset == SimulatedClients.unknownDataset,
      case .write(let name, _) = operation.action,
      let entry = entries.first(where: { $0.write == name })
    else { return operation }
    var operation = operation
    operation.dataset = entry.dataset
    return operation
  }

  private func loggedEntries() -> [LoggedEntry] {
    log.state.datasets.values.sorted { $0.id < $1.id }.flatMap { dataset in
      let making = LoggedEntry(
        dataset: "\(dataset.id)", sequence: 0, revision: 1, chain: hexadecimal(dataset.begin),
        write: nil)
      return [making]
        + dataset.entries.map {
          LoggedEntry(
            dataset: "\(dataset.id)", sequence: $0.sequence, revision: $0.revision,
            chain: hexadecimal($0.chain), write: program.write($0))
        }
    }
  }

  /// What clients have done, as far as it can be held to a log that was restored from an
  /// earlier state: nothing that was acknowledged before, nothing of the state as it was.
  private func recentOperations() -> [ClientOperation] {
    guard let loss = log.lastLoss else { return clients.operations }
    return clients.operations.compactMap { operation in
      switch operation.action {
      case .read(let reading):
        return operation.begin - (reading.age ?? .max) > loss ? operation : nil
      case .write(let write, _):
        guard operation.begin <= loss else { return operation }
        var forgotten = operation
        forgotten.end = nil
        forgotten.action = .write(write, .unknown)
        return forgotten
      }
    }
  }
}

/// Two characters a byte, as histories write chains.
package func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef")
  return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}
