#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Support for work proportional to a dataset's size, which must not delay other threads.
package enum LongWork {
  /// The number of items to process, at a few microseconds each, before yielding.
  package static let strideCount = 64

  /// Lets threads that wait for a processor run first.
  ///
  /// A committing thread sleeps repeatedly, for the disk or another thread. If all processors are
  /// busy, it would wait for a full time slice, milliseconds, each time. Call this every few
  /// hundred microseconds, without holding a lock. It takes less than a microsecond if no thread
  /// waits.
  package static func giveWay() { sched_yield() }
}
