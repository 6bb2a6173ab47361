import LayoutReplication
package import TestSupport

/// The clients of a simulated cluster, which call any of its nodes and record their observations.
package final class SimulatedClients {
  package static let sessionCount = 4
  /// The placeholder if a client does not know which dataset it may have written to.
  static let unknownDataset = "?"

  package private(set) var operations: [ClientOperation] = []
  package private(set) var nameOperations: [NameOperation] = []
  /// The datasets that clients wrote to or read by a name, and the time of the state.
  private(set) var accesses: [NamedAccess] = []
  /// The states that clients have seen, with their tokens.
  private(set) var sightings: [Sighting] = []
  private let log: SimulatedLog
  /// Returns the name of the write that an entry applies.
  private let write: (SharedEntry) -> String?
  private var writeCount = 0
  private var seen: [Place: Int] = [:]

  private struct Place: Hashable {
    var session: String
    var dataset: Int64
  }

  init(log: SimulatedLog, write: @escaping (SharedEntry) -> String?) {
    (self.log, self.write) = (log, write)
  }

  /// Returns the last sequence that a session has seen of a dataset, which it sends as the
  /// minimum position of an answer.
  package func leastSequence(of session: String, in dataset: Int64) -> Int {
    seen[Place(session: session, dataset: dataset)] ?? 0
  }

  package func session(using generator: inout SeededGenerator) -> String {
    "s\(Int.random(in: 0..<Self.sessionCount, using: &generator))"
  }

  /// Runs and records a write, with a unique name for its entry.
  ///
  /// If the body throws, the client got no answer.
  package func write(
    to dataset: Int64, session: String, _ body: (String) throws -> ClientOperation.Outcome
  ) rethrows {
    try write(session: session, to: dataset) { (try body($0), dataset) }
  }

  /// Runs and records a write to a dataset that may not exist yet.
  ///
  /// Runs and records a write to the dataset of a name.
  package func write(
    session: String, named dataset: String, _ body: (String) throws -> ClientOperation.Outcome
  ) rethrows {
    let time = log.clock
    try write(session: session, to: nil) { name in
      let outcome = try body(name)
      let found = self.dataset(of: name, outcome)
      if let found { accesses.append(NamedAccess(name: dataset, dataset: found, time: time)) }
      return (outcome, found)
    }
  }

  /// Returns the dataset whose log has a committed write at its sequence.
  private func dataset(of name: String, _ outcome: ClientOperation.Outcome) -> Int64? {
    guard case .committed(let sequence, _) = outcome else { return nil }
    return log.state.datasets.values.first { dataset in
      dataset.entries.indices.contains(sequence - 1)
        && write(dataset.entries[sequence - 1]) == name
    }?.id
  }

  private func write(
    session: String, to dataset: Int64?,
    _ body: (String) throws -> (ClientOperation.Outcome, dataset: Int64?)
  ) rethrows {
    writeCount += 1
    let name = "w\(writeCount)"
    var operation = ClientOperation(
      session: session, begin: log.tick(), end: nil,
      dataset: dataset.map(String.init) ?? Self.unknownDataset, action: .write(name, .unknown))
    let index = operations.count
    operations.append(operation)
    let (outcome, found) = try body(name)
    operation.end = log.tick()
    if let found { operation.dataset = "\(found)" }
    operation.action = .write(name, outcome)
    operations[index] = operation
    log.note("\(name) \(outcome)")
    if case .committed(let sequence, _) = outcome, let found {
      see(sequence, of: found, by: session)
    }
  }

  /// Runs and records a change of names.
  ///
  /// If the body throws, the client got no answer.
  package func change(
    _ kind: NameChange.Kind, by node: Int, _ body: () throws -> NameOperation.Outcome
  ) rethrows {
    let index = nameOperations.count
    nameOperations.append(NameOperation(kind: kind, node: node, begin: log.tick()))
    let outcome = try body()
    nameOperations[index].end = log.tick()
    nameOperations[index].outcome = outcome
    log.note("\(kind): \(outcome)")
  }

  /// Runs and records a read; the body returns `nil` if the node does not answer it.
  package func read(
    _ dataset: Int64, named name: String? = nil, session: String,
    _ body: () throws -> ClientOperation.Reading?
  ) rethrows {
    let begin = log.tick()
    guard let reading = try body() else { return }
    if let name, let age = reading.age {
      accesses.append(NamedAccess(name: name, dataset: dataset, time: begin - age))
    }
    operations.append(
      ClientOperation(
        session: session, begin: begin, end: log.tick(), dataset: "\(dataset)",
        action: .read(reading)))
    log.note("read at \(reading.sequence) by \(session), \(reading.digest)")
    see(reading.sequence, of: dataset, by: session)
  }

  package func note(_ sighting: Sighting) { sightings.append(sighting) }

  private func see(_ sequence: Int, of dataset: Int64, by session: String) {
    seen[Place(session: session, dataset: dataset), default: 0] =
      max(leastSequence(of: session, in: dataset), sequence)
  }
}
