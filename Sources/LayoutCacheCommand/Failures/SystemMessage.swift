#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Returns the operating system's message for an error number, such as "Permission denied".
func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
