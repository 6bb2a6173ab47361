import Foundation
import Synchronization

/// Threads for blocking calls: the tests' thread pool is small.
package struct Threads {
  /// A thread did not end in time.
  package struct StillRunning: Error {}

  private static let secondsMax = 60.0

  private let group = DispatchGroup()
  private let failures = Failures()

  private final class Failures: Sendable {
    let first = Mutex<(any Error)?>(nil)
  }

  /// Starts threads.
  ///
  /// - Parameter body: Takes the thread's number.
  package static func start(
    _ count: Int = 1, _ body: @escaping @Sendable (_ number: Int) throws -> Void
  ) -> Threads {
    let threads = Threads()
    let (group, failures) = (threads.group, threads.failures)
    for number in 0..<count {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        do {
          try body(number)
        } catch {
          failures.first.withLock { $0 = $0 ?? error }
        }
      }
    }
    return threads
  }

  /// Waits for the threads.
  ///
  /// - Throws: The first error of a thread; `StillRunning` after a minute.
  package func join() throws {
    guard group.wait(timeout: .now() + Self.secondsMax) == .success else { throw StillRunning() }
    if let failure = failures.first.withLock({ $0 }) { throw failure }
  }
}

/// A barrier at which threads wait for one another.
package final class Meeting: Sendable {
  private let awaited: Int
  private let arrived = Atomic(0)

  package init(of count: Int) { awaited = count }

  /// Waits until all threads wait.
  ///
  /// - Throws: `Threads.StillRunning` after a timeout.
  package func join() throws {
    arrived.add(1, ordering: .acquiringAndReleasing)
    let deadline = ContinuousClock.now + .seconds(30)
    while arrived.load(ordering: .acquiring) < awaited {
      if ContinuousClock.now > deadline { throw Threads.StillRunning() }
      usleep(200)
    }
  }
}
