#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The operating system's words for an error number, such as "Permission denied".
func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
