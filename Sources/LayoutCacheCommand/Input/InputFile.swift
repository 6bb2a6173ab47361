import LayoutGeometry
import TextFormats

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
  /// The size of a regular file in bytes; `nil` for a pipe or a terminal.
  let byteCount: Int?
  /// Whether it can be read a second time.
  var isRegularFile: Bool { byteCount != nil && !isStandardInput }
  private(set) var bytesRead = 0
  private let descriptor: Int32
  private let isStandardInput: Bool
  /// The file's device and inode number, which identify it.
  let identity: (device: dev_t, number: ino_t)
  private var unpacker = Unpacker()
  private var hasBegun = false
  /// The bytes returned by ``peek()`` and not yet read.
  private var opening: [UInt8]?
  /// The size of the first piece, in bytes: small, because ``peek()`` retains its decompressed
  /// content.
  private static let firstPieceBytes = 4096
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: pieceBytes, alignment: MemoryLayout<UInt64>.alignment)

  /// Opens a file.
  ///
  /// - Throws: ``Failure``: `notFound` if there is no such file, `inputOutput` for a directory,
  ///   and for a file that the user may not read.
  init(_ path: String) throws {
    isStandardInput = path == Self.standardInput
    if isStandardInput {
      name = "standard input"
      descriptor = RunContext.current.input
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
        ? Failure(.notFound, "no such file: \(name)", hint: Self.advice(onMissing: path))
        : Failure(.inputOutput, "cannot open \(name)", errno: code)
    }
    let type = status.st_mode & S_IFMT
    byteCount = type == S_IFREG ? Int(status.st_size) : nil
    identity = (status.st_dev, status.st_ino)
    if type == S_IFDIR {
      throw Failure(.inputOutput, "cannot read \(name): it is a directory; name a file")
    }
    guard isRegularFile, let byteCount else { return }
    var magic = [UInt8](repeating: 0, count: Unpacker.magic.count)
    guard pread(descriptor, &magic, magic.count, 0) == magic.count, magic == Unpacker.magic,
      let found = try ZipEntry(descriptor, byteCount: byteCount, archive: name)
    else { return }
    lseek(descriptor, off_t(found.start), SEEK_SET)
    unpacker = Unpacker(found.entry)
  }

  /// The path whose extension tells the format: that of the file in an archive, which is known
  /// once its first bytes are.
  var contentPath: String { unpacker.name ?? name }

  private static func advice(onMissing path: String) -> String {
    if path.hasPrefix("file://") { return "name its path: \(path.dropFirst(7))" }
    if path.contains("://") { return "download it first: curl -LO \(ShellText.quoted(path))" }
    return nearFile(path) ?? "check the path"
  }

  /// Returns the question whether a file of a similar name was meant; `nil` if none is near.
  private static func nearFile(_ path: String) -> String? {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    guard let entries = opendir(folder.isEmpty ? "." : folder) else { return nil }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries), names.count < 4_096 {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { name in
          name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    let name = String(path.dropFirst(folder.count))
    return nearestName(to: name, among: names.filter { $0 != "." && $0 != ".." }.sorted())
      .map { "did you mean '\(excerpt(folder + $0))'?" }
  }

  deinit {
    buffer.deallocate()
    if !isStandardInput, descriptor >= 0 { close(descriptor) }
  }

  /// Calls `body` with the next piece, or, for a packed file, with its content in pieces, which
  /// are valid during the call.
  ///
  /// - Returns: Whether there was a piece; `false` at the end.
  func readPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
    if let opening {
      self.opening = nil
      try opening.withUnsafeBytes(body)
      return true
    }
    let piece = try nextPiece()
    do {
      if piece.isEmpty { try unpacker.finish(body) } else { try unpacker.unpack(piece, body) }
    } catch let error as ImportError {
      let (place, hint) =
        switch error.code {
        case .damagedFile: (", after byte \(bytesRead)", "nothing was stored")
        case .packedFile: ("", "unzip it, and name one of its files")
        default: throw error
        }
      throw Failure(.badInput, "\(name) is \(error)\(place)", hint: hint)
    }
    return !piece.isEmpty
  }

  /// Returns the file's first bytes without consuming them; empty for an empty file.
  ///
  /// - Parameter count: How many bytes to read at least, if the file has as many.
  func peek(atLeast count: Int = 1) throws -> (bytes: [UInt8], isWhole: Bool) {
    var opening: [UInt8] = []
    var isWhole = false
    while opening.count < count, !isWhole { isWhole = try !readPiece { opening += $0 } }
    self.opening = opening
    return (opening, isWhole)
  }

  /// Returns the next bytes of the file; empty at its end.
  private func nextPiece() throws -> UnsafeRawBufferPointer {
    var count: Int
    repeat {
      try Interruption.check()
      count = read(descriptor, buffer.baseAddress, hasBegun ? buffer.count : Self.firstPieceBytes)
    } while count < 0 && errno == EINTR
    if count < 0 { throw Failure(.inputOutput, "cannot read \(name)", errno: errno) }
    hasBegun = true
    bytesRead += count
    return UnsafeRawBufferPointer(rebasing: buffer[..<count])
  }

  /// Reads the rest of the file as text.
  ///
  /// - Parameter bytesMax: The maximum number of bytes.
  func readText(bytesMax: Int) throws -> String {
    var bytes: [UInt8] = []
    while try readPiece({ bytes.append(contentsOf: $0) }) {
      if bytes.count > bytesMax {
        throw Failure(.badInput, "\(name) exceeds the limit of \(bytesMax) bytes")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(.badInput, "\(name) is not UTF-8 text")
    }
    return text
  }
}
