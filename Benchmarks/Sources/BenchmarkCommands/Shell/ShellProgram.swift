import Foundation

/// A program that is started as by a shell.
struct ShellProgram {
  let path: String
  let arguments: [String]

  /// Returns the path of a program, found as by a shell; `nil` if it is not installed.
  static func path(of name: String) -> String? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Runs the program to its end and discards its output.
  ///
  /// Does not use Foundation's `Process`, which waits on a separate thread and takes longer than
  /// the programs.
  ///
  /// - Throws: ``Failure`` if it cannot be run, or fails.
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
