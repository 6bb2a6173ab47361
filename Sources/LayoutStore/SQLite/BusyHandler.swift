import LayoutCacheSQLite

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
  /// The approximate overhead of a sleep.
  private static let sleepMicroseconds: UInt32 = 50

  private let tries: Int32

  /// - Parameter timeout: The approximate time to wait, in seconds; NaN counts as 0.
  init(timeout: Double) {
    let tries = timeout * 1_000_000 / Double(Self.pollMicroseconds + Self.sleepMicroseconds)
    self.tries = Int32(clamping: Int64(tries > 0 ? min(tries, 1e15) : 0))
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

  /// - Returns: 1 to poll again, 0 to give up.
  private func waits(_ count: Int32) -> Int32 {
    if count >= tries { return 0 }
    usleep(Self.pollMicroseconds)
    return 1
  }
}
