import Dispatch
import Synchronization
import Testing
import Threads

@Suite(.timeLimit(.minutes(10))) struct WorkerThreadsTests {
  /// A gate that opens when `awaited` threads have arrived, and lets `count` threads through.
  private final class Gate: Sendable {
    private let state = Mutex((come: 0, mostAtOnce: 0))
    private let semaphore = DispatchSemaphore(value: 0)

    /// Blocks the thread, as blocking work on these threads does.
    func pass(opening awaited: Int, for count: Int, on executor: WorkerThreads) {
      let opens = state.withLock { state in
        state.come += 1
        state.mostAtOnce = max(state.mostAtOnce, executor.threadCount)
        return state.come == awaited
      }
      if opens { for _ in 0..<count { semaphore.signal() } }
      semaphore.wait()
    }

    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
  }

  /// Runs `count` tasks concurrently, each of which blocks its thread until `awaited` of them
  /// have begun.
  ///
  /// - Returns: The largest number of threads.
  private func block(_ count: Int, until awaited: Int, on executor: WorkerThreads) async -> Int {
    let gate = Gate()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask(executorPreference: executor) {
          gate.pass(opening: awaited, for: count, on: executor)
        }
      }
    }
    return gate.mostAtOnce
  }

  @Test(arguments: [1, 2, 5])
  func threadsAreCreatedOnDemandUpToTheLimit(countMax: Int) async {
    let executor = WorkerThreads(countMax: countMax)
    #expect(executor.threadCount == 0)
    #expect(await block(1, until: 1, on: executor) == 1)
    // As many tasks as there may be threads block concurrently; no further thread is needed.
    #expect(await block(countMax, until: countMax, on: executor) == countMax)
    #expect(await block(200, until: countMax, on: executor) == countMax)
    #expect(executor.threadCount == countMax)
  }

  @Test func threadsEndWhenTheExecutorIsReleased() async {
    let ended = DispatchSemaphore(value: 0)
    do {
      let executor = WorkerThreads(countMax: 3) { ended.signal() }
      #expect(await block(3, until: 3, on: executor) == 3)
    }
    for _ in 0..<3 { #expect(blockingWait(ended, seconds: 30)) }
  }

  @Test func jobsRunInTheOrderOfSubmission() async {
    let executor = WorkerThreads(countMax: 1)
    let order = Order()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<100 { group.addTask(executorPreference: executor) { order.append(number) } }
    }
    #expect(order.numbers == Array(0..<100))
  }

  private final class Order: Sendable {
    private let state = Mutex<[Int]>([])

    func append(_ number: Int) { state.withLock { $0.append(number) } }

    var numbers: [Int] { state.withLock { $0 } }
  }
}

private func blockingWait(_ semaphore: DispatchSemaphore, seconds: Double) -> Bool {
  semaphore.wait(timeout: .now() + seconds) == .success
}
