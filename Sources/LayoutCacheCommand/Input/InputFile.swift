#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file, or standard input, read from its start in pieces.
final class InputFile {
  /// What stands for standard input on the command line.
  static let standardInput = "-"
  private static let pieceBytes = 1 << 20

  /// The file's name in messages.
  let name: String
  /// The bytes of a regular file; `nil` for a pipe or a terminal.
  let byteCount: Int?
  private(set) var bytesRead = 0
  private let descriptor: Int32
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: pieceBytes, alignment: MemoryLayout<UInt64>.alignment)

  /// Opens a file.
  ///
  /// - Throws: ``Failure``: `notFound` where there is no such file, `inputOutput`
  ///   for a directory, which is there and can't be read, and for a file that the
  ///   user may not read.
  init(_ path: String) throws {
    if path == Self.standardInput {
      name = "standard input"
      descriptor = STDIN_FILENO
    } else {
      name = path
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
    }
    var status = stat()
    if descriptor < 0 || fstat(descriptor, &status) != 0 {
      let code = errno
      byteCount = nil
      let isMissing = code == ENOENT || code == ENOTDIR
      throw isMissing
        ? Failure(.notFound, "there is no file \(name); check the path")
        : Failure(.inputOutput, "cannot open \(name)", errno: code)
    }
    let type = status.st_mode & S_IFMT
    byteCount = type == S_IFREG ? Int(status.st_size) : nil
    if type == S_IFDIR {
      throw Failure(.inputOutput, "cannot read \(name): it is a directory; name a file")
    }
  }

  deinit {
    buffer.deallocate()
    if descriptor > STDIN_FILENO { close(descriptor) }
  }

  /// Calls `body` with the next piece, which is valid during the call.
  ///
  /// - Returns: Whether there was one; `false` at the end.
  func readPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
    var count = read(descriptor, buffer.baseAddress, buffer.count)
    while count < 0 && errno == EINTR {
      count = read(descriptor, buffer.baseAddress, buffer.count)
    }
    if count < 0 { throw Failure(.inputOutput, "cannot read \(name)", errno: errno) }
    if count == 0 { return false }
    bytesRead += count
    try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return true
  }

  /// Reads the rest of the file as text.
  ///
  /// - Parameter bytesMax: The most bytes that it may have.
  func readText(bytesMax: Int) throws -> String {
    var bytes: [UInt8] = []
    while try readPiece({ bytes.append(contentsOf: $0) }) {
      if bytes.count > bytesMax {
        throw Failure(.badInput, "\(name) has more than \(bytesMax) bytes, which is the limit")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(.badInput, "\(name) is not UTF-8 text")
    }
    return text
  }
}
