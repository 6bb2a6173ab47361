package import LayoutCache
package import LayoutCluster
package import LayoutReplication

/// One node's view of a ``SimulatedLog``.
package final class SimulatedLogHandle: SharedLog, @unchecked Sendable {
  private let log: SimulatedLog
  private let connection: SimulatedConnection

  init(log: SimulatedLog, connection: SimulatedConnection) {
    (self.log, self.connection) = (log, connection)
  }

  /// Whether the node has died: each call throws ``Killed`` until it is restarted.
  package var isDead: Bool { connection.isDead }

  package func restart() { connection.restart() }

  /// The node's number.
  package var node: Int { connection.node }

  private var call: SimulatedCall { SimulatedCall(node: node, time: log.clock) }

  // MARK: The node's clock

  /// A monotonic clock, in ``SimulatedLog/ticksPerSecond``.
  package var now: Int64 { log.clock }

  /// Pauses the node; others continue in the meantime.
  package func pause(ticks: Int64) { log.pause(ticks: ticks) }

  // MARK: Reads

  /// Whether reads are trusted without being confirmed, as if the node broke that rule.
  package var believesReads = false

  /// Reads something, and confirms it by a write on the same connection.
  private func read<Answer>(_ name: String, _ answer: (LogState) -> Answer) throws -> Answer {
    let answer = try log.read(name, by: connection, answer)
    if believesReads { return answer }
    do {
      try log.write("barrier", by: connection) { _ in }
    } catch SharedLogFailure.unknown(let reason) {
      throw SharedLogFailure.unavailable(reason)
    }
    return answer
  }

  package func look(at datasets: [Int64]) throws -> SharedLook {
    try read("look") { $0.look(at: datasets) }
  }

  package func dataset(named name: String) throws -> SharedHead? {
    try read("dataset") { $0.dataset(named: name) }
  }

  package func datasets(after name: String?, countMax: Int) throws -> [SharedHead] {
    try read("datasets") { $0.datasets(after: name, countMax: countMax) }
  }

  package func tail(
    of dataset: Int64, after sequence: Int, bytesMax: Int
  ) throws -> SharedTail? {
    try read("tail \(sequence)") { $0.tail(of: dataset, after: sequence, bytesMax: bytesMax) }
  }

  package func chunk(_ number: Int, of archive: Int64) throws -> [UInt8]? {
    try read("chunk \(number)") { $0.chunk(number, of: archive) }
  }

  package func checkpoints(of dataset: Int64) throws -> [SharedCheckpoint] {
    try read("checkpoints") { $0.checkpoints(of: dataset) }
  }

  // MARK: Names

  package func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith request: SharedRequest?
  ) throws -> SharedHead {
    let call = call
    let answer = try log.write(
      "createDataset", by: connection, isChange: { $0?.isNew ?? false },
      {
        $0.createDataset(named: name, chain: chain, time: time, beginningWith: request, by: call)
      })
    guard let answer else { throw SharedLogFailure.archiveDeleted("the archive is gone") }
    return answer.0
  }

  package func removeDataset(
    _ id: Int64, named name: String, at position: SharedPosition?
  ) throws -> Bool {
    let call = call
    return try log.write("removeDataset", by: connection, isChange: \.self) {
      $0.removeDataset(id, named: name, at: position, by: call)
    }
  }

  package func renameDataset(
    _ id: Int64, tagged tag: [UInt8], to name: String, tagged newTag: [UInt8],
    at position: SharedPosition?
  ) throws -> Bool {
    let call = call
    return try log.write("renameDataset", by: connection, isChange: \.self) {
      $0.renameDataset(id, tagged: tag, to: name, tagged: newTag, at: position, by: call)
    }
  }

  package func templates() throws -> SharedTemplates { try read("templates") { $0.templates } }

  package func putTemplates(_ templates: SharedTemplates) throws -> Bool {
    try log.write("putTemplates", by: connection, isChange: \.self) { $0.putTemplates(templates) }
  }

  package func reserveLayoutIDs(_ count: Int) throws -> Int64 {
    try log.write("reserveLayoutIDs", by: connection) { $0.reserveLayoutIDs(count) }
  }

  // MARK: Entries

  package func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
    appends.map { append in
      Result {
        let answer = try log.write(
          "append \(append.requests.count)", by: connection,
          isChange: { if case .appended = $0 { true } else { false } }, { $0.append(append) })
        guard let answer else { throw SharedLogFailure.archiveDeleted("an archive is gone") }
        return answer
      }
    }
  }

  package func raiseEpoch(of dataset: Int64, from epoch: Int, to newEpoch: Int) throws {
    _ = try log.write("raiseEpoch", by: connection, isChange: \.self) {
      $0.raiseEpoch(of: dataset, from: epoch, to: newEpoch)
    }
  }

  package func cut(_ dataset: Int64, upTo sequence: Int) throws {
    _ = try log.write("cut \(sequence)", by: connection) { $0.cut(dataset, upTo: sequence) }
  }

  // MARK: Archives and checkpoints

  package func beginArchive(of dataset: Int64?) throws -> Int64 {
    let time = log.clock
    return try log.write("beginArchive", by: connection) { $0.beginArchive(of: dataset, at: time) }
  }

  package func putChunk(_ bytes: [UInt8], number: Int, of archive: Int64) throws {
    try log.write("putChunk \(number)", by: connection) {
      $0.putChunk(bytes, number: number, of: archive)
    }
  }

  package func claimCheckpoint(of dataset: Int64, for seconds: Double) throws -> Bool {
    let time = log.clock
    let end = time + Int64(seconds * Double(SimulatedLog.ticksPerSecond))
    return try log.write("claimCheckpoint", by: connection, isChange: \.self) {
      $0.claimCheckpoint(of: dataset, at: time, until: end)
    }
  }

  package func publishCheckpoint(
    _ archive: Int64, at position: SharedPosition, digest: [UInt8], covering cost: Int
  ) throws -> Bool {
    try log.write("publishCheckpoint \(position.sequence)", by: connection, isChange: \.self) {
      $0.publishCheckpoint(archive, at: position, digest: digest, covering: cost)
    }
  }

  package func removeArchive(_ archive: Int64) throws {
    try log.write("removeArchive", by: connection) { $0.removeArchive(archive) }
  }

  package func sweepArchives(olderThan seconds: Double) throws -> Int {
    let time = log.clock - Int64(seconds * Double(SimulatedLog.ticksPerSecond))
    return try log.write("sweepArchives", by: connection, isChange: \.isPositive) {
      $0.sweepArchives(begunBefore: time)
    }
  }
}

extension Int {
  fileprivate var isPositive: Bool { self > 0 }
}
