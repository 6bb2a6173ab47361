import ClusterSimulation
import ClusterTestSupport
import Dispatch
import LayoutCache
import LayoutCluster
import LayoutReplication
import Synchronization

/// A log in memory for several threads, with a hook by which tests observe calls or make them fail.
final class WatchedLog: ForwardingLog {
  /// A call that a test may watch.
  enum Call: Hashable, Sendable {
    /// A chunk is uploaded or requested.
    case putChunk(Int)
    case chunk(Int)
    /// Entries are about to be appended, or have been.
    case willAppend(dataset: Int64)
    case didAppend(dataset: Int64)
    case willCreate, didCreate
    case willRemove, willRename
  }

  let log = SimulatedLog(seed: 1)
  let base: any SharedLog
  private let turn = DispatchSemaphore(value: 1)
  private let watch = Mutex<(@Sendable (Call) throws -> Void)?>(nil)

  init() { base = log.handle(node: 0) }

  /// Sets a hook that is called before each call, or afterwards for the cases that are named
  /// so. If the hook throws, the call fails with that error.
  func onCall(_ watch: (@Sendable (Call) throws -> Void)?) {
    self.watch.withLock { $0 = watch }
  }

  private func tell(_ call: Call) throws { try watch.withLock { $0 }?(call) }

  // The log in memory needs one call at a time; hooks are called outside the lock.
  func around<R>(_ call: () throws -> R) throws -> R {
    turn.wait()
    defer { turn.signal() }
    return try call()
  }

  func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
    appends.map { append in
      Result {
        try tell(.willAppend(dataset: append.dataset))
        let answer = try around { try base.append([append])[0].get() }
        try tell(.didAppend(dataset: append.dataset))
        return answer
      }
    }
  }

  func createDataset(
    named name: String, chain: [UInt8], time: Int64, beginningWith request: SharedRequest?
  ) throws -> SharedHead {
    if request != nil { try tell(.willCreate) }
    let head = try around {
      try base.createDataset(named: name, chain: chain, time: time, beginningWith: request)
    }
    if request != nil { try tell(.didCreate) }
    return head
  }

  func removeDataset(_ id: Int64, named name: String, at position: SharedPosition?) throws -> Bool {
    try tell(.willRemove)
    return try around { try base.removeDataset(id, named: name, at: position) }
  }

  func renameDataset(
    _ id: Int64, tagged tag: [UInt8], to newName: String, tagged new: [UInt8],
    at position: SharedPosition?
  ) throws -> Bool {
    try tell(.willRename)
    return try around {
      try base.renameDataset(id, tagged: tag, to: newName, tagged: new, at: position)
    }
  }

  func putChunk(_ bytes: [UInt8], number: Int, of archive: Int64) throws {
    try tell(.putChunk(number))
    try around { try base.putChunk(bytes, number: number, of: archive) }
  }

  func chunk(_ number: Int, of archive: Int64) throws -> [UInt8]? {
    try tell(.chunk(number))
    return try around { try base.chunk(number, of: archive) }
  }
}
