#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The user's ctrl-C, which some work ends at its own place choice.
enum Interruption {
  // Written by the signal's handler, which may do nothing but that.
  nonisolated(unsafe) private static var isRequested: sig_atomic_t = 0

  /// From now on the first ctrl-C is only noted; a second one ends the process.
  static func watch() {
    // Without SA_RESTART: what waits for input hears of it.
    var action = sigaction()
    let handler: @convention(c) (Int32) -> Void = { _ in
      Interruption.isRequested = 1
      signal(SIGINT, SIG_DFL)
    }
    #if canImport(Glibc)
      action.__sigaction_handler.sa_handler = handler
    #elseif canImport(Musl)
      action.__sa_handler.sa_handler = handler
    #else
      action.__sigaction_u.__sa_handler = handler
    #endif
    sigaction(SIGINT, &action, nil)
  }

  /// - Throws: ``Failure`` where there was one.
  static func check() throws {
    if isRequested != 0 { throw Failure(.interrupted, "interrupted; nothing was stored") }
  }
}
