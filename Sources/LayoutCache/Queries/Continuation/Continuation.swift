public import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// The position at which a truncated answer resumes: after its last element, even if the data
/// has changed since.
///
/// It contains that element's key and position, and the answer's revision. At a later revision
/// the answer resumes after the element. If the element was deleted or moved, or its section was,
/// the answer resumes at its previous position, which is tracked through the log as far back as
/// the log reaches. Pages requested while the dataset changes therefore contain each item exactly
/// once if it exists throughout and does not move.
///
/// A continuation is complete but for a view, which the query states again: it contains the layout,
/// the rectangle or the order of items, the layout direction, the scroll positions of carousels, and
/// the limit of the answer.
public struct Continuation: Hashable, Sendable {
  /// The sequence of elements that the query reads.
  enum Subject: Hashable, Sendable {
    case rect(Rect, visible: Rect?)
    case asLaidOut(Rect)
    case items(isBackward: Bool)
  }

  /// The queried layout.
  public let layout: LayoutID
  /// The dataset's incarnation, or that of a preview.
  let incarnation: HistoryNumber
  /// The revision of the answer.
  public let revision: Int
  let subject: Subject
  /// The scroll positions of carousels in the answer.
  let offsets: CarouselOffsets
  /// The direction of the answer.
  public let layoutDirection: LayoutConfiguration.LayoutDirection
  /// The answer's limit; `Int.max` if none was given.
  let limit: Int
  /// The last element's position.
  var last: ElementAddress
  let sectionKey: String
  /// The key of the last element, if it is a cell.
  let key: String?
  /// The view of the answer, as ``DatasetView/digest``; `nil` for the whole dataset.
  let view: Int64?
  /// The place of that cell's item in the view, which does not depend on the view's other items.
  let viewPlace: ViewPlace?

  /// Whether the continuation belongs to a query for `rect`.
  ///
  /// - Parameters:
  ///   - rect: The query's rectangle.
  ///   - visible: The query's visible bounds, if any.
  public func continues(queryFor rect: Rect, visible: Rect? = nil) -> Bool {
    switch subject {
    case .rect(rect.bounded, visible: let own): visible == nil || visible?.bounded == own
    case .asLaidOut(rect.bounded): visible == nil
    default: false
    }
  }

  /// Whether the continuation belongs to a query with these scroll positions of carousels.
  public func continues(queryAt offsets: CarouselOffsets) -> Bool { self.offsets == offsets }

  /// Whether the continuation belongs to a query without pins and effects:
  /// ``ElementsQuery/asLaidOut(_:limit:)``.
  public var isAsLaidOut: Bool { if case .asLaidOut = subject { true } else { false } }

  /// Returns the answer's limit, or `most` if that is less.
  package func limit(upTo most: Int) -> Int { min(limit, most) }

  /// The position at which the answer resumes if nothing has changed.
  var place: ElementAddress { subject.isBackward ? last : last.next }
}

extension Continuation.Subject {
  /// Whether the sequence runs backward.
  var isBackward: Bool { self == .items(isBackward: true) }
}

extension Continuation {
  // version      u8: 1 without offsets, 2 with offsets, 3 for a view
  // subject      u8: 0 a rectangle, 1 one with visible bounds, 2 items, 3 items backward,
  //              4 a rectangle as laid out; plus 8 if the direction is rightToLeft
  // dataset, layout, section key    texts: a varint and UTF-8
  // incarnation  signed varint
  // revision     varint
  // last         section (varint), part (u8), item (varint)
  // key          text, empty without one
  // limit        varint, 0 for none
  // rectangles   signed varint × 4 each: x, y, width, height in units
  // offsets      from version 2 on: their number (varint, in version 2 at least 1), and for each the
  //              section's key (text) and the offset (varint, units, at least 1), ordered by key
  // view         in version 3: its digest (signed varint), and for the place 0 (u8) without one, 1 and
  //              the item's section and index in the dataset (varints), or 2, and the rank: its
  //              prefix (varint), the number of its bytes (varint), and the bytes
  // check        u8 × 4, checksum of the preceding bytes

  private static let version: UInt8 = 1
  private static let versionWithOffsets: UInt8 = 2
  private static let versionOfView: UInt8 = 3
  private static let checkBytes = 4
  /// An upper bound on the length of a token, for any names and keys, and thousands of offsets.
  private static let textBytesMax = 1 << 20

  /// The continuation as an opaque text of letters, digits, "-" and "_".
  public var token: String {
    var writer = ByteWriter()
    let version = offsets.isEmpty ? Self.version : Self.versionWithOffsets
    writer.writeUInt8(view == nil ? version : Self.versionOfView)
    let (number, rects): (UInt8, [Rect]) =
      switch subject {
      case .rect(let rect, nil): (0, [rect])
      case .rect(let rect, let visible?): (1, [rect, visible])
      case .items(let isBackward): (isBackward ? 3 : 2, [])
      case .asLaidOut(let rect): (4, [rect])
      }
    writer.writeUInt8(number | (layoutDirection == .rightToLeft ? 8 : 0))
    for text in [layout.dataset, layout.layout, sectionKey] { writer.write(text: text) }
    writer.writeSignedVarint(incarnation.rawValue)
    writer.writeCount(revision)
    writer.writeCount(last.section)
    writer.writeUInt8(UInt8(last.part.rawValue))
    writer.writeCount(last.item)
    writer.write(text: key ?? "")
    writer.writeCount(limit == .max ? 0 : limit)
    for rect in rects {
      for length in [rect.minX, rect.minY, rect.size.width, rect.size.height] {
        writer.writeSignedVarint(length.units)
      }
    }
    if !offsets.isEmpty || view != nil {
      let entries = offsets.entries
      writer.writeCount(entries.count)
      for entry in entries {
        writer.write(text: entry.key)
        writer.writeVarint(UInt64(entry.offset.units))
      }
    }
    if let view {
      writer.writeSignedVarint(view)
      ViewPlace.encode(viewPlace, into: &writer)
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
    guard Self.version...Self.versionOfView ~= version else { throw reader.malformed("version") }
    let bits = try reader.readUInt8()
    let subject = bits & ~8
    layoutDirection = bits == subject ? .leftToRight : .rightToLeft
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
    if version == Self.versionWithOffsets, offsets.isEmpty { throw reader.malformed("offsets") }
    let isOfView = version == Self.versionOfView
    view = isOfView ? try reader.readSignedVarint() : nil
    viewPlace = isOfView ? try ViewPlace.read(from: &reader) : nil
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

extension ByteReader {
  /// Reads a name or a key.
  fileprivate mutating func readText() throws -> String {
    try readText(limit: Limits.nameBytesMax)
  }

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

// Base64url, which needs no escaping in URLs and shells: RFC 4648, section 5, without padding.

private let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

/// Encodes bytes as a text.
func tokenText(_ bytes: [UInt8]) -> String {
  var text: [UInt8] = []
  text.reserveCapacity((bytes.count * 4 + 2) / 3)
  var (bits, count): (UInt32, UInt32) = (0, 0)
  for byte in bytes {
    bits = bits << 8 | UInt32(byte)
    count += 8
    while count >= 6 {
      count -= 6
      text.append(digits[Int(bits >> count & 0x3F)])
    }
    bits &= 0x3F
  }
  if count > 0 { text.append(digits[Int(bits << (6 - count) & 0x3F)]) }
  return String(decoding: text, as: UTF8.self)
}

/// Decodes a text.
///
/// - Returns: `nil` for a text that is not the canonical encoding of any bytes, so that each
///   token has only one text.
func tokenBytes(_ text: String) -> [UInt8]? {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.utf8.count * 3 / 4)
  var (bits, count): (UInt32, UInt32) = (0, 0)
  for character in text.utf8 {
    guard let digit = digits.firstIndex(of: character) else { return nil }
    bits = bits << 6 | UInt32(digit)
    count += 6
    if count >= 8 {
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      bits &= (1 << count) - 1
    }
  }
  return count < 6 && bits == 0 ? bytes : nil
}
