import Foundation

/// Holds back the signals that end the process, until what it has put on the disk is
/// removed.
struct Interruption {
  private var held = sigset_t()

  /// Holds the signals back from now on, in this thread and those that it starts.
  init() {
    sigemptyset(&held)
    for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(number) {
      sigaddset(&held, number)
    }
    pthread_sigmask(SIG_BLOCK, &held, nil)
  }

  /// - Throws: ``Failure`` where a signal is waiting.
  func check() throws {
    var (pending, held) = (sigset_t(), held)
    sigpending(&pending)
    for number in [SIGINT, SIGTERM, SIGHUP]
    where sigismember(&pending, number) == 1 && sigismember(&held, number) == 1 {
      throw Failure(.internalError, "interrupted")
    }
  }

  /// Lets the signals through: one that is waiting ends the process here.
  func end() {
    var held = held
    // Not the mask of before: some parents hand down one that holds signals back.
    pthread_sigmask(SIG_UNBLOCK, &held, nil)
  }

  /// Whether the process was started to ignore a signal, as by `nohup`. Held back, it
  /// would wait as if it were not.
  private static func isIgnored(_ number: Int32) -> Bool {
    let handler = signal(number, SIG_DFL)
    signal(number, handler)
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
