#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The start arguments of one of the library's threads.
final class ThreadStart: Sendable {
  private let body: @Sendable () -> Void

  private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// Runs `body` in a new thread.
  ///
  /// The thread blocks all signals: those are for the program's threads. Its stack size is
  /// explicit, because the default of one C library is 128 KiB.
  ///
  /// - Returns: Whether the thread was created; otherwise `body` is not called.
  static func make(_ body: @escaping @Sendable () -> Void) -> Bool {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    // A thread inherits the signal mask of its creator.
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let isMade = ThreadStart(body).makeThread()
    pthread_sigmask(SIG_SETMASK, &before, nil)
    return isMade
  }

  private func makeThread() -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, Self.stackBytes)
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let address = Unmanaged.passRetained(self).toOpaque()
    let code = pthread_create(&thread, &attributes, { ThreadStart.run($0) }, address)
    pthread_attr_destroy(&attributes)
    if code != 0 { Unmanaged<ThreadStart>.fromOpaque(address).release() }
    return code == 0
  }

  private static let stackBytes = 2 << 20

  private static func run(_ address: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let address else { return nil }
    Unmanaged<ThreadStart>.fromOpaque(address).takeRetainedValue().body()
    return nil
  }
}
