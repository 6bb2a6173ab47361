import Dispatch
import Synchronization

/// Threads for what blocks: as many as are needed at once up to a number, made when there is
/// work, gone with the value.
///
/// Swift's own threads are as many as the machine has cores, and every task of the program
/// shares them: eight that lay out stop all others. So that work comes here.
///
/// *Strategy.* Jobs wait in one queue. A job makes a thread if fewer are idle than jobs wait;
/// threads that have been made wait for further jobs. What they wait at belongs to them
/// alone, so that the value can go while they do.
package final class WorkerThreads: TaskExecutor {
  private let queue: JobQueue

  /// - Parameters:
  ///   - countMax: The threads at once; at least one.
  ///   - threadWillEnd: Called by each thread as the last that it does.
  package init(countMax: Int, threadWillEnd: @escaping @Sendable () -> Void = {}) {
    precondition(countMax > 0, "somebody has to do the work")
    queue = JobQueue(threadsMax: countMax, threadWillEnd: threadWillEnd)
  }

  /// The threads that there are.
  package var threadCount: Int { queue.threadCount }

  package func enqueue(_ job: consuming ExecutorJob) {
    queue.append(UnownedJob(job), for: self)
  }

  deinit { queue.end() }
}

/// The jobs that wait, and the threads that wait for them.
private final class JobQueue: Sendable {
  private struct Job {
    var job: UnownedJob
    /// Alive until the job is done, whoever else lets go of it.
    var executor: WorkerThreads
  }

  private struct State {
    /// The jobs that wait are those from `first` on.
    var jobs: [Job?] = []
    var first = 0
    /// The threads that wait, or are about to.
    var idleCount = 0
    var threadCount = 0
    var hasEnded = false

    var waitingCount: Int { jobs.count - first }

    mutating func takeFirst() -> Job? {
      guard first < jobs.count else { return nil }
      defer {
        jobs[first] = nil
        first += 1
        // Half of the list is dead: moving the rest costs as much as filling it did.
        if first >= 32, first * 2 >= jobs.count {
          jobs.removeSubrange(..<first)
          first = 0
        }
      }
      return jobs[first]
    }
  }

  private let threadsMax: Int
  private let threadWillEnd: @Sendable () -> Void
  private let state = Mutex(State())
  /// Signalled once for each job, and for each thread that is to end.
  private let wake = DispatchSemaphore(value: 0)

  init(threadsMax: Int, threadWillEnd: @escaping @Sendable () -> Void) {
    self.threadsMax = threadsMax
    self.threadWillEnd = threadWillEnd
  }

  var threadCount: Int { state.withLock { $0.threadCount } }

  func append(_ job: UnownedJob, for executor: WorkerThreads) {
    let needsThread = state.withLock { state in
      state.jobs.append(Job(job: job, executor: executor))
      guard state.idleCount < state.waitingCount, state.threadCount < threadsMax else {
        return false
      }
      state.threadCount += 1
      state.idleCount += 1
      return true
    }
    if needsThread, !ThreadStart.make({ self.work() }) {
      let threadsLeft = state.withLock { state in
        state.threadCount -= 1
        state.idleCount -= 1
        return state.threadCount
      }
      precondition(threadsLeft > 0, "the system makes no thread for what blocks")
    }
    wake.signal()
  }

  /// Lets the threads go. No job waits: each keeps its executor alive.
  func end() {
    let count = state.withLock { state in
      state.hasEnded = true
      return state.threadCount
    }
    for _ in 0..<count { wake.signal() }
  }

  /// Runs jobs for as long as the thread is needed.
  private func work() {
    while true {
      wake.wait()
      let (job, hasEnded) = state.withLock { state in
        let job = state.takeFirst()
        if job != nil { state.idleCount -= 1 }
        return (job, state.hasEnded)
      }
      if let job {
        job.job.runSynchronously(on: job.executor.asUnownedTaskExecutor())
        state.withLock { $0.idleCount += 1 }
      } else if hasEnded {
        break
      }
    }
    threadWillEnd()
  }
}
