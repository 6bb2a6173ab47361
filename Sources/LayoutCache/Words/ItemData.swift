public import LayoutGeometry

/// What an item carries for those who show it: a JSON object that no layout looks at, such
/// as a title and the address of a picture.
///
/// It is kept as it was given, less the white space between its values: members stay in
/// their order, and numbers as they were written.
public struct ItemData: Hashable, Sendable {
  /// The object as JSON, without white space between its values; at most
  /// `Limits.dataBytesMax` bytes of UTF-8.
  public let json: String

  /// Checks a JSON text.
  ///
  /// - Parameter json: One object by the letter of RFC 8259, no deeper than 512.
  /// - Throws: `LimitError`: `notAnObject` for what is none, `tooLong` where more than
  ///   `Limits.dataBytesMax` bytes are left without white space.
  /// - Complexity: O(bytes).
  public init(json: String) throws(LimitError) {
    guard let data = Self.withoutSpace(Array(json.utf8)) else {
      throw LimitError(.notAnObject, "data", limit: 0, value: 0)
    }
    if data.count > Limits.dataBytesMax {
      throw LimitError(
        .tooLong, "data", limit: Double(Limits.dataBytesMax), value: Double(data.count))
    }
    self.json = String(decoding: data, as: UTF8.self)
  }

  /// Data that were checked before they were stored.
  init(checked bytes: ArraySlice<UInt8>) { json = String(decoding: bytes, as: UTF8.self) }

  /// Whether bytes are data as they are stored.
  static func isStored(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count <= Limits.dataBytesMax && withoutSpace(Array(bytes))?.count == bytes.count
      && String(validating: bytes, as: UTF8.self) != nil
  }

  /// The text without the white space between its values.
  ///
  /// - Returns: `nil` for what is no object.
  private static func withoutSpace(_ text: [UInt8]) -> [UInt8]? {
    let isObject = text.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      return (try? scanner.takeText { _, _ in }) ?? false
    }
    guard isObject else { return nil }
    var data: [UInt8] = []
    data.reserveCapacity(text.count)
    var (isInString, isEscaped) = (false, false)
    for byte in text {
      if isInString {
        isInString = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      } else if isJSONSpace(byte) {
        continue
      } else {
        isInString = byte == UInt8(ascii: "\"")
      }
      data.append(byte)
    }
    return data
  }
}

extension ItemData: CustomStringConvertible {
  /// The object as JSON.
  public var description: String { json }
}
