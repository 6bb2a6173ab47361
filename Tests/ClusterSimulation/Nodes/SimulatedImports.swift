import ClusterTestSupport
import LayoutCache
package import LayoutCluster
package import LayoutReplication
import Synchronization
import TestSupport

/// The imports requested by clients of simulated nodes, and the entries proposed for them.
package final class SimulatedImports: Sendable {
  private struct State {
    var asked: [String: FeedImport] = [:]
    var proposed: [String: [SharedEntry]] = [:]
    var taken: [String: [SharedEntry]] = [:]
    var names: [[UInt8]: String] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  func note(_ asked: FeedImport, as name: String) {
    state.withLock { $0.asked[name] = asked }
  }

  func note(_ entries: [SharedEntry], of name: String) {
    state.withLock { state in
      state.proposed[name, default: []] += entries
      for entry in entries { state.names[entry.proposal] = name }
    }
  }

  func note(taken entries: [SharedEntry], of name: String) {
    state.withLock { $0.taken[name, default: []] += entries }
  }

  /// Removes an entry that the log has certainly rejected.
  func note(refused entry: SharedEntry, of name: String) {
    state.withLock { $0.proposed[name]?.removeAll { $0.proposal == entry.proposal } }
  }

  /// Returns the name of the client's write that an entry applies.
  func name(of entry: SharedEntry) -> String? { state.withLock { $0.names[entry.proposal] } }

  /// Returns the import that an entry belongs to.
  func asked(by entry: SharedEntry) -> FeedImport? {
    state.withLock { state in state.names[entry.proposal].flatMap { state.asked[$0] } }
  }

  /// Returns the entry of a write that leads to a revision: the one that the log has certainly
  /// accepted, or the last proposed one.
  func entry(of name: String, leadingTo revision: Int) -> SharedEntry? {
    state.withLock { state in
      (state.taken[name] ?? state.proposed[name])?.last { $0.revision == revision }
    }
  }
}

/// A node's view of the log that records the entries proposed for imports.
package final class ImportingLog: ForwardingLog {
  package let base: any SharedLog
  private let imports: SimulatedImports
  /// The name of the current write.
  private let name = Mutex<String?>(nil)

  init(_ base: any SharedLog, _ imports: SimulatedImports) {
    self.base = base
    self.imports = imports
  }

  /// Runs `body`, and records the entries proposed in the meantime.
  func importing<R>(
    _ asked: FeedImport, as name: String, _ body: () throws -> R
  ) rethrows -> R {
    imports.note(asked, as: name)
    self.name.withLock { $0 = name }
    defer { self.name.withLock { $0 = nil } }
    return try body()
  }

  func entry(of name: String, leadingTo revision: Int) -> SharedEntry? {
    imports.entry(of: name, leadingTo: revision)
  }

  package func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
    for append in appends { note(append.entries) }
    let outcomes = base.append(appends)
    if let name = name.withLock({ $0 }) {
      for (append, outcome) in zip(appends, outcomes) where (try? outcome.get()) == .appended {
        imports.note(taken: append.entries, of: name)
      }
    }
    return outcomes
  }

  package func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith entry: SharedEntry?
  ) throws -> SharedHead {
    guard let entry else { return try base.createDataset(named: name, chain: chain, time: time) }
    note([entry])
    let head: SharedHead
    do {
      head = try base.createDataset(named: name, chain: chain, time: time, beginningWith: entry)
    } catch SharedLogFailure.archiveDeleted(let reason) {
      note(refused: entry)
      throw SharedLogFailure.archiveDeleted(reason)
    }
    guard head.begin == chain else {
      note(refused: entry)
      return head
    }
    if let write = self.name.withLock({ $0 }) { imports.note(taken: [entry], of: write) }
    return head
  }

  /// Another dataset has the name, or the archive is gone. The import is retried, and may then
  /// result in no change.
  private func note(refused entry: SharedEntry) {
    if let name = name.withLock({ $0 }) { imports.note(refused: entry, of: name) }
  }

  private func note(_ entries: [SharedEntry]) {
    if let name = name.withLock({ $0 }) { imports.note(entries, of: name) }
  }
}

extension SimulatedClusterNode {
  func importItems(
    into dataset: String, _ cache: LayoutCache, _ node: ClusterNode,
    _ generator: inout SeededGenerator
  ) throws {
    guard let imports else { return }
    let asked = try FeedImport.random(using: &generator)
    try clients.write(session: clients.session(using: &generator), named: dataset) { name in
      do {
        let summary = try imports.importing(asked, as: name) {
          try asked.run(on: cache, into: dataset)
        }
        // Without an entry the import changed nothing.
        guard let entry = imports.entry(of: name, leadingTo: summary.revision) else {
          return .unknown
        }
        return .committed(sequence: entry.sequence, revision: summary.revision)
      } catch let error as LayoutCacheError {
        guard Feeds.isExpected(error) else { throw error }
        if case .outcomeUnknown = error.code { return .unknown }
        return .refused
      }
    }
  }
}
