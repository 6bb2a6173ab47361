import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The progress of a client in receiving an answer.
///
/// Writes accepted by the system do not count as progress: the system's buffer holds megabytes
/// and is refilled a third at a time, which takes a slow client minutes.
extension Channel {
  /// The bytes that the client's system has acknowledged since the connection was opened; `nil`
  /// if this system does not report it.
  var bytesAcknowledged: Int? {
    #if os(Linux)
      guard let socket = self as? any SocketOptionProvider else { return nil }
      // The system fills as much of the structure as fits.
      let found: EventLoopFuture<SIMD16<UInt64>> = socket.unsafeGetSocketOption(
        level: .tcp, name: .tcp_info)
      var info: SIMD16<UInt64>?
      // On the connection's event loop the result is available immediately.
      found.assumeIsolated().whenSuccess { info = $0 }
      // Source: struct tcp_info of linux/tcp.h, tcpi_bytes_acked at byte 120, since Linux 4.1.
      return info.map { Int(clamping: $0[15]) }
    #else
      return nil
    #endif
  }

  /// Bounds the bytes that the system buffers before sending. A client that reads nothing then
  /// costs the machine some 100 KiB instead of 4 MiB.
  func boundUnsentBytes() {
    #if os(Linux)
      guard let socket = self as? any SocketOptionProvider else { return }
      // If the option cannot be set, the only effect is a larger buffer.
      _ = socket.unsafeSetSocketOption(
        level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT), value: CInt(128 << 10))
    #endif
  }
}
