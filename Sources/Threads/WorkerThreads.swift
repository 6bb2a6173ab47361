import Dispatch
import Synchronization

/// A pool of threads for blocking work. Threads are created on demand up to a maximum, and end
/// when the pool is deallocated.
///
/// Swift's cooperative threads are as many as the machine has cores, and every task of the
/// program shares them: eight tasks that lay out would stop all others. So that work runs here.
///
/// *Strategy.* Jobs wait in one queue. Enqueuing a job creates a thread if fewer threads are
/// idle than jobs wait; existing threads wait for further jobs. The threads own the queue, so
/// that the pool can be deallocated while they wait.
package final class WorkerThreads: TaskExecutor {
  private let queue: JobQueue

  /// - Parameters:
  ///   - countMax: The maximum number of threads; at least one.
  ///   - threadWillEnd: Called by each thread just before it ends.
  package init(countMax: Int, threadWillEnd: @escaping @Sendable () -> Void = {}) {
    precondition(countMax > 0, "somebody has to do the work")
    queue = JobQueue(threadsMax: countMax, threadWillEnd: threadWillEnd)
  }

  /// The current number of threads.
  package var threadCount: Int { queue.threadCount }

  package func enqueue(_ job: consuming ExecutorJob) {
    queue.append(UnownedJob(job), for: self)
  }

  deinit { queue.end() }
}

/// The waiting jobs, and the threads that wait for jobs.
private final class JobQueue: Sendable {
  private struct Job {
    var job: UnownedJob
    /// Retained until the job is done.
    var executor: WorkerThreads
  }

  private struct State {
    /// The waiting jobs are those from `first` on.
    var jobs: [Job?] = []
    var first = 0
    /// The number of threads that wait, or are about to.
    var idleCount = 0
    var threadCount = 0
    var hasEnded = false

    var waitingCount: Int { jobs.count - first }

    mutating func takeFirst() -> Job? {
      guard first < jobs.count else { return nil }
      defer {
        jobs[first] = nil
        first += 1
        // Half of the list is consumed: moving the rest costs as much as filling it did.
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
  /// Signalled once for each job, and for each thread that must end.
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

  /// Ends the threads. No job waits, because each job retains its executor.
  func end() {
    let count = state.withLock { state in
      state.hasEnded = true
      return state.threadCount
    }
    for _ in 0..<count { wake.signal() }
  }

  /// Runs jobs as long as the thread is needed.
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
