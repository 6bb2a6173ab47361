import Foundation

/// Blocks the signals that would end the process before its files are removed.
struct Interruption {
  private var held = sigset_t()

  /// Blocks the signals from now on, in this thread and those that it starts.
  init() {
    sigemptyset(&held)
    for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(number) {
      sigaddset(&held, number)
    }
    pthread_sigmask(SIG_BLOCK, &held, nil)
  }

  /// - Throws: ``Failure`` if a signal is pending.
  func check() throws {
    var (pending, held) = (sigset_t(), held)
    sigpending(&pending)
    for number in [SIGINT, SIGTERM, SIGHUP]
    where sigismember(&pending, number) == 1 && sigismember(&held, number) == 1 {
      throw Failure(.internalError, "interrupted")
    }
  }

  /// Unblocks the signals: a pending one ends the process here.
  func end() {
    var held = held
    // Not the previous mask: some parents pass on one that blocks signals.
    pthread_sigmask(SIG_UNBLOCK, &held, nil)
  }

  /// Whether the process was started with the signal ignored, for example by `nohup`. If it were
  /// blocked, it would become pending.
  private static func isIgnored(_ number: Int32) -> Bool {
    let handler = signal(number, SIG_DFL)
    signal(number, handler)
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
