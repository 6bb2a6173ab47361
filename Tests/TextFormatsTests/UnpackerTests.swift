import Testing

@testable import TextFormats

/// Archives and other files that arrive in pieces of any size.
@Suite struct UnpackerTests {
  private static let text = "key,width,height\na,1,2\n"
  private static let checksum = 0x398E_4022

  private func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A file in an archive.
  private func entry(
    _ name: String = "a.csv", flags: Int = 0, method: Int = 0, checksum: Int = checksum,
    size: Int? = nil, extra: [UInt8] = [], content: [UInt8] = Array(text.utf8)
  ) -> [UInt8] {
    let size = number(size ?? content.count, 4)
    return Array("PK\u{3}\u{4}".utf8) + number(20, 2) + number(flags, 2) + number(method, 2)
      + number(0, 4) + number(checksum, 4) + size + size + number(name.utf8.count, 2)
      + number(extra.count, 2) + Array(name.utf8) + extra + content
  }

  /// The text as one block that is not compressed: RFC 1951, section 3.2.4.
  private var deflated: [UInt8] {
    [1] + number(Self.text.utf8.count, 2) + number(~Self.text.utf8.count, 2)
      + Array(Self.text.utf8)
  }

  private let directory = Array("PK\u{1}\u{2}".utf8) + [UInt8](repeating: 0, count: 60)

  private func unpacked(_ bytes: [UInt8], by size: Int) throws -> String {
    let unpacker = Unpacker()
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      try bytes[start..<min(bytes.count, start + size)].withUnsafeBytes {
        try unpacker.unpack($0) { result += $0 }
      }
    }
    for _ in 0..<2 { try unpacker.finish { result += $0 } }
    return String(decoding: result, as: UTF8.self)
  }

  @Test(arguments: [1, 2, 3, 7, 30, 1000])
  func theContentsAreThoseOfTheFile(size: Int) throws {
    // Sizes of 8 bytes in the header, and after the bytes, with and without a signature.
    let long = number(1, 2) + number(16, 2) + number(23, 8) + number(23, 8)
    let sum = number(Self.checksum, 4)
    let signature = Array("PK\u{7}\u{8}".utf8)
    let packed = deflated
    let archives = [
      entry(),
      entry(method: 8, content: packed),
      entry(size: 0xFFFF_FFFF, extra: [9, 9, 1, 0, 0] + long),
      entry(flags: 8, method: 8, checksum: 0, size: 0, content: packed)
        + signature + sum + number(28, 4) + number(23, 4),
      entry(flags: 8, method: 8, checksum: 0, size: 0, content: packed)
        + sum + number(28, 4) + number(23, 4),
      entry(flags: 8, method: 8, checksum: 0, size: 0xFFFF_FFFF, extra: long, content: packed)
        + signature + sum + number(28, 8) + number(23, 8),
      entry("folder/", checksum: 0, content: []) + entry("folder/a.csv")
        + entry("__MACOSX/a", checksum: 0, content: []),
    ]
    for (index, archive) in archives.enumerated() {
      #expect(try unpacked(archive + directory, by: size) == Self.text, "archive \(index)")
    }
    for text in ["", "k", "PK", "key,width", Self.text] {
      #expect(try unpacked(Array(text.utf8), by: size) == text)
    }
    let book = entry("docProps/app.xml") + directory
    #expect(
      try unpacked(book, by: size).utf8.elementsEqual(String(decoding: book, as: UTF8.self).utf8))
  }

  @Test(arguments: [1, 13, 1000])
  func otherArchivesAreRejected(size: Int) throws {
    let archives: [([UInt8], String)] = [
      (entry() + entry("b.csv"), "a ZIP archive of several files"),
      (entry("folder/", checksum: 0, content: []) + directory, "a ZIP archive without a file"),
      (entry(flags: 1), "a ZIP archive with an encrypted file"),
      (entry(flags: 8, size: 0), "a ZIP archive that cannot be read as a stream"),
      (entry(method: 12), "a ZIP archive that cannot be read as a stream"),
      (entry(checksum: 1) + directory, "damaged or truncated ZIP data"),
      (entry(), "damaged or truncated ZIP data"),
      (entry().dropLast(3), "damaged or truncated ZIP data"),
      (entry(method: 8, content: [7]) + directory, "damaged or truncated ZIP data"),
      (Array("PK\u{3}\u{4}".utf8), "damaged or truncated ZIP data"),
      ([0x1F, 0x8B, 8, 0], "damaged or truncated gzip data"),
    ]
    for (archive, message) in archives {
      do {
        let text = try unpacked(archive, by: size)
        Issue.record("it became \(text)")
      } catch let error as ImportError {
        #expect(error.description == message)
      }
    }
  }
}
