package import LayoutCache
import LayoutReplication
import Synchronization

/// A coordinator with a log that no other cache shares: it resolves each change into an entry, and
/// applies the entry, as a node does between the shared log and its file.
package final class LocalCoordinator: ChangeCoordinator {
  private struct State {
    var positions: [String: SharedPosition] = [:]
    var datasetCount: Int64 = 0
    var numberCount: Int64 = 0
    var archives: [Int64: [[UInt8]]] = [:]
  }

  private let log = [UInt8](repeating: 9, count: 16)
  private let cache: LayoutCache
  private let alter: @Sendable (ChangeRequest) -> ChangeRequest
  private let state = Mutex(State())

  /// - Parameter alter: Changes requests, to simulate a wrong coordinator.
  package init(
    for cache: LayoutCache, alter: @escaping @Sendable (ChangeRequest) -> ChangeRequest = { $0 }
  ) {
    self.cache = cache
    self.alter = alter
  }

  package func commit(_ request: ChangeRequest, to dataset: String) throws -> ChangeOutcome {
    _ = try position(of: dataset)
    let (position, proposals) = try cache.resolve([alter(request)], on: dataset, in: log) {
      self.nextNumber()
    }
    switch proposals[0] {
    case .entry(let entry, let change):
      return .applied(
        try apply(
          entry.sealed(after: position.chain), change, request.viewport, at: position, to: dataset)
      )
    case .settled(let outcome): return outcome
    case .failed(let error): throw error
    case .mustWait: fatalError("there is no group")
    }
  }

  private func apply(
    _ entry: SharedEntry, _ change: ResolvedChange, _ viewport: CommitViewport,
    at position: SharedPosition, to dataset: String
  ) throws -> AppliedChange {
    let applied: AppliedChange
    if entry.kind == .archive {
      applied = try cache.acceptArchive(
        entry, after: position, in: log, into: dataset, next: chunks(of: entry))
    } else {
      applied = try cache.apply(
        [.init(of: dataset, after: position, [.init(entry, viewport, as: change)])], in: log)[0][0]
    }
    var next = position
    (next.sequence, next.chain) = (entry.sequence, entry.chain)
    state.withLock { $0.positions[dataset] = next }
    if entry.kind == .pin { try cache.layOutPinned(entry, in: dataset) }
    return applied
  }

  private func position(of dataset: String) throws -> SharedPosition {
    guard let position = state.withLock({ $0.positions[dataset] }) else {
      throw LayoutCacheError(.noSuchDataset(dataset))
    }
    return position
  }

  package func commit(_ change: CatalogChange) throws {
    switch change {
    case .create(let name):
      if try hasDataset(name) { throw LayoutCacheError(.datasetExists(name)) }
      let begin = newPosition()
      try cache.adopt(name, at: begin, in: log, time: 0)
      state.withLock { $0.positions[name] = begin }
    case .remove(let name, _):
      _ = try position(of: name)
      try cache.forget(name)
      state.withLock { $0.positions[name] = nil }
    case .rename(let name, let other, _):
      let position = try position(of: name)
      if try name != other && hasDataset(other) { throw LayoutCacheError(.datasetExists(other)) }
      try cache.takeName(other, from: name)
      state.withLock {
        $0.positions[name] = nil
        $0.positions[other] = position
      }
    }
  }

  private func newPosition() -> SharedPosition {
    state.withLock { state in
      state.datasetCount += 1
      return SharedPosition(
        dataset: state.datasetCount, sequence: 0, chain: [UInt8](repeating: 3, count: 16))
    }
  }

  package func createDataset(_ name: String, of archive: SharedArchive) throws -> Bool {
    if try hasDataset(name) { return false }
    let begin = newPosition()
    let entry = SharedEntry(
      sequence: 1, revision: 1, kind: .archive, proposal: .risingName(), request: nil,
      payload: archive.encode(), time: 0, chain: []
    ).sealed(after: begin.chain)
    try cache.adopt(name, at: begin, in: log, time: 0, first: (entry, chunks(of: entry)))
    state.withLock {
      $0.positions[name] = SharedPosition(
        dataset: begin.dataset, sequence: 1, chain: entry.chain)
    }
    return true
  }

  private func chunks(of entry: SharedEntry) throws -> () throws -> [UInt8]? {
    let archive = try SharedArchive(entry.payload).number
    var chunks = state.withLock { $0.archives[archive] ?? [] }[...]
    return { chunks.popFirst() }
  }

  package func hasDataset(_ name: String) throws -> Bool {
    state.withLock { $0.positions[name] != nil }
  }

  package func ensureResident(_ dataset: String) throws { _ = try position(of: dataset) }

  package func keepArchive(
    for dataset: String, _ write: (_ chunk: @escaping ([UInt8]) throws -> Void) throws -> Void
  ) throws -> Int64 {
    let number = nextNumber()
    try write { chunk in self.state.withLock { $0.archives[number, default: []].append(chunk) } }
    return number
  }

  package func dropArchive(_ archive: Int64) { state.withLock { $0.archives[archive] = nil } }

  package func rebuild(_ dataset: String) throws {
    fatalError("a log that one cache has does not diverge")
  }

  private func nextNumber() -> Int64 {
    state.withLock { state in
      state.numberCount += 1
      return state.numberCount
    }
  }
}

extension ChangeRequest {
  /// Returns the request with other work.
  package func replacing(_ work: Work) -> ChangeRequest {
    var request = self
    request.work = work
    return request
  }
}
