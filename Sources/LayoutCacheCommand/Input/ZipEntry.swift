import TextFormats

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The only file in a ZIP archive, by the directory at its end.
///
/// Source: PKWARE's APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16.
struct ZipEntry {
  let entry: Unpacker.Entry
  /// The offset of the file's first byte.
  let start: Int

  /// Finds the file.
  ///
  /// - Returns: `nil` for an archive that is a workbook, damaged, or of more than 4 GiB: such a one
  ///   is read from its start.
  /// - Throws: ``Failure`` for an archive with several files, or none that can be read.
  init?(_ descriptor: Int32, byteCount: Int, archive: String) throws {
    func bytes(_ offset: Int, _ count: Int) -> [UInt8]? {
      guard offset >= 0, count >= 0, offset + count <= byteCount else { return nil }
      var bytes = [UInt8](repeating: 0, count: count)
      return pread(descriptor, &bytes, count, off_t(offset)) == count ? bytes : nil
    }
    func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
      bytes[offset..<(offset + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let tailCount = min(byteCount, 22 + 65_535)
    guard let tail = bytes(byteCount - tailCount, tailCount), tailCount >= 22,
      let end = (0...(tailCount - 22)).reversed().first(where: {
        tail[$0...].starts(with: "PK\u{5}\u{6}".utf8)
      }),
      let directory = bytes(number(tail, end + 16, 4), number(tail, end + 12, 4))
    else { return nil }
    var files: [(name: String, header: Int)] = []
    var position = 0
    while position + 46 <= directory.count,
      directory[position...].starts(with: "PK\u{1}\u{2}".utf8)
    {
      let nameEnd = position + 46 + number(directory, position + 28, 2)
      guard nameEnd <= directory.count else { return nil }
      let name = String(decoding: directory[(position + 46)..<nameEnd], as: UTF8.self)
      if name == "[Content_Types].xml" { return nil }
      if Unpacker.Entry.isFile(name) { files.append((name, position)) }
      position = nameEnd + number(directory, position + 30, 2) + number(directory, position + 32, 2)
    }
    guard files.count == 1, let (name, header) = files.first else {
      throw Failure(
        .badInput, "\(archive) is a ZIP archive of \(plural(files.count, "file")), not of one",
        hint: "unpack it, and name one of its files")
    }
    let method = number(directory, header + 10, 2)
    let isEncrypted = directory[header + 8] & 1 != 0
    let count = number(directory, header + 20, 4)
    if count == Int(UInt32.max) { return nil }
    guard !isEncrypted, method == 0 || method == 8 else {
      throw Failure(
        .badInput,
        "'\(name)' in \(archive) is \(isEncrypted ? "encrypted" : "stored in an unknown way")",
        hint: "unpack it first")
    }
    let local = number(directory, header + 42, 4)
    guard let head = bytes(local, 30), head.starts(with: Unpacker.magic) else { return nil }
    start = local + 30 + number(head, 26, 2) + number(head, 28, 2)
    guard start + count <= byteCount else { return nil }
    entry = Unpacker.Entry(
      name: name, count: count, isDeflated: method == 8,
      checksum: UInt32(number(directory, header + 16, 4)))
  }
}
