#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Returns the value of an environment variable; `nil` if it is not set.
func environmentVariable(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }
}

/// Returns the names of the environment variables that begin so, in order.
func environmentVariableNames(withPrefix prefix: String) -> [String] {
  var names: [String] = []
  var entry = environ
  while let assignment = entry.pointee {
    let name = String(String(cString: assignment).prefix { $0 != "=" })
    if name.hasPrefix(prefix) { names.append(name) }
    entry += 1
  }
  return names.sorted()
}
