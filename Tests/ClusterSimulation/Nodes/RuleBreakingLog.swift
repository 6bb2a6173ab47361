package import LayoutCache
package import LayoutCluster

/// What a node sees of a log that tells it one thing wrong: as if the node broke a rule.
package struct RuleBreakingLog: SharedLogStore {
  package enum Rule: CaseIterable, Sendable {
    /// What is read counts without a barrier behind it.
    case believesReads
    /// An append whose answer is lost counts as refused.
    case takesUnknownForRefused
    /// An append whose answer is lost counts as done.
    case takesUnknownForDone
  }

  private let base: SimulatedLogHandle
  private let broken: Rule

  package init(_ base: SimulatedLogHandle, breaking rule: Rule) {
    self.base = base
    broken = rule
  }

  package func read<R>(
    node: [UInt8], _ body: (any SharedLogReader) throws -> R
  ) throws -> R {
    let result = try body(base)
    if broken != .believesReads { try base.barrier(node: node) }
    return result
  }

  package func append(
    _ entries: [SharedEntry], behind position: SharedPosition, epoch: Int
  ) throws -> SharedAppending {
    do {
      return try base.append(entries, behind: position, epoch: epoch)
    } catch SharedLogFailure.isUnknown(let reason) {
      switch broken {
      case .takesUnknownForRefused: throw SharedLogFailure.isAway(reason)
      case .takesUnknownForDone: return .isDone
      case .believesReads: throw SharedLogFailure.isUnknown(reason)
      }
    }
  }

  // MARK: As it is

  package func barrier(node: [UInt8]) throws { try base.barrier(node: node) }

  package func createDataset(
    named name: String, chain: [UInt8], time: Int64
  ) throws -> SharedHead {
    try base.createDataset(named: name, chain: chain, time: time)
  }

  package func removeDataset(_ id: Int64) throws -> Bool { try base.removeDataset(id) }

  package func renameDataset(_ id: Int64, to name: String) throws -> SharedRenaming {
    try base.renameDataset(id, to: name)
  }

  package func cut(_ dataset: Int64, upTo sequence: Int) throws {
    try base.cut(dataset, upTo: sequence)
  }

  package func beginImage(of dataset: Int64?) throws -> Int64 {
    try base.beginImage(of: dataset)
  }

  package func putChunk(_ bytes: [UInt8], number: Int, of image: Int64) throws {
    try base.putChunk(bytes, number: number, of: image)
  }

  package func publishCheckpoint(
    _ image: Int64, at position: SharedPosition, digest: [UInt8]
  ) throws -> Bool {
    try base.publishCheckpoint(image, at: position, digest: digest)
  }

  package func removeImage(_ image: Int64) throws { try base.removeImage(image) }

  package func sweepImages(olderThan seconds: Double) throws -> Int {
    try base.sweepImages(olderThan: seconds)
  }

  package func freshLayoutID() throws -> Int64 { try base.freshLayoutID() }

  package func info() throws -> SharedLogInfo { try base.info() }

  package func dataset(named name: String) throws -> SharedHead? {
    try base.dataset(named: name)
  }

  package func datasets(after name: String?, countMax: Int) throws -> [SharedHead] {
    try base.datasets(after: name, countMax: countMax)
  }

  package func heads(of datasets: [Int64]) throws -> [SharedHead] {
    try base.heads(of: datasets)
  }

  package func entries(
    of dataset: Int64, after sequence: Int, bytesMax: Int
  ) throws -> [SharedEntry] {
    try base.entries(of: dataset, after: sequence, bytesMax: bytesMax)
  }

  package func sequence(of proposal: [UInt8], in dataset: Int64) throws -> Int? {
    try base.sequence(of: proposal, in: dataset)
  }

  package func chunk(_ number: Int, of image: Int64) throws -> [UInt8]? {
    try base.chunk(number, of: image)
  }

  package func checkpoints(of dataset: Int64) throws -> [SharedCheckpoint] {
    try base.checkpoints(of: dataset)
  }
}
