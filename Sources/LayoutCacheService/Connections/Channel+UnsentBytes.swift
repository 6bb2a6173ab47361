import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Channel {
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
