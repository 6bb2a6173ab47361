import Synchronization
import Testing
import Threads

@Suite(.timeLimit(.minutes(10))) struct TurnsTests {
  /// The tasks that have the turn of each of two keys.
  private final class Counts: Sendable {
    private let state = Mutex((active: [0, 0], mostActive: 0, turns: 0, waits: 0))

    var all: (active: [Int], mostActive: Int, turns: Int, waits: Int) { state.withLock { $0 } }

    func begin(_ key: Int) {
      state.withLock {
        $0.active[key] += 1
        $0.mostActive = max($0.mostActive, $0.active[key])
        $0.turns += 1
      }
    }

    func end(_ key: Int) { state.withLock { $0.active[key] -= 1 } }

    func wait() { state.withLock { $0.waits += 1 } }
  }

  @Test func oneTaskAtATimeHasTheTurnOfAKey() async {
    let turns = Turns<Int>()
    let counts = Counts()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          let key = number % 2
          while await !turns.begin(key) {
            // Of a cancelled task it returns immediately: the loop would never suspend.
            if Task.isCancelled { return }
            counts.wait()
          }
          counts.begin(key)
          await Task.yield()
          counts.end(key)
          turns.end(key)
        }
      }
    }
    #expect(counts.all.mostActive == 1)
    #expect(counts.all.turns == 20)
    #expect(counts.all.waits > 0)
  }

  @Test func theEndOfATurnResumesAllThatWaitForIt() async {
    let turns = Turns<Int>()
    #expect(await turns.begin(0))
    #expect(await turns.begin(1))
    let counts = Counts()
    let waiting = (0..<5).map { _ in
      Task {
        counts.wait()
        return await turns.begin(0)
      }
    }
    while counts.all.waits < 5 { await Task.yield() }
    turns.end(0)
    // A task that begins only now has the turn, and must end it for the others.
    for task in waiting where await task.value { turns.end(0) }
    turns.end(1)
    #expect(await turns.begin(0))
    turns.end(0)
  }

  @Test func aCancelledTaskWaitsNoLonger() async {
    let turns = Turns<Int>()
    #expect(await turns.begin(1))
    let waiting = Task { await turns.begin(1) }
    waiting.cancel()
    #expect(await waiting.value == false)
    turns.end(1)
  }
}
