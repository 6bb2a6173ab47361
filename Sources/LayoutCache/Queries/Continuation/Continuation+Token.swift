import LayoutGeometry
import LayoutStore
import SumTree

extension Continuation {
  // version      u8: 1 without offsets, otherwise 2
  // subject      u8: 0 a rectangle, 1 one with visible bounds, 2 items, 3 items backward,
  //              4 a rectangle as laid out
  // dataset, layout, section key    texts: a varint and UTF-8
  // incarnation  signed varint
  // revision     varint
  // last         section (varint), part (u8), item (varint)
  // key          text, empty without one
  // limit        varint, 0 for none
  // rectangles   signed varint × 4 each: x, y, width, height in units
  // offsets      in version 2: their number (varint, at least 1), and for each the section's key
  //              (text) and the offset (varint, units, at least 1), ordered by key
  // check        u8 × 4, checksum of the preceding bytes

  private static let version: UInt8 = 1
  private static let versionWithOffsets: UInt8 = 2
  private static let checkBytes = 4
  /// An upper bound on the length of a token, for any names and keys, and thousands of offsets.
  private static let textBytesMax = 1 << 20

  /// The continuation as an opaque text of letters, digits, "-" and "_".
  public var token: String {
    var writer = ByteWriter()
    writer.writeUInt8(offsets.isEmpty ? Self.version : Self.versionWithOffsets)
    let (number, rects): (UInt8, [Rect]) =
      switch subject {
      case .rect(let rect, nil): (0, [rect])
      case .rect(let rect, let visible?): (1, [rect, visible])
      case .items(let isBackward): (isBackward ? 3 : 2, [])
      case .asLaidOut(let rect): (4, [rect])
      }
    writer.writeUInt8(number)
    for text in [layout.dataset, layout.layout, sectionKey] { writer.write(text) }
    writer.writeSignedVarint(incarnation.rawValue)
    writer.writeCount(revision)
    writer.writeCount(last.section)
    writer.writeUInt8(UInt8(last.part.rawValue))
    writer.writeCount(last.item)
    writer.write(key ?? "")
    writer.writeCount(limit == .max ? 0 : limit)
    for rect in rects {
      for length in [rect.minX, rect.minY, rect.size.width, rect.size.height] {
        writer.writeSignedVarint(length.units)
      }
    }
    if !offsets.isEmpty {
      let entries = offsets.entries
      writer.writeCount(entries.count)
      for entry in entries {
        writer.write(entry.key)
        writer.writeVarint(UInt64(entry.offset.units))
      }
    }
    return tokenText(writer.bytes + Self.check(writer.bytes))
  }

  /// Creates a continuation from a token.
  ///
  /// - Returns: `nil` if the text is not a complete token.
  public init?(token: String) {
    guard token.utf8.count <= Self.textBytesMax, let bytes = tokenBytes(token),
      bytes.count > Self.checkBytes
    else { return nil }
    let content = Array(bytes.dropLast(Self.checkBytes))
    guard Self.check(content) == bytes.suffix(Self.checkBytes) else { return nil }
    let read = try? ByteReader.read(content) { reader in
      let read = try Continuation(from: &reader)
      try reader.expectEnd()
      return read
    }
    // The error is not reported: a text that can't be decoded is not a token.
    guard let read else { return nil }
    self = read
  }

  private init(from reader: inout ByteReader) throws {
    let version = try reader.readUInt8()
    guard version == Self.version || version == Self.versionWithOffsets else {
      throw reader.malformed("version")
    }
    let subject = try reader.readUInt8()
    let dataset = try reader.readText()
    layout = LayoutID(try reader.readText(), of: dataset)
    sectionKey = try reader.readText()
    incarnation = HistoryNumber(rawValue: try reader.readSignedVarint())
    revision = try reader.readCount(limit: .max)
    let section = try reader.readCount(limit: Limits.sectionsMax)
    guard let part = SectionPart(rawValue: Int(try reader.readUInt8())) else {
      throw reader.malformed("part")
    }
    let item = try reader.readCount(limit: Limits.itemsMax * ElementAddress.elementsPerItem)
    last = ElementAddress(section: section, part: part, item: item)
    let key = try reader.readText()
    guard key.isEmpty == (part != .cells) else { throw reader.malformed("key") }
    self.key = key.isEmpty ? nil : key
    let limit = try reader.readCount(limit: .max)
    self.limit = limit == 0 ? .max : limit
    switch subject {
    case 0: self.subject = .rect(try reader.readRect(), visible: nil)
    case 1: self.subject = .rect(try reader.readRect(), visible: try reader.readRect())
    case 2 where part == .cells, 3 where part == .cells:
      self.subject = .items(isBackward: subject == 3)
    case 4: self.subject = .asLaidOut(try reader.readRect())
    default: throw reader.malformed("subject")
    }
    offsets = version == Self.version ? CarouselOffsets() : try reader.readOffsets()
  }

  /// Returns the checksum that detects truncated and mistyped tokens.
  ///
  /// Source: FNV-1a, 32 bits, http://www.isthe.com/chongo/tech/comp/fnv/.
  static func check(_ bytes: [UInt8]) -> [UInt8] {
    var hash: UInt32 = 0x811C_9DC5
    for byte in bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    return (0..<checkBytes).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt32($0))) }
  }
}

extension ByteWriter {
  fileprivate mutating func write(_ text: String) {
    writeCount(text.utf8.count)
    writeBytes(text.utf8)
  }
}

extension ByteReader {
  /// Reads a name or a key.
  fileprivate mutating func readText() throws -> String {
    let bytes = try readBytes(count: try readCount(limit: Limits.nameBytesMax))
    guard let text = String(validating: bytes, as: UTF8.self) else { throw malformed("text") }
    return text
  }

  /// Reads offsets of carousels, at least one.
  fileprivate mutating func readOffsets() throws -> CarouselOffsets {
    var offsets = CarouselOffsets()
    var last: String?
    for _ in 0..<(try readCount(limit: Limits.sectionsMax, sizeMin: 2)) {
      let key = try readText()
      guard last.map({ $0.utf8.lexicographicallyPrecedes(key.utf8) }) ?? true else {
        throw malformed("offsets")
      }
      let offset = Length(units: Int64(try readCount(limit: 1 << 53)))
      guard offset > .zero else { throw malformed("offset") }
      offsets[key] = offset
      last = key
    }
    guard !offsets.isEmpty else { throw malformed("offsets") }
    return offsets
  }

  /// Reads a rectangle that is valid in a query.
  fileprivate mutating func readRect() throws -> Rect {
    let numbers = try (0..<4).map { _ in Length(units: try readSignedVarint()) }
    let rect = Rect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    guard rect == rect.bounded else { throw malformed("rectangle") }
    return rect
  }
}
