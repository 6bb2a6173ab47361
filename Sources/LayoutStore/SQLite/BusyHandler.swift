import Dispatch
import LayoutCacheSQLite
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A handler that polls while another process holds the write lock. SQLite's own handler sleeps
/// up to 100 ms, and would miss the gaps between the transactions of long work.
final class BusyHandler: Sendable {
  /// The time between two polls. If another process commits constantly, the lock is free only for
  /// some microseconds at a time, and finding it free takes many polls.
  private static let pollMicroseconds: UInt32 = 100

  private let timeout: UInt64
  /// Returns the time in nanoseconds since some start; it never decreases.
  private let now: @Sendable () -> UInt64
  /// The time of the first poll of the present wait.
  private let begin = Atomic<UInt64>(0)

  /// - Parameter timeout: The time to wait, in seconds; NaN counts as 0.
  init(
    timeout: Double,
    now: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
  ) {
    self.timeout = timeout > 0 ? UInt64(min(timeout * 1e9, 1e18)) : 0
    self.now = now
  }

  /// - Parameter handle: A connection that is closed before the handler is released.
  func install(on handle: OpaquePointer?) {
    sqlite3_busy_handler(
      handle,
      { handler, count in
        guard let handler else { return 0 }
        return Unmanaged<BusyHandler>.fromOpaque(handler).takeUnretainedValue().waits(count)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Sleeps before another poll, unless the time to wait is over. A sleep may take much longer
  /// than requested, so the time is measured.
  ///
  /// - Parameter count: The number of earlier polls of the same wait.
  /// - Returns: 1 to poll again, 0 to give up.
  func waits(_ count: Int32) -> Int32 {
    let now = now()
    if count == 0 { begin.store(now, ordering: .relaxed) }
    if now - begin.load(ordering: .relaxed) >= timeout { return 0 }
    usleep(Self.pollMicroseconds)
    return 1
  }

  /// Sleeps between polls while a condition holds.
  ///
  /// - Returns: Whether it has ended; `false` if the time is over.
  static func wait(atMost timeout: Double, while condition: () throws -> Bool) rethrows -> Bool {
    let handler = BusyHandler(timeout: min(timeout, 3600))
    var count: Int32 = 0
    while try condition() {
      if handler.waits(count) == 0 { return false }
      count = 1
    }
    return true
  }
}
