package import LayoutCache
package import LayoutCluster

/// A log that forwards all calls to another one, except those that its conformers override.
package protocol ForwardingLog: SharedLog {
  var base: any SharedLog { get }

  /// Makes a call of the other log.
  func around<R>(_ call: () throws -> R) throws -> R
}

extension ForwardingLog {
  package func around<R>(_ call: () throws -> R) throws -> R { try call() }

  package func barrier(node: [UInt8]) throws { try around { try base.barrier(node: node) } }

  package func createDataset(
    named name: String, chain: [UInt8], time: Int64
  ) throws -> SharedHead {
    try around { try base.createDataset(named: name, chain: chain, time: time) }
  }

  package func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith entry: SharedEntry
  ) throws -> SharedHead {
    try around {
      try base.createDataset(named: name, chain: chain, time: time, beginningWith: entry)
    }
  }

  package func removeDataset(_ id: Int64, named name: String) throws -> SharedRemoval {
    try around { try base.removeDataset(id, named: name) }
  }

  package func renameDataset(
    _ id: Int64, from name: String, to newName: String
  ) throws -> SharedRenaming {
    try around { try base.renameDataset(id, from: name, to: newName) }
  }

  package func raiseEpoch(of dataset: Int64, from epoch: Int, to newEpoch: Int) throws {
    try around { try base.raiseEpoch(of: dataset, from: epoch, to: newEpoch) }
  }

  package func append(
    _ entries: [SharedEntry], after position: SharedPosition, epoch: Int
  ) throws -> SharedAppending {
    try around { try base.append(entries, after: position, epoch: epoch) }
  }

  package func cut(_ dataset: Int64, upTo sequence: Int) throws {
    try around { try base.cut(dataset, upTo: sequence) }
  }

  package func beginArchive(of dataset: Int64?) throws -> Int64 {
    try around { try base.beginArchive(of: dataset) }
  }

  package func putChunk(_ bytes: [UInt8], number: Int, of archive: Int64) throws {
    try around { try base.putChunk(bytes, number: number, of: archive) }
  }

  package func publishCheckpoint(
    _ archive: Int64, at position: SharedPosition, digest: [UInt8]
  ) throws -> Bool {
    try around { try base.publishCheckpoint(archive, at: position, digest: digest) }
  }

  package func removeArchive(_ archive: Int64) throws {
    try around { try base.removeArchive(archive) }
  }

  package func sweepArchives(olderThan seconds: Double) throws -> Int {
    try around { try base.sweepArchives(olderThan: seconds) }
  }

  package func freshLayoutID() throws -> Int64 { try around { try base.freshLayoutID() } }

  package func info() throws -> SharedLogInfo { try around { try base.info() } }

  package func dataset(named name: String) throws -> SharedHead? {
    try around { try base.dataset(named: name) }
  }

  package func datasets(after name: String?, countMax: Int) throws -> [SharedHead] {
    try around { try base.datasets(after: name, countMax: countMax) }
  }

  package func heads(of datasets: [Int64]) throws -> [SharedHead] {
    try around { try base.heads(of: datasets) }
  }

  package func entries(
    of dataset: Int64, after sequence: Int, bytesMax: Int
  ) throws -> [SharedEntry] {
    try around { try base.entries(of: dataset, after: sequence, bytesMax: bytesMax) }
  }

  package func sequence(of proposal: [UInt8], in dataset: Int64) throws -> Int? {
    try around { try base.sequence(of: proposal, in: dataset) }
  }

  package func chunk(_ number: Int, of archive: Int64) throws -> [UInt8]? {
    try around { try base.chunk(number, of: archive) }
  }

  package func checkpoints(of dataset: Int64) throws -> [SharedCheckpoint] {
    try around { try base.checkpoints(of: dataset) }
  }
}
