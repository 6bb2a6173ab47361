#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes text to a file, replacing its contents.
///
/// - Throws: ``Failure`` with `inputOutput`.
func writeFile(_ text: String, to path: String) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
  guard descriptor >= 0 else { throw Failure(.inputOutput, "cannot write \(path)", errno: errno) }
  defer { close(descriptor) }
  let code = writeBytes(Array(text.utf8), to: descriptor)
  if code != 0 { throw Failure(.inputOutput, "cannot write \(path)", errno: code) }
}

/// Writes all bytes to a file descriptor.
///
/// - Returns: 0, or the `errno` of the failure.
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
