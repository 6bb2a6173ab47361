#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file, or standard input, read from its start in pieces.
final class InputFile {
  /// The name of standard input on the command line.
  static let standardInput = "-"
  private static let pieceBytes = 1 << 20

  /// The file's name in messages.
  let name: String
  /// The bytes of a regular file; `nil` for a pipe or a terminal.
  let byteCount: Int?
  private(set) var bytesRead = 0
  private let descriptor: Int32
  /// What the file's device and number are, to tell it from others.
  let identity: (device: dev_t, number: ino_t)
  private var inflater: GzipInflater?
  private var hasBegun = false
  /// What has been looked at, and is yet to be read.
  private var opening: [UInt8]?
  /// Little, because what it means is kept where the file is looked at first.
  private static let firstPieceBytes = 4096
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
      identity = (0, 0)
      let isMissing = code == ENOENT || code == ENOTDIR
      throw isMissing
        ? Failure(.notFound, "there is no file \(name); check the path")
        : Failure(.inputOutput, "cannot open \(name)", errno: code)
    }
    let type = status.st_mode & S_IFMT
    byteCount = type == S_IFREG ? Int(status.st_size) : nil
    identity = (status.st_dev, status.st_ino)
    if type == S_IFDIR {
      throw Failure(.inputOutput, "cannot read \(name): it is a directory; name a file")
    }
  }

  deinit {
    buffer.deallocate()
    if descriptor > STDIN_FILENO { close(descriptor) }
  }

  /// Calls `body` with the next piece, or, of a file that is gzip, with what it means, in
  /// pieces; they are valid during the call.
  ///
  /// - Returns: Whether there was one; `false` at the end.
  func readPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
    if let opening {
      self.opening = nil
      try opening.withUnsafeBytes(body)
      return true
    }
    let piece = try nextPiece()
    if !hasBegun {
      hasBegun = true
      if piece.starts(with: GzipInflater.magic) { inflater = GzipInflater() }
    }
    guard let inflater else {
      if piece.isEmpty { return false }
      try body(piece)
      return true
    }
    do {
      if piece.isEmpty { try inflater.finish() } else { try inflater.inflate(piece, body) }
    } catch is GzipInflater.Malformed {
      throw Failure(
        .badInput, "\(name) is gzip that is damaged or cut off behind byte \(bytesRead)",
        hint: "nothing was stored")
    }
    return !piece.isEmpty
  }

  /// The file's first bytes, which will be read all the same; empty for an empty file.
  func peek() throws -> [UInt8] {
    var opening: [UInt8] = []
    if try readPiece({ opening += $0 }) { self.opening = opening }
    return opening
  }

  /// The next bytes of the file; empty at its end.
  private func nextPiece() throws -> UnsafeRawBufferPointer {
    var filled = 0
    // The first piece shows what the file is, so a pipe's first bytes are waited for.
    repeat {
      try Interruption.check()
      let end = hasBegun ? buffer.count : Self.firstPieceBytes
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<end])
      let count = read(descriptor, rest.baseAddress, rest.count)
      if count < 0 && errno == EINTR { continue }
      if count < 0 { throw Failure(.inputOutput, "cannot read \(name)", errno: errno) }
      if count == 0 { break }
      filled += count
    } while !hasBegun && filled < GzipInflater.magic.count || filled == 0
    bytesRead += filled
    return UnsafeRawBufferPointer(rebasing: buffer[..<filled])
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
