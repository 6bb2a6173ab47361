import CollectionLayout
package import LayoutGeometry
import SumTree

/// The position of an item in an order, as bytes that are compared like those of a key: the values
/// of the order's members, then the item's key.
///
/// Exactly one item of a dataset has a rank.
struct ItemRank: Hashable, Comparable {
  /// The first bytes of the first value as a number, which is equal or greater for a greater rank:
  /// of a number its 62 most significant bits, so that most values differ in them.
  var prefix: UInt64 = 0
  var bytes: [UInt8] = []

  static func < (left: Self, right: Self) -> Bool {
    left.prefix == right.prefix
      ? left.bytes.lexicographicallyPrecedes(right.bytes) : left.prefix < right.prefix
  }

  fileprivate mutating func append(_ value: SortKey, descending: Bool) {
    let isFirst = bytes.isEmpty
    value.encode(descending: descending, into: &bytes)
    guard isFirst else { return }
    let payload = (1...8).reduce(0 as UInt64) { sum, place in
      sum << 8 | UInt64(place < bytes.count ? bytes[place] : 0)
    }
    prefix = UInt64(bytes[0]) << 62 | payload >> 2
  }
}

extension DatasetOrder {
  /// - Throws: `LimitError` for too many members, or an invalid name of a member or style.
  package func check() throws(LimitError) {
    try Limits.check(members.count, in: 0...Self.membersMax, as: "number of members of an order")
    for member in members { try Limits.check(name: member.by, as: "member name") }
    if let sections { try Limits.check(name: sections.by, as: "member name") }
    if let style = sections?.style { try Limits.check(name: style, as: "style name") }
  }

  func rank(ofKey key: String, _ data: ItemData?) -> ItemRank {
    guard let data else { return rank(ofKey: key, in: nil) }
    return data.withBytes { rank(ofKey: key, in: $0) }
  }

  /// - Parameter data: The bytes of the item's data.
  func rank(ofKey key: String, in data: UnsafeRawBufferPointer?) -> ItemRank {
    var rank = ItemRank()
    rank.prefix = UInt64(list?.place(of: key) ?? 0)
    for (value, member) in zip(members.map { ExactKey($0.by) }.filterValues(in: data), members) {
      rank.append(SortKey(value), descending: member.descending)
    }
    rank.bytes += key.utf8
    return rank
  }

  /// Returns the key of the section that an item with some data belongs to.
  ///
  /// - Precondition: Sections are derived.
  func sectionKey(of data: ItemData?) -> String {
    guard let sections,
      let value = data?.withBytes({ [ExactKey(sections.by)].filterValues(in: $0) })[0]
    else {
      return Self.remainder
    }
    let lengths: [Sections.Part: Int] = [.year: 4, .month: 7, .day: 10]
    guard let length = lengths[sections.part] else {
      // A value that cannot be a key must not end an import of millions of rows.
      guard let text = value.text, (try? Limits.check(name: text, as: "section key")) != nil
      else { return Self.remainder }
      return text
    }
    guard case .text(let text) = value, case .instant = SortKey(value) else {
      return Self.remainder
    }
    return String(decoding: text.string.utf8.prefix(length), as: UTF8.self)
  }

  /// Returns the rank of a derived section among the others.
  func rank(ofSection key: String) -> ItemRank {
    var value: FilterValue? = .text(ExactKey(key))
    if ExactKey(key) == ExactKey(Self.remainder) {
      value = nil
    } else if sections?.part == .value, case .number(let number) = FilterValue(word: key) {
      // A number and the same text are one section.
      value = .number(number)
    }
    var rank = ItemRank()
    rank.append(SortKey(value), descending: sections?.descending ?? false)
    rank.bytes += key.utf8
    return rank
  }
}

extension FilterValue {
  /// The text of a number or a text that is not empty.
  fileprivate var text: String? {
    switch self {
    case .number(.integer(let number)): String(number)
    case .number(.double(let number)): String(number)
    case .text(let text): text.string.isEmpty ? nil : text.string
    case .null, .bool, .array, .object: nil
    }
  }
}

extension SortKey {
  /// Appends bytes that are ordered as the keys are, and of which none begin with those of another
  /// key.
  fileprivate func encode(descending: Bool, into bytes: inout [UInt8]) {
    guard self != .missing else { return bytes.append(3) }
    bytes.append(UInt8(descending ? 2 - kind : kind))
    let start = bytes.count
    switch self {
    case .number(let number): number.encode(into: &bytes)
    case .instant(let nanoseconds):
      // From the year 0 to 10,000 there are less than 2^59 microseconds; the highest bits are used
      // first, as those of a prefix.
      let (thousands, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1000)
      let microseconds = rest < 0 ? thousands - 1 : thousands
      bytes.append(bigEndian: UInt64(Int64(microseconds) + (1 << 58)) << 5)
      bytes.append(bigEndian: UInt64(nanoseconds - microseconds * 1000))
    case .text(let text):
      for byte in text.string.utf8 {
        bytes.append(byte)
        if byte == 0 { bytes.append(0xFF) }
      }
      bytes += [0, 1]
    case .missing: break
    }
    if !descending { return }
    for index in start..<bytes.count { bytes[index] = ~bytes[index] }
  }
}

extension FilterNumber {
  fileprivate func encode(into bytes: inout [UInt8]) {
    let (double, integer): (Double, Int64)
    switch self {
    case .integer(let number): (double, integer) = (Double(number), number)
    case .double(let number): (double, integer) = (number, 0)
    }
    let bits = double.bitPattern
    bytes.append(bigEndian: bits >> 63 == 1 ? ~bits : bits | 1 << 63)
    // Of a double and an integer with the same nearest double, 2^63, the double is greater.
    if case .double = self { bytes.append(1) } else { bytes.append(0) }
    bytes.append(bigEndian: UInt64(bitPattern: integer) ^ 1 << 63)
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian number: UInt64) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}

extension DatasetOrder {
  // members     their number, varint, and for each: descending u8, nameLength varint, name UTF-8
  // sections    u8: 0 for none, otherwise 1 more than the part's position among year, month, day
  //             and, first, value; then descending u8, name and style, with lengths

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(members.count)
    for member in members {
      writer.writeUInt8(member.descending ? 1 : 0)
      writer.write(text: member.by)
    }
    guard let sections, let part = Sections.Part.allCases.firstIndex(of: sections.part) else {
      return writer.writeUInt8(0)
    }
    writer.writeUInt8(UInt8(part + 1))
    writer.writeUInt8(sections.descending ? 1 : 0)
    writer.write(text: sections.by)
    writer.write(text: sections.style ?? "")
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    self.init([])
    for _ in 0..<(try reader.readCount(limit: Self.membersMax)) {
      let descending = try reader.readUInt8() == 1
      members.append(
        Member(by: try reader.readText(limit: Limits.nameBytesMax), descending: descending))
    }
    let part = Int(try reader.readUInt8())
    if part == 0 { return }
    guard part <= Sections.Part.allCases.count else { throw reader.malformed("part of a section") }
    let descending = try reader.readUInt8() == 1
    let name = try reader.readText(limit: Limits.nameBytesMax)
    let style = try reader.readText(limit: Limits.nameBytesMax)
    sections = Sections(
      by: name, part: Sections.Part.allCases[part - 1], descending: descending,
      style: style.isEmpty ? nil : style)
  }
}
