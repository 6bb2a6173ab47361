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

  @Test func oneTaskAtATimeHoldsTheLockOfAKey() async {
    let lock = AsyncKeyedLock<Int>()
    let counts = Counts()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          let key = number % 2
          while await !lock.acquireOrWait(key) {
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
    }
    #expect(counts.all.mostActive == 1)
    #expect(counts.all.holders == 20)
    #expect(counts.all.waits > 0)
  }

  @Test func releasingResumesAllThatWait() async {
    let lock = AsyncKeyedLock<Int>()
    #expect(await lock.acquireOrWait(0))
    #expect(await lock.acquireOrWait(1))
    let counts = Counts()
    let waiting = (0..<5).map { _ in
      Task {
        counts.wait()
        return await lock.acquireOrWait(0)
      }
    }
    while counts.all.waits < 5 { await Task.yield() }
    lock.release(0)
    // A task that begins only now holds the lock, and must release it for the others.
    for task in waiting where await task.value { lock.release(0) }
    lock.release(1)
    #expect(await lock.acquireOrWait(0))
    lock.release(0)
  }

  @Test func aCancelledTaskStopsWaiting() async {
    let lock = AsyncKeyedLock<Int>()
    #expect(await lock.acquireOrWait(1))
    let waiting = Task { await lock.acquireOrWait(1) }
    waiting.cancel()
    #expect(await waiting.value == false)
    lock.release(1)
  }
}
