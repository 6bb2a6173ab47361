import Foundation

/// Writes a text to a file, in place of what it holds.
///
/// - Throws: ``Failure`` with `inputOutput`.
func writeFile(_ text: String, to path: String) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
  guard descriptor >= 0 else { throw Failure(.inputOutput, "cannot write \(path)", errno: errno) }
  defer { close(descriptor) }
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0 && errno != EINTR {
      throw Failure(.inputOutput, "cannot write \(path)", errno: errno)
    }
    rest = rest.dropFirst(max(0, count))
  }
}
