import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How far a client has taken what was sent to it.
///
/// A write that the system has accepted is no progress of the client: the system's buffer
/// takes megabytes and is refilled a third at a time, which a slow client needs minutes for.
extension Channel {
  /// The bytes that the client's system has acknowledged since the connection was opened;
  /// `nil` where this system does not tell.
  var bytesAcknowledged: Int? {
    #if os(Linux)
      guard let socket = self as? any SocketOptionProvider else { return nil }
      // The system fills as much of the structure as there is room for.
      let found: EventLoopFuture<SIMD16<UInt64>> = socket.unsafeGetSocketOption(
        level: .tcp, name: .tcp_info)
      var info: SIMD16<UInt64>?
      // On the connection's own loop the result is there.
      found.assumeIsolated().whenSuccess { info = $0 }
      // Source: struct tcp_info of linux/tcp.h, tcpi_bytes_acked at byte 120, since Linux 4.1.
      return info.map { Int(clamping: $0[15]) }
    #else
      return nil
    #endif
  }

  /// Bounds the bytes that the system buffers before it sends them: a client that reads nothing
  /// then costs the machine some 100 KiB in place of 4 MiB.
  func boundUnsentBytes() {
    #if os(Linux)
      guard let socket = self as? any SocketOptionProvider else { return }
      // Where it can't be set the buffer is larger, and nothing else.
      _ = socket.unsafeSetSocketOption(
        level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT), value: CInt(128 << 10))
    #endif
  }
}
