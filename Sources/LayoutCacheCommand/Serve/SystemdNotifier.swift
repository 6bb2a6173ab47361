#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reports the state of a service of `Type=notify` to systemd, by datagrams.
///
/// Source: sd_notify(3).
struct SystemdNotifier: Sendable {
  private let socketPath: String
  /// The interval of watchdog notifications: half of the watchdog's limit.
  let watchdogInterval: Duration?

  /// - Returns: `nil` if systemd has not requested notifications.
  init?() {
    guard let path = environmentVariable("NOTIFY_SOCKET"),
      path.hasPrefix("/") || path.hasPrefix("@")
    else { return nil }
    socketPath = path
    watchdogInterval = environmentVariable("WATCHDOG_USEC").flatMap { Int($0) }
      .map { .microseconds($0 / 2) }
  }

  /// Sends a state, such as `READY=1`. Errors are ignored: the service runs without a listener,
  /// too.
  func send(_ state: String) {
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM), 0)
    #endif
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array(socketPath.utf8)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    // A name that begins with @ is in the abstract namespace.
    if path.first == UInt8(ascii: "@") {
      withUnsafeMutableBytes(of: &address.sun_path) { $0[0] = 0 }
    }
    let length = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + path.count
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, state, state.utf8.count, 0, $0, socklen_t(length))
      }
    }
  }
}
