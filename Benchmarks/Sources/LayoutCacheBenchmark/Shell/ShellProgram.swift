import Foundation

/// A program, started as a shell does.
struct ShellProgram {
  let path: String
  let arguments: [String]

  /// Finds a program as the shell does.
  ///
  /// - Returns: `nil` if there is none.
  static func path(of name: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Runs the program to its end and discards its output.
  ///
  /// Not with Foundation's `Process`, which waits for the end with a separate thread and takes
  /// longer than the programs do.
  ///
  /// - Throws: ``Failure`` if it can't be run, or fails.
  func run() throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, path, &actions, nil, words, environ)
    if code != 0 { throw Failure(.inputOutput, "cannot run \(path)", errno: code) }
    var status: Int32 = 0
    while waitpid(id, &status, 0) == -1 && errno == EINTR {}
    if status != 0 {
      throw Failure(.internalError, "\(path) ended with status \(status)")
    }
  }
}
