import LayoutReplication

// The observations of clients, compared with the final log.

extension Simulation {
  func historyViolations() -> [String] {
    guard let (logged, rejected) = try? loggedEntries() else {
      return ["the log cannot be decided"]
    }
    let operations = recentOperations().map { operation in
      var operation = located(operation, in: logged)
      if case .write(let write, .committed(let sequence, _)) = operation.action,
        rejected.contains([operation.dataset, "\(sequence)", write])
      {
        // Tried again, it has found nothing to change.
        operation.action = .write(write, .unknown)
      }
      return operation
    }
    let asked = Dictionary(
      operations.compactMap { operation in
        if case .write(let name, _) = operation.action { (name, operation.dataset) } else { nil }
      }
    ) { first, _ in first }
    // A change of a dataset that was removed before the answer may have been made again, in
    // another one of that name.
    let entries = logged.map { entry in
      guard let write = entry.write, asked[write] != entry.dataset, isRemoved(entry.dataset) else {
        return entry
      }
      var entry = entry
      entry.write = nil
      return entry
    }
    let datasets = log.state.datasets
    return HistoryChecker.violations(of: History(operations: operations, log: entries)) {
      dataset, sequence, question in
      program.replay(datasets[Int64(dataset)!]!, sequence, question)
    }.map(\.description)
  }

  private func isRemoved(_ dataset: String) -> Bool {
    Int64(dataset).map(log.state.isRemoved) ?? false
  }

  /// Returns a write with its dataset, looked up in the log if the client does not know it.
  private func located(
    _ operation: ClientOperation, in entries: [LoggedEntry]
  ) -> ClientOperation {
    guard operation.dataset == SimulatedClients.unknownDataset,
      case .write(let name, let outcome) = operation.action,
      let entry = entries.first(where: { $0.write == name && !isRemoved($0.dataset) })
        ?? entries.first(where: { $0.write == name })
    else { return operation }
    var operation = operation
    operation.dataset = entry.dataset
    // Any change of a dataset that was removed in the meantime may be reported as rejected.
    if outcome == .refused, isRemoved(entry.dataset) { operation.action = .write(name, .unknown) }
    return operation
  }

  /// Returns the entries, and the dataset, sequence and write of each rejected request of an import.
  private func loggedEntries() throws -> ([LoggedEntry], rejected: Set<[String]>) {
    var rejected: Set<[String]> = []
    let entries = try log.state.datasets.values.sorted { $0.id < $1.id }.flatMap { dataset in
      let making = LoggedEntry(
        dataset: "\(dataset.id)", sequence: 0, revision: 1, chain: hexadecimal(dataset.begin),
        write: nil)
      return [making]
        + zip(dataset.entries, try program.decide(dataset)).map { entry, decision in
          let write = program.write(entry)
          if let write, !decision.isApplied, program.isImport(entry) {
            rejected.insert(["\(dataset.id)", "\(entry.sequence)", write])
          }
          return LoggedEntry(
            dataset: "\(dataset.id)", sequence: entry.sequence, revision: decision.revision,
            chain: hexadecimal(entry.chain), write: decision.isApplied ? write : nil)
        }
    }
    return (entries, rejected)
  }

  /// Returns the client operations that can be checked against a log restored from an earlier
  /// state. Reads of states from before the loss are left out, and earlier writes count as unknown.
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
