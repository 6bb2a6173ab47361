package import LayoutCache
package import LayoutCluster

/// One node's view of a ``SimulatedLog``.
package final class SimulatedLogHandle: SharedLog, @unchecked Sendable {
  private let log: SimulatedLog
  private let connection: SimulatedConnection

  init(log: SimulatedLog, connection: SimulatedConnection) {
    self.log = log
    self.connection = connection
  }

  /// Whether the node has died: each call throws ``Killed`` until it is restarted.
  package var isDead: Bool { connection.isDead }

  package func restart() { connection.restart() }

  // MARK: The node's clock

  /// A monotonic clock, in ``SimulatedLog/ticksPerSecond``.
  package var now: Int64 { log.clock }

  /// Pauses the node; others continue in the meantime.
  package func pause(ticks: Int64) { log.pause(ticks: ticks) }

  // MARK: Calls

  package func info() throws -> SharedLogInfo {
    try log.read("info", by: connection) { $0.info }
  }

  package func createDataset(
    named name: String, chain: [UInt8], time: Int64
  ) throws -> SharedHead {
    try create { $0.createDataset(named: name, chain: chain, time: time) }
  }

  package func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith entry: SharedEntry
  ) throws -> SharedHead {
    try create {
      $0.createDataset(named: name, chain: chain, time: time, beginningWith: entry)
    }
  }

  private func create(
    _ change: @escaping (inout LogState) -> (SharedHead, isNew: Bool)?
  ) throws -> SharedHead {
    let answer = try log.write(
      "createDataset", by: connection, isChange: { $0?.isNew ?? false }, change)
    guard let answer else { throw SharedLogFailure.archiveDeleted("the archive is gone") }
    return answer.0
  }

  package func dataset(named name: String) throws -> SharedHead? {
    try log.read("dataset", by: connection) { $0.dataset(named: name) }
  }

  package func datasets(after name: String?, countMax: Int) throws -> [SharedHead] {
    try log.read("datasets", by: connection) { $0.datasets(after: name, countMax: countMax) }
  }

  package func heads(of datasets: [Int64]) throws -> [SharedHead] {
    try log.read("heads", by: connection) { $0.heads(of: datasets) }
  }

  package func removeDataset(_ id: Int64, named name: String) throws -> SharedRemoval {
    try log.write("removeDataset", by: connection, isChange: \.hasRemoved) {
      $0.removeDataset(id, named: name)
    }
  }

  package func renameDataset(
    _ id: Int64, from name: String, to newName: String
  ) throws -> SharedRenaming {
    try log.write("renameDataset", by: connection, isChange: \.hasRenamed) {
      $0.renameDataset(id, from: name, to: newName)
    }
  }

  package func raiseEpoch(of dataset: Int64, from epoch: Int, to newEpoch: Int) throws {
    _ = try log.write("raiseEpoch", by: connection, isChange: \.self) {
      $0.raiseEpoch(of: dataset, from: epoch, to: newEpoch)
    }
  }

  package func append(
    _ entries: [SharedEntry], after position: SharedPosition, epoch: Int
  ) throws -> SharedAppending {
    let answer = try log.write(
      "append \(position.sequence)", by: connection, isChange: { $0 == .appended },
      { $0.append(entries, after: position, epoch: epoch) })
    guard let answer else { throw SharedLogFailure.archiveDeleted("an archive is gone") }
    return answer
  }

  package func entries(
    of dataset: Int64, after sequence: Int, bytesMax: Int
  ) throws -> [SharedEntry] {
    try log.read("entries \(sequence)", by: connection) {
      $0.entries(of: dataset, after: sequence, bytesMax: bytesMax)
    }
  }

  package func sequence(of proposal: [UInt8], in dataset: Int64) throws -> Int? {
    try log.read("sequence", by: connection) { $0.sequence(of: proposal, in: dataset) }
  }

  package func cut(_ dataset: Int64, upTo sequence: Int) throws {
    _ = try log.write("cut \(sequence)", by: connection) { $0.cut(dataset, upTo: sequence) }
  }

  package func beginArchive(of dataset: Int64?) throws -> Int64 {
    let time = log.clock
    return try log.write("beginArchive", by: connection) { $0.beginArchive(of: dataset, at: time) }
  }

  package func putChunk(_ bytes: [UInt8], number: Int, of archive: Int64) throws {
    try log.write("putChunk \(number)", by: connection) {
      $0.putChunk(bytes, number: number, of: archive)
    }
  }

  package func chunk(_ number: Int, of archive: Int64) throws -> [UInt8]? {
    try log.read("chunk \(number)", by: connection) { $0.chunk(number, of: archive) }
  }

  package func publishCheckpoint(
    _ archive: Int64, at position: SharedPosition, digest: [UInt8]
  ) throws -> Bool {
    try log.write("publishCheckpoint \(position.sequence)", by: connection, isChange: \.self) {
      $0.publishCheckpoint(archive, at: position, digest: digest)
    }
  }

  package func checkpoints(of dataset: Int64) throws -> [SharedCheckpoint] {
    try log.read("checkpoints", by: connection) { $0.checkpoints(of: dataset) }
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

  package func barrier(node: [UInt8]) throws {
    try log.write("barrier", by: connection) { _ in }
  }

  package func freshLayoutID() throws -> Int64 {
    try log.write("freshLayoutID", by: connection) { $0.freshLayoutID() }
  }
}

extension Int {
  fileprivate var isPositive: Bool { self > 0 }
}

extension SharedRemoval {
  fileprivate var hasRemoved: Bool { self == .removed }
}

extension SharedRenaming {
  fileprivate var hasRenamed: Bool { self == .renamed }
}
