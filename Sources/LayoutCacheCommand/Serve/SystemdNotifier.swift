#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Tells systemd what a service of `Type=notify` is doing, by datagrams.
///
/// Source: sd_notify(3).
struct SystemdNotifier: Sendable {
  private let socketPath: String
  /// How often the watchdog wants to hear of the service: half of its limit.
  let watchdogInterval: Duration?

  /// - Returns: `nil` where systemd has not asked to be told.
  init?() {
    guard let path = environmentVariable("NOTIFY_SOCKET"),
      path.hasPrefix("/") || path.hasPrefix("@")
    else { return nil }
    socketPath = path
    watchdogInterval = environmentVariable("WATCHDOG_USEC").flatMap { Int($0) }
      .map { .microseconds($0 / 2) }
  }

  /// Sends a state, such as `READY=1`. A service does not stop because nobody listens.
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
    // A name that begins with @ is of the abstract kind.
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
