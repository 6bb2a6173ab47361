#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes a text to a file, in place of what it holds.
///
/// - Throws: ``Failure`` with `inputOutput`.
func writeFile(_ text: String, to path: String) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
  guard descriptor >= 0 else { throw Failure(.inputOutput, "cannot write \(path)", errno: errno) }
  defer { close(descriptor) }
  let code = writeBytes(Array(text.utf8), to: descriptor)
  if code != 0 { throw Failure(.inputOutput, "cannot write \(path)", errno: code) }
}

/// Writes all of some bytes to a file descriptor.
///
/// - Returns: 0, or the number of the operating system's error.
func writeBytes(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 {
      rest = rest.dropFirst(count)
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}
