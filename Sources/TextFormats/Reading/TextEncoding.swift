/// The encoding that a sample of a text without valid UTF-8 seems to have.
package struct TextEncoding {
  /// The numbers of characters beyond ASCII in valid UTF-8, and of other bytes beyond ASCII.
  package private(set) var validCount = 0
  package private(set) var invalidCount = 0
  /// Whether the other bytes are characters in Windows' code page only.
  private var isWindows = false

  package init(_ sample: [UInt8]) {
    sample.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
        let end = offsetOfDefect(in: rest) ?? rest.count
        validCount += rest[..<end].count { $0 >= 0xC0 }
        if end < rest.count, rest[end] >= 0x80 {
          invalidCount += 1
          if rest[end] < 0xA0 { isWindows = true }
        }
        start += end + 1
      }
    }
  }

  /// The name for iconv; `nil` if most of the text is UTF-8, so that only some rows are not.
  package var name: String? {
    if validCount >= invalidCount { return nil }
    return isWindows ? "windows-1252" : "latin1"
  }
}
