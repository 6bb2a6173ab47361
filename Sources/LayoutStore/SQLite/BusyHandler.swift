import LayoutCacheSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What to do while another process holds the write lock: to look again soon. SQLite's own
/// handler sleeps up to 100 ms, and would miss the gaps between the transactions of a long
/// piece of work.
final class BusyHandler: Sendable {
  /// Between two looks. Where another process commits all the time the lock is free for
  /// some microseconds now and then, and many looks are needed to find it so.
  private static let pollMicroseconds: UInt32 = 100
  /// What a sleep takes beyond what was asked for, about.
  private static let sleepMicroseconds: UInt32 = 50

  private let tries: Int32

  /// - Parameter timeout: How long to wait, in seconds, about; no number counts as 0.
  init(timeout: Double) {
    let tries = timeout * 1_000_000 / Double(Self.pollMicroseconds + Self.sleepMicroseconds)
    self.tries = Int32(clamping: Int64(tries > 0 ? min(tries, 1e15) : 0))
  }

  /// - Parameter handle: A connection; it must go before the handler does.
  func install(on handle: OpaquePointer?) {
    sqlite3_busy_handler(
      handle,
      { handler, count in
        guard let handler else { return 0 }
        return Unmanaged<BusyHandler>.fromOpaque(handler).takeUnretainedValue().waits(count)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// - Returns: 1 for another look, 0 to give up.
  private func waits(_ count: Int32) -> Int32 {
    if count >= tries { return 0 }
    usleep(Self.pollMicroseconds)
    return 1
  }
}
