#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Returns the path of a program of the search path; `nil` if there is none.
func programPath(_ name: String) -> String? {
  let folders = (environmentVariable("PATH") ?? "").split(separator: ":")
  return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
}

/// Starts a program of the search path. What it writes to standard error is discarded.
///
/// - Parameters:
///   - words: The program's name and its arguments.
///   - input: Its standard input; by default empty.
///   - output: Its standard output; by default discarded.
/// - Returns: The process.
/// - Throws: ``Failure`` with `inputOutput`.
func startProgram(
  _ words: [String], input: Int32? = nil, output: Int32? = nil
) throws -> pid_t {
  #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
  #else
    var actions = posix_spawn_file_actions_t()
  #endif
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for (stream, source) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, nil)] {
    if let source {
      posix_spawn_file_actions_adddup2(&actions, source, stream)
    } else {
      posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
    }
  }
  let arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var process = pid_t()
  let code =
    programPath(words[0]).map { posix_spawn(&process, $0, &actions, nil, arguments, environ) }
    ?? ENOENT
  guard code == 0 else { throw Failure(.inputOutput, "cannot run \(words[0])", errno: code) }
  return process
}
