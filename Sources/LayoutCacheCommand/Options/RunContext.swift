import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The parts of its process that a run of the command uses. The tests, which run commands within their
/// own process, replace it.
struct RunContext: Sendable {
  /// The descriptors of the standard streams.
  var input = STDIN_FILENO
  var output = STDOUT_FILENO
  var error = STDERR_FILENO
  /// The environment variables; `nil` for those of the process.
  var variables: [String: String]?
  /// The command line that starts the program.
  var program = CommandLine.arguments.first ?? "layoutcache"

  private static let shared = Mutex(RunContext())

  /// The context of all threads.
  static var current: RunContext {
    get { shared.withLock { $0 } }
    set { shared.withLock { $0 = newValue } }
  }
}

/// Returns the value of an environment variable; `nil` if it is not set.
func environmentVariable(_ name: String) -> String? {
  if let variables = RunContext.current.variables { return variables[name] }
  return getenv(name).map { String(cString: $0) }
}

/// Returns the names of the environment variables that begin so, in order.
func environmentVariableNames(withPrefix prefix: String) -> [String] {
  if let variables = RunContext.current.variables {
    return variables.keys.filter { $0.hasPrefix(prefix) }.sorted()
  }
  var names: [String] = []
  var entry = environ
  while let assignment = entry.pointee {
    let name = String(String(cString: assignment).prefix { $0 != "=" })
    if name.hasPrefix(prefix) { names.append(name) }
    entry += 1
  }
  return names.sorted()
}
