import LayoutCacheZlib

/// Unpacks a file that arrives in pieces: gzip, or a ZIP archive of one file. Other bytes are
/// passed on, and so are those of a workbook, which is such an archive, too.
///
/// An archive is read from its start, so its file must say where it ends: it is deflated, or the
/// header before it has its size.
///
/// Source: PKWARE's APPNOTE.TXT, sections 4.3.7, 4.3.9 and 4.5.3.
package final class Unpacker {
  package typealias Body = (UnsafeRawBufferPointer) throws -> Void

  /// A file in an archive.
  package struct Entry {
    package var name: String
    /// The number of bytes in the archive, if they are stored as they are.
    package var count: Int
    package var isDeflated: Bool
    package var checksum: UInt32
    /// Whether the checksum and the sizes follow the bytes, and each size's length.
    var hasDescriptor = false
    var sizeBytes = 4

    package init(name: String, count: Int, isDeflated: Bool, checksum: UInt32) {
      (self.name, self.count, self.isDeflated) = (name, count, isDeflated)
      self.checksum = checksum
    }

    /// Whether an archive's user means the file, rather than a folder or a system's notes.
    package static func isFile(_ name: String) -> Bool {
      !name.hasSuffix("/") && !name.hasPrefix("__MACOSX/") && !name.hasSuffix("/.DS_Store")
    }
  }

  private enum State { case opening, plain, gzip, header, content, descriptor, ended }

  package static let magic = Array("PK\u{3}\u{4}".utf8)
  /// The beginnings of the first name in a workbook or another document.
  private static let documents = ["[Content_Types].xml", "_rels/", "docProps/", "xl/", "mimetype"]

  private var state = State.opening
  /// The bytes of an incomplete header or descriptor.
  private var head: [UInt8] = []
  private var inflater: Inflater?
  private var entry: Entry?
  /// Whether the archive's directory has said that there is one file.
  private var isOnly = false
  private var checksum: UInt = 0
  private var bytesPassed = 0
  /// The name of the archive's file, once its header has been read.
  package private(set) var name: String?

  package init() {}

  /// Creates an unpacker of an archive from the first byte of its only file.
  package init(_ only: Entry) {
    isOnly = true
    name = only.name
    begin(only)
  }

  /// Unpacks the next bytes.
  ///
  /// - Parameter body: Called with the contents in pieces, which are valid during the call.
  /// - Throws: ``ImportError``, and the errors of `body`.
  package func unpack(_ piece: UnsafeRawBufferPointer, _ body: Body) throws {
    var rest = piece
    while !rest.isEmpty {
      switch state {
      case .plain: return try body(rest)
      case .ended: return
      case .gzip:
        _ = try inflater?.inflate(rest, body)
        return
      case .opening:
        guard fill(4, from: &rest) else { return }
        try open(body)
      case .header: try readHeader(from: &rest, body)
      case .content: try readContent(from: &rest, body)
      case .descriptor: try readDescriptor(from: &rest)
      }
    }
  }

  /// Ends the file; again without an effect.
  ///
  /// - Throws: As ``unpack(_:_:)``.
  package func finish(_ body: Body) throws {
    switch state {
    case .opening:
      state = .plain
      try passHead(body)
    case .plain: break
    case .gzip: try inflater?.finish()
    case .header, .content, .descriptor: throw ImportError.damagedFile("ZIP")
    case .ended: if name == nil { throw ImportError.packedFile("without a file") }
    }
  }

  /// Moves bytes to `head` until it has a number of them.
  private func fill(_ count: Int, from rest: inout UnsafeRawBufferPointer) -> Bool {
    let taken = max(0, min(count - head.count, rest.count))
    head += rest.prefix(taken)
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(taken))
    return head.count >= count
  }

  private func number(at offset: Int, _ count: Int) -> Int {
    head[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Determines the kind of the file.
  private func open(_ body: Body) throws {
    if head == Self.magic {
      state = .header
    } else if head.starts(with: Inflater.magic) {
      (state, inflater) = (.gzip, Inflater())
      try passHead(body)
    } else {
      state = .plain
      try passHead(body)
    }
  }

  private func passHead(_ body: Body) throws {
    let first = head
    head = []
    try first.withUnsafeBytes { try unpack($0, body) }
  }

  private func readHeader(from rest: inout UnsafeRawBufferPointer, _ body: Body) throws {
    guard fill(4, from: &rest) else { return }
    guard head.starts(with: Self.magic) else {
      // The directory.
      state = .ended
      return
    }
    guard fill(30, from: &rest) else { return }
    let nameEnd = 30 + number(at: 26, 2)
    guard fill(nameEnd + number(at: 28, 2), from: &rest) else { return }
    let name = String(decoding: head[30..<nameEnd], as: UTF8.self)
    if self.name == nil, Self.documents.contains(where: name.hasPrefix) {
      state = .plain
      return try passHead(body)
    }
    let (flags, method) = (number(at: 6, 2), number(at: 8, 2))
    var entry = Entry(
      name: name, count: number(at: 18, 4), isDeflated: method == 8,
      checksum: UInt32(number(at: 14, 4)))
    entry.hasDescriptor = flags & 8 != 0
    var field = nameEnd
    while field + 4 <= head.count {
      let count = number(at: field + 2, 2)
      // Sizes of 8 bytes, first the original one.
      if number(at: field, 2) == 1, count >= 16, field + 20 <= head.count {
        entry.sizeBytes = 8
        if entry.count == Int(UInt32.max) {
          entry.count = Int(clamping: UInt64(bitPattern: Int64(number(at: field + 12, 8))))
        }
      }
      field += 4 + count
    }
    if Entry.isFile(name) {
      if self.name != nil { throw ImportError.packedFile("of several files") }
      self.name = name
    }
    if flags & 1 != 0 { throw ImportError.packedFile("with an encrypted file") }
    guard method == 0 && !entry.hasDescriptor || entry.isDeflated else {
      throw ImportError.packedFile("that cannot be read as a stream")
    }
    begin(entry)
  }

  private func begin(_ entry: Entry) {
    self.entry = entry
    inflater = entry.isDeflated ? Inflater(hasHeader: false) : nil
    (checksum, bytesPassed, head, state) = (0, 0, [], .content)
  }

  private func readContent(from rest: inout UnsafeRawBufferPointer, _ body: Body) throws {
    guard let entry else { preconditionFailure("there is content without a header") }
    func pass(_ content: UnsafeRawBufferPointer) throws {
      checksum = crc32(
        checksum, content.bindMemory(to: UInt8.self).baseAddress, UInt32(content.count))
      bytesPassed += content.count
      if Entry.isFile(entry.name) { try body(content) }
    }
    if let inflater {
      let unread = try inflater.inflate(rest, pass)
      rest = UnsafeRawBufferPointer(rebasing: rest.suffix(unread))
      if !inflater.hasEnded { return }
    } else {
      let stored = UnsafeRawBufferPointer(rebasing: rest.prefix(entry.count - bytesPassed))
      if !stored.isEmpty { try pass(stored) }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(stored.count))
      if bytesPassed < entry.count { return }
    }
    if entry.hasDescriptor {
      state = .descriptor
    } else {
      try end(entry.checksum)
    }
  }

  private func readDescriptor(from rest: inout UnsafeRawBufferPointer) throws {
    guard fill(4, from: &rest), let entry else { return }
    let signature = head.starts(with: "PK\u{7}\u{8}".utf8) ? 4 : 0
    let sizeBytes = bytesPassed > Int(UInt32.max) ? 8 : entry.sizeBytes
    guard fill(signature + 4 + 2 * sizeBytes, from: &rest) else { return }
    try end(UInt32(number(at: signature, 4)))
  }

  private func end(_ expected: UInt32) throws {
    if UInt32(truncatingIfNeeded: checksum) != expected { throw ImportError.damagedFile("ZIP") }
    (head, state) = ([], isOnly ? .ended : .header)
  }
}
