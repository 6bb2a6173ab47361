import Synchronization
import Testing
import Threads

@Suite(.timeLimit(.minutes(10))) struct AsyncKeyedLockTests {
  /// The tasks that hold the lock of each of two keys.
  private final class Counts: Sendable {
    private let state = Mutex((active: [0, 0], mostActive: 0, holders: 0, waits: 0))

    var all: (active: [Int], mostActive: Int, holders: Int, waits: Int) { state.withLock { $0 } }

    func begin(_ key: Int) {
      state.withLock {
        $0.active[key] += 1
        $0.mostActive = max($0.mostActive, $0.active[key])
        $0.holders += 1
      }
    }

    func end(_ key: Int) { state.withLock { $0.active[key] -= 1 } }

    func wait() { state.withLock { $0.waits += 1 } }
  }

  @Test func oneTaskAtATimeHoldsTheLockOfAKey() async throws {
    let lock = AsyncKeyedLock<Int>()
    let counts = Counts()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          let key = number % 2
          while try await !lock.acquireOrWait(key) {
            // Of a cancelled task it returns immediately: the loop would never suspend.
            if Task.isCancelled { return }
            counts.wait()
          }
          counts.begin(key)
          await Task.yield()
          counts.end(key)
          lock.release(key)
        }
      }
      try await group.waitForAll()
    }
    #expect(counts.all.mostActive == 1)
    #expect(counts.all.holders == 20)
    #expect(counts.all.waits > 0)
  }

  @Test func releasingResumesAllThatWait() async throws {
    let lock = AsyncKeyedLock<Int>()
    #expect(try await lock.acquireOrWait(0))
    #expect(try await lock.acquireOrWait(1))
    let waiting = (0..<5).map { _ in Task { try await lock.acquireOrWait(0) } }
    while lock.waitingCount(of: 0) < 5 { await Task.yield() }
    lock.release(0)
    for task in waiting { #expect(try await !task.value) }
    lock.release(1)
    #expect(try await lock.acquireOrWait(0))
    lock.release(0)
  }

  @Test func aFailureIsThatOfAllThatWait() async throws {
    struct Failure: Error {}
    let lock = AsyncKeyedLock<Int>()
    for key in 0...1 { #expect(try await lock.acquireOrWait(key)) }
    let waiting = (0..<5).map { _ in Task { try await lock.acquireOrWait(0) } }
    let other = Task { try await lock.acquireOrWait(1) }
    while lock.waitingCount(of: 0) < 5 || lock.waitingCount(of: 1) < 1 { await Task.yield() }
    lock.release(0, failing: Failure())
    for task in waiting { await #expect(throws: Failure.self) { try await task.value } }
    lock.release(1)
    #expect(try await !other.value)
    #expect(try await lock.acquireOrWait(0))
    lock.release(0)
  }

  @Test func aCancelledTaskStopsWaiting() async throws {
    let lock = AsyncKeyedLock<Int>()
    #expect(try await lock.acquireOrWait(1))
    let waiting = Task { try await lock.acquireOrWait(1) }
    waiting.cancel()
    #expect(try await !waiting.value)
    lock.release(1)
  }
}
