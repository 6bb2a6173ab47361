#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Work as long as a dataset is, during which others must continue as if it were absent.
package enum LongWork {
  /// How many items are worked on, a few microseconds each, before others are let go first.
  package static let strideCount = 64

  /// Lets threads that wait for a processor go first.
  ///
  /// Who commits sleeps again and again, until the disk or another has answered, and where all
  /// processors are busy would then wait each time for what the system lets a thread have at a
  /// time: milliseconds. To be called each some hundred microseconds; where nobody waits it
  /// takes less than one. No lock is to be held.
  package static func giveWay() { sched_yield() }
}
