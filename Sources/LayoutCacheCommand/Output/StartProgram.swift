#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
  let code = posix_spawnp(&process, words[0], &actions, nil, arguments, environ)
  guard code == 0 else { throw Failure(.inputOutput, "cannot run \(words[0])", errno: code) }
  return process
}
