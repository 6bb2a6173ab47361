import ClusterTestSupport
import LayoutCache
package import LayoutCluster
package import LayoutReplication
import Synchronization
import TestSupport

/// The imports requested by clients of simulated nodes, and the requests appended for them.
package final class SimulatedImports: Sendable {
  private struct State {
    var asked: [String: FeedImport] = [:]
    /// The sequence of the last request that the log certainly has.
    var taken: [String: Int] = [:]
    var names: [[UInt8]: String] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  func note(_ asked: FeedImport, as name: String) {
    state.withLock { $0.asked[name] = asked }
  }

  func note(_ requests: [SharedRequest], of name: String) {
    state.withLock { state in
      for request in requests { state.names[request.name] = name }
    }
  }

  func note(taken sequence: Int, of name: String) {
    state.withLock { $0.taken[name] = sequence }
  }

  /// Returns the name of the client's write that an entry is a request of.
  func name(of entry: SharedEntry) -> String? { state.withLock { $0.names[entry.request.name] } }

  /// Returns the import that an entry belongs to.
  func asked(by entry: SharedEntry) -> FeedImport? {
    state.withLock { state in state.names[entry.request.name].flatMap { state.asked[$0] } }
  }

  /// Returns the sequence of the last entry of a write.
  func sequence(of name: String) -> Int? { state.withLock { $0.taken[name] } }
}

/// A node's view of the log that records the requests appended for imports.
package final class ImportingLog: ForwardingLog {
  package let base: any SharedLog
  private let imports: SimulatedImports
  /// The name of the current write.
  private let name = Mutex<String?>(nil)

  init(_ base: any SharedLog, _ imports: SimulatedImports) {
    (self.base, self.imports) = (base, imports)
  }

  /// Runs `body`, and records the requests appended in the meantime.
  func importing<R>(
    _ asked: FeedImport, as name: String, _ body: () throws -> R
  ) rethrows -> R {
    imports.note(asked, as: name)
    self.name.withLock { $0 = name }
    defer { self.name.withLock { $0 = nil } }
    return try body()
  }

  func sequence(of name: String) -> Int? { imports.sequence(of: name) }

  package func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
    guard let name = name.withLock({ $0 }) else { return base.append(appends) }
    for append in appends { imports.note(append.requests, of: name) }
    let outcomes = base.append(appends)
    for outcome in outcomes {
      guard case .appended(let first, _, _) = try? outcome.get() else { continue }
      imports.note(taken: first, of: name)
    }
    return outcomes
  }

  package func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith request: SharedRequest?
  ) throws -> SharedHead {
    let write = self.name.withLock { $0 }
    if let write, let request { imports.note([request], of: write) }
    let head = try base.createDataset(named: name, chain: chain, time: time, beginningWith: request)
    if let write, request != nil, head.begin == chain { imports.note(taken: 1, of: write) }
    return head
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
        guard let sequence = imports.sequence(of: name) else { return .unknown }
        return .committed(sequence: sequence, revision: summary.revision)
      } catch let error as LayoutCacheError {
        guard Feeds.isExpected(error) else { throw error }
        if case .outcomeUnknown = error.code { return .unknown }
        return .refused
      }
    }
  }
}
