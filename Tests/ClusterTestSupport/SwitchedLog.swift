import Foundation
package import LayoutCluster
import Synchronization

/// A shared log that any thread may call, that can be away, and counts what it is asked.
package final class SwitchedLog: ForwardingLog {
  private struct State: Sendable {
    var failure: SharedLogFailure?
    var info: SharedLogInfo?
    var callCount = 0
  }

  package let base: any SharedLog
  private let state = Mutex(State())
  /// One call at a time: the log may be one that one thread calls.
  private let turn = NSRecursiveLock()

  package init(_ base: any SharedLog) { self.base = base }

  /// What each call comes to; `nil` where it is answered.
  package var failure: SharedLogFailure? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  /// What the log says of itself, if not what the other says.
  package var replacedInfo: SharedLogInfo? {
    get { state.withLock { $0.info } }
    set { state.withLock { $0.info = newValue } }
  }

  /// The calls so far, also those that failed.
  package var callCount: Int { state.withLock { $0.callCount } }

  package func around<R>(_ body: () throws -> R) throws -> R {
    let failure = state.withLock { state in
      state.callCount += 1
      return state.failure
    }
    if let failure { throw failure }
    return try turn.withLock(body)
  }

  package func read<R>(
    node: [UInt8], _ body: (any SharedLogReader) throws -> R
  ) throws -> R {
    try turn.withLock {
      let result = try body(self)
      try barrier(node: node)
      return result
    }
  }

  package func info() throws -> SharedLogInfo {
    let info = try around { try base.info() }
    return replacedInfo ?? info
  }
}
