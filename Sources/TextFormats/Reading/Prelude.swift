import LayoutGeometry

/// The part of a text before its records: lines to skip, or the members of an object before its
/// list of items.
struct Prelude: Sendable {
  /// The line on which the records begin.
  private(set) var line = 1
  private(set) var isComplete = false
  private var linesToSkip: Int
  private var last = UInt8(0)
  private let path: [[UInt8]]
  private let format: TextFormat
  private var outline = JSONOutline()
  private var matchedCount = 0
  private var isMember = false

  /// - Returns: `nil` if the records begin at once.
  init?(_ shape: TextShape, _ format: TextFormat) {
    guard shape.skippedLines > 0 || shape.items != nil else { return nil }
    linesToSkip = shape.skippedLines
    path = (shape.items ?? "").split(separator: ".").map { Array($0.utf8) }
    self.format = format
  }

  /// Returns the number of bytes that are a part of the prelude.
  ///
  /// - Throws: ``ImportError`` if the text is not JSON and should have a list.
  mutating func skip(_ bytes: UnsafeRawBufferPointer) throws -> Int {
    var position = 0
    // A carriage return may be followed by a line feed.
    while position < bytes.count, linesToSkip > 0 || last == UInt8(ascii: "\r") {
      let byte = bytes[position]
      if linesToSkip == 0, byte != UInt8(ascii: "\n") { break }
      if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") && last != UInt8(ascii: "\r") {
        linesToSkip -= 1
        line += 1
      }
      last = linesToSkip == 0 && byte == UInt8(ascii: "\n") ? 0 : byte
      position += 1
    }
    guard linesToSkip == 0, last != UInt8(ascii: "\r") || position < bytes.count else {
      return position
    }
    last = 0
    if path.isEmpty {
      isComplete = true
      return position
    }
    guard format == .ndjson else {
      try requireComplete()
      return position
    }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
    var outline = self.outline
    let length = outline.scan(rest) { byte, depth, text in finds(byte, depth, text) }
    self.outline = outline
    isComplete = length != nil
    if isComplete { line += outline.lineBreakCount }
    return position + (length ?? rest.count)
  }

  /// Follows the path; returns whether a bracket opens the list.
  private mutating func finds(_ byte: UInt8, _ depth: Int, _ text: [UInt8]) -> Bool {
    let isWanted = isMember
    isMember = false
    switch byte {
    case UInt8(ascii: ":"): isMember = depth == matchedCount + 1 && text == path[matchedCount]
    case UInt8(ascii: "{"): if isWanted, matchedCount + 1 < path.count { matchedCount += 1 }
    case UInt8(ascii: "["): return isWanted && matchedCount + 1 == path.count
    case UInt8(ascii: "}"), UInt8(ascii: "]"): matchedCount = min(matchedCount, max(0, depth - 1))
    default: break
    }
    return false
  }

  /// - Throws: ``ImportError`` of a text that ends before its records.
  func requireComplete() throws {
    if path.isEmpty {
      throw ImportError(
        line: line, code: .emptyInput, message: "the input has no line after the skipped ones")
    }
    let name = path.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    throw ImportError(
      line: 1, code: .missingColumn, message: "no member '\(excerpt(name))' of an object is a list")
  }
}

/// The brackets, colons and commas of a JSON text outside its strings.
struct JSONOutline: Sendable {
  private(set) var lineBreakCount = 0
  private var depth = 0
  /// The string before a colon, as written, up to a limit.
  private var text: [UInt8] = []
  private var isInString = false
  private var isEscaped = false

  /// Calls `body` with each of them, the number of open brackets, itself included if it opens
  /// one, and the last string.
  ///
  /// - Returns: The offset after the one for which `body` returns true.
  mutating func scan(
    _ bytes: UnsafeRawBufferPointer, _ body: (_ byte: UInt8, _ depth: Int, _ text: [UInt8]) -> Bool
  ) -> Int? {
    for (offset, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\n") { lineBreakCount += 1 }
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
          continue
        } else {
          isEscaped = byte == UInt8(ascii: "\\")
        }
        if text.count < 256 { text.append(byte) }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        isInString = true
        text.removeAll(keepingCapacity: true)
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ":"), UInt8(ascii: ","): break
      default: continue
      }
      if byte != UInt8(ascii: "\""), body(byte, depth, text) { return offset + 1 }
    }
    return nil
  }
}

/// The lists of objects within the object that is a whole JSON text, as for an export with
/// surrounding members.
package struct ListedMembers {
  /// The paths of the lists and the numbers of their objects.
  package private(set) var lists: [(path: String, count: Int)] = []
  private var outline = JSONOutline()
  private var names: [[UInt8]] = []
  private var listDepth: Int?
  private var count = 0

  package init() {}

  package mutating func consume(_ bytes: UnsafeRawBufferPointer) {
    _ = outline.scan(bytes) { byte, depth, text in
      switch byte {
      case UInt8(ascii: ":") where listDepth == nil && (1...8).contains(depth):
        names = Array(names.prefix(depth - 1)) + [text]
      case UInt8(ascii: "[") where listDepth == nil && names.count == depth - 1 && depth > 1:
        (listDepth, count) = (depth, 0)
      case UInt8(ascii: "["): listDepth = listDepth ?? depth
      case UInt8(ascii: "{") where depth - 1 == listDepth: count += 1
      case UInt8(ascii: "]") where depth + 1 == listDepth:
        let path = names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
        if count > 0, depth > 0, lists.count < 20 { lists.append((path, count)) }
        listDepth = nil
      default: break
      }
      return false
    }
  }
}
