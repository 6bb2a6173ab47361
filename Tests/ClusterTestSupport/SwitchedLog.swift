import Foundation
import LayoutCache
package import LayoutCluster
import LayoutReplication
import Synchronization

/// A shared log that any thread may call, that can be unavailable, and that counts its calls.
package final class SwitchedLog: ForwardingLog {
  private struct State: Sendable {
    var failure: SharedLogFailure?
    var info: SharedLogInfo?
    var newer: Int?
    var callCount = 0
  }

  package let base: any SharedLog
  private let state = Mutex(State())
  /// Allows one call at a time: the log may not support several threads.
  private let turn = NSRecursiveLock()

  package init(_ base: any SharedLog) { self.base = base }

  /// The failure of each call; `nil` if calls succeed.
  package var failure: SharedLogFailure? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// The information that the log returns instead of the other log's.
  package var replacedInfo: SharedLogInfo? {
    get { state.withLock { $0.info } }
    set { state.withLock { $0.info = newValue } }
  }

  /// The sequence from which entries are of a kind that the node does not know; `nil` for none.
  package var newerFrom: Int? {
    get { state.withLock { $0.newer } }
    set { state.withLock { $0.newer = newValue } }
  }

  /// The number of calls so far, including failed ones.
  package var callCount: Int { state.withLock { $0.callCount } }

  package func around<R>(_ body: () throws -> R) throws -> R {
    let failure = state.withLock { state in
      state.callCount += 1
      return state.failure
    }
    if let failure { throw failure }
    return try turn.withLock(body)
  }

  package func look(at datasets: [Int64]) throws -> SharedLook {
    var look = try around { try base.look(at: datasets) }
    if let info = replacedInfo { look.info = info }
    return look
  }

  package func tail(
    of dataset: Int64, after sequence: Int, bytesMax: Int
  ) throws -> SharedTail? {
    var tail = try around { try base.tail(of: dataset, after: sequence, bytesMax: bytesMax) }
    guard let newerFrom, let first = tail?.entries.first else { return tail }
    if first.sequence >= newerFrom { throw SharedLogFailure.newerEntry("newer") }
    tail?.entries.removeAll { $0.sequence >= newerFrom }
    return tail
  }
}
