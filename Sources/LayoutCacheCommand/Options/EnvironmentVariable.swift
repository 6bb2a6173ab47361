#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The value of a variable of the process's environment; `nil` without it.
func environmentVariable(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }
}
