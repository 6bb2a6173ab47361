#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The user's Ctrl-C, which some commands handle at points of their choice.
enum Interruption {
  // Written by the signal handler, which may do nothing else.
  nonisolated(unsafe) private static var isRequested: sig_atomic_t = 0

  /// Installs the handler: the first Ctrl-C is only recorded, a second one ends the process.
  static func watch() {
    // Without SA_RESTART, so that a read that waits for input is interrupted.
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

  /// - Parameter state: What the work has done so far.
  /// - Throws: ``Failure`` after a Ctrl-C.
  static func check(leaving state: String = "nothing was stored") throws {
    if isRequested != 0 { throw Failure(.interrupted, "interrupted; \(state)") }
  }
}
