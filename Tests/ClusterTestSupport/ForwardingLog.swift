package import LayoutCache
package import LayoutCluster
package import LayoutReplication

/// A log that forwards all calls to another one, except those that its conformers override.
package protocol ForwardingLog: SharedLog {
  var base: any SharedLog { get }

  /// Makes a call of the other log.
  func around<R>(_ call: () throws -> R) throws -> R
}

extension ForwardingLog {
  package func around<R>(_ call: () throws -> R) throws -> R { try call() }

  package func reserveLayoutIDs(_ count: Int) throws -> Int64 {
    try around { try base.reserveLayoutIDs(count) }
  }

  // MARK: Names

  package func dataset(named name: String) throws -> SharedHead? {
    try around { try base.dataset(named: name) }
  }

  package func datasets(after name: String?, countMax: Int) throws -> [SharedHead] {
    try around { try base.datasets(after: name, countMax: countMax) }
  }

  package func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith request: SharedRequest?
  ) throws -> SharedHead {
    try around {
      try base.createDataset(named: name, chain: chain, time: time, beginningWith: request)
    }
  }

  package func removeDataset(
    _ id: Int64, named name: String, at position: SharedPosition?
  ) throws -> Bool {
    try around { try base.removeDataset(id, named: name, at: position) }
  }

  package func renameDataset(
    _ id: Int64, tagged tag: [UInt8], to name: String, tagged new: [UInt8],
    at position: SharedPosition?
  ) throws -> Bool {
    try around { try base.renameDataset(id, tagged: tag, to: name, tagged: new, at: position) }
  }

  package func templates() throws -> SharedTemplates { try around { try base.templates() } }

  package func putTemplates(_ templates: SharedTemplates) throws -> Bool {
    try around { try base.putTemplates(templates) }
  }

  // MARK: Entries

  package func look(at datasets: [Int64]) throws -> SharedLook {
    try around { try base.look(at: datasets) }
  }

  package func tail(
    of dataset: Int64, after sequence: Int, bytesMax: Int
  ) throws -> SharedTail? {
    try around { try base.tail(of: dataset, after: sequence, bytesMax: bytesMax) }
  }

  package func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
    do {
      return try around { base.append(appends) }
    } catch {
      return appends.map { _ in .failure(error) }
    }
  }

  package func raiseEpoch(of dataset: Int64, from epoch: Int, to newEpoch: Int) throws {
    try around { try base.raiseEpoch(of: dataset, from: epoch, to: newEpoch) }
  }

  package func cut(_ dataset: Int64, upTo sequence: Int) throws {
    try around { try base.cut(dataset, upTo: sequence) }
  }

  // MARK: Archives and checkpoints

  package func beginArchive(of dataset: Int64?) throws -> Int64 {
    try around { try base.beginArchive(of: dataset) }
  }

  package func putChunk(_ bytes: [UInt8], number: Int, of archive: Int64) throws {
    try around { try base.putChunk(bytes, number: number, of: archive) }
  }

  package func chunk(_ number: Int, of archive: Int64) throws -> [UInt8]? {
    try around { try base.chunk(number, of: archive) }
  }

  package func removeArchive(_ archive: Int64) throws {
    try around { try base.removeArchive(archive) }
  }

  package func sweepArchives(olderThan seconds: Double) throws -> Int {
    try around { try base.sweepArchives(olderThan: seconds) }
  }

  package func checkpoints(of dataset: Int64) throws -> [SharedCheckpoint] {
    try around { try base.checkpoints(of: dataset) }
  }

  package func claimCheckpoint(of dataset: Int64, for seconds: Double) throws -> Bool {
    try around { try base.claimCheckpoint(of: dataset, for: seconds) }
  }

  package func publishCheckpoint(
    _ archive: Int64, at position: SharedPosition, digest: [UInt8], covering cost: Int
  ) throws -> Bool {
    try around {
      try base.publishCheckpoint(archive, at: position, digest: digest, covering: cost)
    }
  }
}
