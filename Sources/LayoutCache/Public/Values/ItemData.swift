import JSONText
public import LayoutGeometry

/// The data of an item for clients: a JSON object that layouts ignore, such
/// as a title and the address of a picture.
///
/// The text is stored as given, except for the white space between values: members keep their
/// order, and numbers their spelling.
public struct ItemData: Hashable, Sendable {
  /// The object as JSON, without white space between its values; at most
  /// `Limits.dataBytesMax` bytes of UTF-8.
  public let json: String

  /// Creates data from a JSON text after checking it.
  ///
  /// - Parameter json: A strict JSON object (RFC 8259), at most 512 levels deep.
  /// - Throws: `LimitError`: `notAnObject` for any other text, `tooLong` if more than
  ///   `Limits.dataBytesMax` bytes remain without white space.
  /// - Complexity: O(bytes).
  public init(json: String) throws(LimitError) {
    var json = json
    let data = json.withUTF8 { Self.withoutSpace(UnsafeRawBufferPointer($0)) }
    guard let data else { throw LimitError(.notAnObject, "data", limit: 0, value: 0) }
    if data.count > Limits.dataBytesMax {
      throw LimitError(
        .tooLong, "data", limit: Double(Limits.dataBytesMax), value: Double(data.count))
    }
    self.json = String(decoding: data, as: UTF8.self)
  }

  /// Returns the value of a string member; `nil` if the member is missing or not a string. Of
  /// repeated members the last one is used.
  package func string(_ member: String) -> String? {
    var text: String?
    withBytes { bytes in
      Self.forEachMember(of: bytes) { name, value in
        guard name.text(in: bytes).isExactly(member) else { return }
        text = value.kind == .string ? value.text(in: bytes) : nil
      }
    }
    return text
  }

  /// Runs `body` on the text.
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    var json = json
    return try json.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
  }

  /// Calls `body` with the name and the value of each member of valid data.
  static func forEachMember(
    of bytes: UnsafeRawBufferPointer, _ body: (JSONToken, JSONToken) -> Void
  ) {
    var scanner = JSONScanner(bytes)
    do { try scanner.takeContainer(body) } catch { preconditionFailure("data are an object") }
  }

  /// Creates data from stored bytes, which were checked before.
  init(checked bytes: ArraySlice<UInt8>) { json = String(decoding: bytes, as: UTF8.self) }

  /// Whether the bytes are valid stored data.
  static func isStored(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= Limits.dataBytesMax, isObject(bytes),
      String(validating: bytes, as: UTF8.self) != nil
    else { return false }
    var count = 0
    forEachKept(of: bytes) { _ in count += 1 }
    return count == bytes.count
  }

  /// Returns the text without white space between values.
  ///
  /// - Returns: `nil` if the text is not an object.
  private static func withoutSpace(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard isObject(text) else { return nil }
    return [UInt8](unsafeUninitializedCapacity: text.count) { kept, count in
      forEachKept(of: text) { byte in
        kept[count] = byte
        count += 1
      }
    }
  }

  private static func isObject(_ text: UnsafeRawBufferPointer) -> Bool {
    var scanner = JSONScanner(text)
    do {
      return try scanner.takeText { _, _ in }
    } catch {
      return false
    }
  }

  /// Calls `body` with each byte of a JSON text except the white space between values.
  @inline(__always)
  private static func forEachKept(of text: UnsafeRawBufferPointer, _ body: (UInt8) -> Void) {
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
      body(byte)
    }
  }
}

extension ItemData: CustomStringConvertible {
  /// The object as JSON.
  public var description: String { json }
}
