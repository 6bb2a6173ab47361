import Dispatch
import Foundation
import LayoutCache
import LayoutCluster
import Synchronization
import TestSupport
import Testing

// Strategy: another connection locks the node's file as soon as the log has the first of two
// changes, so that its entry cannot be applied. The second change must reach the log in the
// meantime.

@Suite struct OverlapTests {
  private let folder: TemporaryDirectory
  private let log = WatchedLog()

  init() throws { folder = try TemporaryDirectory() }

  private func cache(busyTimeout: Double) throws -> LayoutCache {
    var options = LayoutCacheOptions()
    options.busyTimeout = busyTimeout
    return try LayoutCache(path: folder.path(of: "node.sqlite"), options: options)
  }

  private static func insert(_ key: String, _ cache: LayoutCache) throws {
    try cache.update(
      "d", with: [.insert([try Item(key: key, width: 1, height: 1)], at: .end(section: "s"))])
  }

  /// Makes two changes.
  ///
  /// - Parameter wait: Called after the second append, before the lock is released.
  /// - Returns: The results of the changes.
  private func change(
    _ cache: LayoutCache,
    whileLocked wait: @escaping @Sendable (_ firstHasEnded: DispatchSemaphore) -> Void
  ) throws -> [Result<Void, any Error>] {
    let raw = Mutex(try RawDatabase(path: folder.path(of: "node.sqlite")))
    let results = Mutex<[Result<Void, any Error>?]>([nil, nil])
    let count = Atomic(0)
    let group = DispatchGroup()
    let firstHasEnded = DispatchSemaphore(value: 0)
    log.onCall { call in
      guard case .didAppend = call else { return }
      if count.add(1, ordering: .relaxed).newValue == 1 {
        try raw.withLock { try $0.execute("BEGIN IMMEDIATE") }
        DispatchQueue(label: "second").async(group: group) {
          let result = Result { try Self.insert("b", cache) }
          results.withLock { $0[1] = result }
        }
      } else {
        wait(firstHasEnded)
        try raw.withLock { try $0.execute("ROLLBACK") }
      }
    }
    DispatchQueue(label: "first").async(group: group) {
      let result = Result { try Self.insert("a", cache) }
      results.withLock { $0[0] = result }
      firstHasEnded.signal()
    }
    group.wait()
    log.onCall(nil)
    return results.withLock { $0.compactMap(\.self) }
  }

  private func makeDataset(_ cache: LayoutCache) throws -> ClusterNode {
    let node = try ClusterNode(of: log, on: cache)
    try cache.createDataset("d")
    try cache.update("d", with: [.insertSection(key: "s")])
    return node
  }

  @Test func aChangeIsAppendedWhileTheOneBeforeIsApplied() throws {
    let cache = try cache(busyTimeout: 60)
    let node = try makeDataset(cache)
    for result in try change(cache, whileLocked: { _ in }) { try result.get() }
    #expect(try cache.dataset("d").itemCount == 2)
    try node.poll()
    #expect(try cache.verify().problems.isEmpty)
  }

  /// The second change is applied after the first, which the node reads from the log.
  @Test func aChangeAfterOneThatCannotBeAppliedIsApplied() throws {
    let cache = try cache(busyTimeout: 0.2)
    let node = try makeDataset(cache)
    let results = try change(cache) { $0.wait() }
    let error = #expect(throws: LayoutCacheError.self) { try results[0].get() }
    guard case .outcomeUnknown? = error?.code else {
      Issue.record("the error is \(String(describing: error))")
      return
    }
    try results[1].get()
    #expect(try cache.dataset("d").itemCount == 2)
    try node.poll()
    #expect(try cache.verify().problems.isEmpty)
  }
}
