import Foundation

/// A child process.
///
/// Foundation's `Process` passes on the signal mask of its own threads, and waits in a run
/// loop: a shell that never gets SIGCHLD waits for its children forever.
struct ChildProcess {
  let id: pid_t

  /// Starts a program.
  ///
  /// - Parameters:
  /// - words: The path and the arguments.
  /// - input: The standard input; empty if `nil`.
  /// - output: The standard output; discarded if `nil`.
  init(_ words: [String], input: Int32? = nil, output: Int32? = nil) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, given) in [(Int32(0), input), (1, output), (2, nil)] {
      if let given {
        posix_spawn_file_actions_adddup2(&actions, given, number)
      } else {
        posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let texts = words.map { strdup($0) } + [nil]
    let variables =
      ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in texts + variables { free(text) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, words[0], &actions, &attributes, texts, variables)
    guard code == 0 else { throw PostgresServer.Failure(description: "\(words[0]): \(code)") }
    self.id = id
  }

  /// Waits for its end.
  ///
  /// - Returns: The exit code; above 128 for a signal.
  @discardableResult
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
  }

  /// Returns a pipe that child processes inherit only if it is passed to them.
  static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    guard Foundation.pipe(&ends) == 0 else {
      throw PostgresServer.Failure(description: "cannot create a pipe")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
