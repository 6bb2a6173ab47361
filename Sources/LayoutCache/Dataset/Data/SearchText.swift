import JSONText

/// A text to search for in items, compared without regard to upper and lower case.
package struct SearchText: Sendable {
  /// The UTF-8 of the text in lower case.
  private let wanted: [UInt8]
  private let isASCII: Bool

  /// - Parameter text: The text; an empty one is found everywhere.
  package init(_ text: String) {
    wanted = Array(text.lowercased().utf8)
    isASCII = wanted.allSatisfy { $0 < 0x80 }
  }

  /// Whether a text contains the wanted one.
  func isIn(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { isIn(UnsafeRawBufferPointer($0)) }
  }

  /// Whether a string or a number in an item's data contains the wanted text. Names of members
  /// are not compared.
  ///
  /// - Complexity: O(bytes).
  func isIn(_ data: ItemData) -> Bool {
    var json = data.json
    return json.withUTF8 { isIn(json: UnsafeRawBufferPointer($0)) }
  }

  /// - Parameter json: Valid JSON without white space between its values.
  private func isIn(json: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position < json.count {
      let start = position
      switch json[start] {
      case UInt8(ascii: "\""):
        var hasEscapes = false
        position += 1
        while json[position] != UInt8(ascii: "\"") {
          let isEscape = json[position] == UInt8(ascii: "\\")
          hasEscapes = hasEscapes || isEscape
          position += isEscape ? 2 : 1
        }
        position += 1
        // The name of a member.
        if position < json.count, json[position] == UInt8(ascii: ":") { continue }
        let token = JSONToken(kind: .string, start: start, end: position, hasEscapes: hasEscapes)
        let isFound = hasEscapes ? isIn(token.text(in: json)) : isIn(token.content(in: json))
        if isFound { return true }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        while position < json.count, !",]}".utf8.contains(json[position]) { position += 1 }
        if isIn(UnsafeRawBufferPointer(rebasing: json[start..<position])) { return true }
      default: position += 1
      }
    }
    return false
  }

  /// - Parameter text: UTF-8.
  private func isIn(_ text: UnsafeRawBufferPointer) -> Bool {
    if text.allSatisfy({ $0 < 0x80 }) { return isASCII && isInASCII(text) }
    // A letter may have more or fewer bytes in lower case.
    let lower = Array(String(decoding: text, as: UTF8.self).lowercased().utf8)
    return lower.withUnsafeBytes { isInLowerCase($0) }
  }

  private func isInASCII(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = wanted.first else { return true }
    guard text.count >= wanted.count else { return false }
    for start in 0...(text.count - wanted.count) where lowerCase(text[start]) == first {
      if wanted.indices.allSatisfy({ lowerCase(text[start + $0]) == wanted[$0] }) { return true }
    }
    return false
  }

  private func isInLowerCase(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = wanted.first else { return true }
    guard text.count >= wanted.count else { return false }
    for start in 0...(text.count - wanted.count) where text[start] == first {
      if text[start..<(start + wanted.count)].elementsEqual(wanted) { return true }
    }
    return false
  }
}

/// Returns a byte of ASCII in lower case.
@inline(__always)
private func lowerCase(_ byte: UInt8) -> UInt8 {
  byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}
