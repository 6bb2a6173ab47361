#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file written from its start, in pieces.
final class OutputFile {
  private static let pieceBytes = 1 << 16

  let path: String
  private let descriptor: Int32
  private var pending: [UInt8] = []

  /// Creates a file, replacing an existing one.
  ///
  /// - Parameter input: The file being read, which must be another file.
  /// - Throws: ``Failure`` with `usage` if it is the same file, or `inputOutput`.
  init(_ path: String, besides input: InputFile) throws {
    self.path = path
    var status = stat()
    if stat(path, &status) == 0, (status.st_dev, status.st_ino) == input.identity {
      throw Failure(.usage, "\(path) is the input file", hint: "name another output file")
    }
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw Failure(.inputOutput, "cannot write \(path)", errno: errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func write(_ bytes: [UInt8]) throws {
    pending += bytes
    if pending.count >= Self.pieceBytes { try flush() }
  }

  /// Writes the buffered bytes.
  func flush() throws {
    let code = writeBytes(pending, to: descriptor)
    if code != 0 { throw Failure(.inputOutput, "cannot write \(path)", errno: code) }
    pending.removeAll(keepingCapacity: true)
  }
}
