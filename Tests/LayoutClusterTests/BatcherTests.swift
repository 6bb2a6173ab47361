import Dispatch
import Foundation
import Synchronization
import Testing

@testable import LayoutCluster

@Suite struct BatcherTests {
  /// Jobs that arrive while another is running are executed together, in their order.
  @Test func jobsArrivingDuringAnotherAreBatched() {
    let (isBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let groups = Mutex<[[Int]]>([])
    let gathering = Batcher<Int, Void>(countMax: 2) { jobs in
      groups.withLock { $0.append(jobs) }
      if jobs == [0] {
        isBegun.signal()
        mayEnd.wait()
      }
      return jobs.map { _ in }
    }
    let group = DispatchGroup()
    func run(_ job: Int) {
      DispatchQueue(label: "\(job)").async(group: group) { gathering.run(job) }
    }
    run(0)
    isBegun.wait()
    for job in 1...3 {
      run(job)
      while gathering.waitingCount < job {}
    }
    mayEnd.signal()
    group.wait()
    #expect(groups.withLock { $0 } == [[0], [1, 2], [3]])
  }

  /// A batch that hangs delays the jobs after it only for a while; as many batches run as there
  /// are lanes.
  @Test func jobsThatWaitOpenAnotherLane() {
    let mayEnd = DispatchSemaphore(value: 0)
    let groups = Mutex<[[Int]]>([])
    let batcher = Batcher<Int, Int>(countMax: 8, lanes: 2) { jobs in
      groups.withLock { $0.append(jobs) }
      if jobs[0] < 0 { mayEnd.wait() }
      return jobs.map { $0 * 2 }
    }
    func run(_ job: Int, in group: DispatchGroup) {
      DispatchQueue(label: "\(job)").async(group: group) {
        let outcome = batcher.run(job)
        #expect(outcome == job * 2)
      }
    }
    let (hanging, others) = (DispatchGroup(), DispatchGroup())
    func hang(_ job: Int) {
      run(job, in: hanging)
      while groups.withLock({ $0.last != [job] }) {}
    }
    hang(-1)
    for job in 1...3 { run(job, in: others) }
    others.wait()
    #expect(groups.withLock { Set($0.dropFirst().joined()) } == [1, 2, 3])
    hang(-2)
    run(4, in: others)
    let end = ContinuousClock.now + .seconds(60)
    while batcher.waitingCount == 0, .now < end {}
    // Time enough to be taken into a group, if that were possible.
    Thread.sleep(forTimeInterval: 0.1)
    #expect(batcher.waitingCount == 1)
    mayEnd.signal()
    others.wait()
    mayEnd.signal()
    hanging.wait()
    #expect(groups.withLock { $0.last } == [4])
  }
}
