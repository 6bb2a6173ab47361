package import LayoutCache
import LayoutGeometry
package import SumTree

// Operations as a client states them, with their keys and names.
//
// operations       count as varint, and for each: u8, as below, then its values as declared; the u8
//                  of a mark includes the expectation's case
//
// text             length as varint, UTF-8: keys, names, kinds, positions of marks
// number           signed varint: indices, and lengths in units; a size is two
// flag             u8: 0 or 1; of missing keys and items 1 if they are ignored or kept
// optional         flag, then the value if 1
// list             count as varint, then the values
// visibility       u8: its raw value
// data             text: the JSON
// item             key, size, column span as varint, visibility, optional data
// upserted item    key, size, optional span, u8: 0 or visibility + 1, flag: optional data follow
// measured length  key, optional length, optional cross length
// matched section  key, optional style, list of items
// destination      u8: 0 end, 1 index, 2 before, 3 after, 4 ordered; then its values

extension ByteWriter {
  /// Appends operations, to be read by ``ByteReader/readOperations()``.
  package mutating func write(_ operations: [BatchOperation]) {
    write(list: operations) { $0.write($1) }
  }

  private mutating func write(_ operation: BatchOperation) {
    switch operation {
    case .insert(let items, let destination):
      write(kind: 0)
      write(list: items) { $0.write($1) }
      write(destination)
    case .delete(let keys, let missing): write(kind: 1, lists: keys, flags: missing == .ignore)
    case .upsert(let items, let section, let moving):
      write(kind: 2)
      write(list: items) { $0.write($1) }
      write(optional: section)
      write(flag: moving)
    case .move(let key, let destination):
      write(kind: 3, key)
      write(destination)
    case .resize(let key, let size, let columnSpan):
      write(kind: 4, key)
      write(size)
      write(optional: columnSpan.map { Int64($0) })
    case .hide(let keys, let visibility):
      write(kind: 5, lists: keys)
      writeUInt8(visibility.rawValue)
    case .prefer(let layout, let key, let length, let crossLength):
      write(kind: 6, layout, key)
      write(optional: length?.units)
      write(optional: crossLength?.units)
    case .preferLengths(let layout, let lengths, let missing):
      write(kind: 7, layout)
      write(list: lengths) { writer, measured in
        writer.write(text: measured.key)
        writer.write(optional: measured.length?.units)
        writer.write(optional: measured.crossLength?.units)
      }
      write(flag: missing == .ignore)
    case .resetLengths(let layout): write(kind: 8, layout)
    case .preferSupplementary(let layout, let kind, let section, let length):
      write(kind: 9, layout, kind.rawValue, section)
      write(optional: length?.units)
    case .data(let key, let data): write(kind: 10, key, optional: data?.json)
    case .insertSection(let key, let index, let style):
      write(kind: 11, key)
      write(optional: index.map { Int64($0) })
      write(optional: style)
    case .style(let section, let style): write(kind: 12, section, optional: style)
    case .deleteSection(let key, let missing): write(kind: 13, key, flags: missing == .ignore)
    case .moveSection(let key, let index):
      write(kind: 14, key)
      writeSignedVarint(Int64(index))
    case .invalidate(let layout, let items, let sections, let everything):
      write(kind: 15, layout, lists: items, sections, flags: everything)
    case .invalidateElements(let layout, let kinds, let sections):
      write(kind: 16, layout, lists: kinds, sections)
    case .rebalance(let layout, let section, let item):
      write(kind: 17, layout, optional: section, item)
    case .match(let sections, let missing):
      write(kind: 18)
      write(list: sections) { writer, section in
        writer.write(text: section.key)
        writer.write(optional: section.style)
        writer.write(list: section.items) { $0.write($1) }
      }
      write(flag: missing == .keep)
    case .mark(let source, let position, .any): write(kind: 19, source, position)
    case .mark(let source, let position, .none): write(kind: 20, source, position)
    case .mark(let source, let position, .position(let last)):
      write(kind: 21, source, position, last)
    }
  }

  private mutating func write(_ item: Item) {
    write(text: item.key)
    write(item.size)
    writeCount(item.columnSpan)
    writeUInt8(item.visibility.rawValue)
    write(optional: item.data?.json)
  }

  private mutating func write(_ item: UpsertedItem) {
    write(text: item.key)
    write(item.size)
    write(optional: item.columnSpan.map { Int64($0) })
    writeUInt8(item.visibility.map { $0.rawValue + 1 } ?? 0)
    switch item.data {
    case .none: writeUInt8(0)
    case .set(let data): write(kind: 1, optional: data.json)
    case .remove: write(kind: 1, optional: nil)
    }
  }

  private mutating func write(optional text: String?) {
    write(flag: text != nil)
    if let text { write(text: text) }
  }

  private mutating func write(_ destination: ItemDestination) {
    switch destination {
    case .end(let section): write(kind: 0, section)
    case .index(let index, let section):
      write(kind: 1)
      writeSignedVarint(Int64(index))
      write(text: section)
    case .before(let key): write(kind: 2, key)
    case .after(let key): write(kind: 3, key)
    case .ordered: writeUInt8(4)
    }
  }

  private mutating func write(_ size: Size) {
    writeSignedVarint(size.width.units)
    writeSignedVarint(size.height.units)
  }

  private mutating func write(optional number: Int64?) {
    write(flag: number != nil)
    if let number { writeSignedVarint(number) }
  }

  private mutating func write(flag: Bool) { writeUInt8(flag ? 1 : 0) }

  private mutating func write(
    kind: UInt8, _ texts: String..., lists: [String]..., optional: String?..., flags: Bool...
  ) {
    writeUInt8(kind)
    for text in texts { write(text: text) }
    for list in lists { write(list: list) { $0.write(text: $1) } }
    for text in optional { write(optional: text) }
    for flag in flags { write(flag: flag) }
  }

  private mutating func write<Value>(list: [Value], _ body: (inout ByteWriter, Value) -> Void) {
    writeCount(list.count)
    for value in list { body(&self, value) }
  }
}

extension ByteReader {
  /// Reads operations. Items and data are checked against ``Limits``. Other keys and names are not:
  /// a batch may contain any, and is rejected when it is applied.
  ///
  /// - Throws: `ByteError`.
  package mutating func readOperations() throws -> [BatchOperation] {
    try readList(sizeMin: 2) { try $0.readOperation() }
  }

  private mutating func readOperation() throws -> BatchOperation {
    switch try readUInt8() {
    case 0: try .insert(readList(sizeMin: 7) { try $0.readItem() }, at: readDestination())
    case 1: try .delete(keys: readTexts(), missing: readMissingKeys())
    case 2:
      try .upsert(
        readList(sizeMin: 7) { try $0.readUpsertedItem() }, section: readOptionalText(),
        moving: readFlag())
    case 3: try .move(key: readText(), to: readDestination())
    case 4: try .resize(key: readText(), size: readSize(), columnSpan: readOptionalIndex())
    case 5: try .hide(keys: readTexts(), readVisibility())
    case 6:
      try .prefer(
        layout: readText(), key: readText(), length: readOptionalLength(),
        crossLength: readOptionalLength())
    case 7:
      try .preferLengths(
        layout: readText(), readList(sizeMin: 3) { try $0.readMeasuredLength() },
        missing: readMissingKeys())
    case 8: try .resetLengths(layout: readText())
    case 9:
      try .preferSupplementary(
        layout: readText(), kind: LayoutAttributes.SupplementaryKind(rawValue: readText()),
        section: readText(), length: readOptionalLength())
    case 10: try .data(key: readText(), readOptionalData())
    case 11:
      try .insertSection(key: readText(), index: readOptionalIndex(), style: readOptionalText())
    case 12: try .style(section: readText(), style: readOptionalText())
    case 13: try .deleteSection(key: readText(), missing: readMissingKeys())
    case 14: try .moveSection(key: readText(), index: readIndex())
    case 15:
      try .invalidate(
        layout: readText(), items: readTexts(), sections: readTexts(), everything: readFlag())
    case 16:
      try .invalidateElements(layout: readText(), kinds: readTexts(), sections: readTexts())
    case 17:
      try .rebalance(layout: readText(), section: readOptionalText(), from: readOptionalText())
    case 18:
      try .match(
        readList(sizeMin: 3) { try $0.readSection() }, missing: readFlag() ? .keep : .remove)
    case 19: try .mark(source: readText(), position: readText(), after: .any)
    case 20: try .mark(source: readText(), position: readText(), after: .none)
    case 21: try .mark(source: readText(), position: readText(), after: .position(readText()))
    default: throw malformed("an unknown operation")
    }
  }

  private mutating func readItem() throws -> Item {
    let (key, size) = (try readText(), try readSize())
    let columnSpan = try readCount(limit: Limits.columnSpanMax)
    let (visibility, data) = (try readVisibility(), try readOptionalData())
    return try checked {
      // Valid lengths are exact in points.
      try Item(
        key: key, width: size.width.points, height: size.height.points, columnSpan: columnSpan,
        data: data, visibility: visibility)
    }
  }

  private mutating func readUpsertedItem() throws -> UpsertedItem {
    let (key, size, columnSpan) = (try readText(), try readSize(), try readOptionalIndex())
    let visibility = try skip(0) ? nil : readVisibility(first: 1)
    let changesData = try readFlag()
    let data = changesData ? try readOptionalData() : nil
    return try checked {
      try UpsertedItem(
        key: key, width: size.width.points, height: size.height.points, columnSpan: columnSpan,
        data: data.map { .set($0) } ?? (changesData ? .remove : .none), visibility: visibility)
    }
  }

  private mutating func readOptionalText() throws -> String? { try readFlag() ? readText() : nil }

  private mutating func readDestination() throws -> ItemDestination {
    switch try readUInt8() {
    case 0: try .end(section: readText())
    case 1: try .index(readIndex(), section: readText())
    case 2: try .before(readText())
    case 3: try .after(readText())
    case 4: .ordered
    default: throw malformed("an unknown destination")
    }
  }

  private mutating func readMeasuredLength() throws -> MeasuredLength {
    try MeasuredLength(
      key: readText(), length: readOptionalLength(), crossLength: readOptionalLength())
  }

  private mutating func readSection() throws -> MatchedSection {
    try MatchedSection(
      key: readText(), style: readOptionalText(), items: readList(sizeMin: 7) { try $0.readItem() })
  }

  /// - Parameter first: The code of the first visibility.
  private mutating func readVisibility(first: UInt8 = 0) throws -> ItemVisibility {
    guard let visibility = ItemVisibility(rawValue: try readUInt8() &- first) else {
      throw malformed("an unknown visibility")
    }
    return visibility
  }

  private mutating func readData() throws -> ItemData {
    let json = try readText()
    let data = try checked { try ItemData(json: json) }
    guard data.json.isExactly(json) else { throw malformed("white space in data") }
    return data
  }

  /// Returns a value whose initialiser checks what it is given.
  func checked<Value>(_ create: () throws -> Value) throws -> Value {
    do { return try create() } catch { throw malformed("\(error)") }
  }

  private mutating func readFlag() throws -> Bool {
    let flag = try readUInt8()
    guard flag <= 1 else { throw malformed("a flag other than 0 and 1") }
    return flag == 1
  }

  private mutating func readSize() throws -> Size {
    try Size(width: readLength(), height: readLength())
  }

  private mutating func readTexts() throws -> [String] {
    try readList(sizeMin: 1) { try $0.readText() }
  }

  private mutating func readText() throws -> String { try readText(limit: .max) }
  private mutating func readIndex() throws -> Int { Int(try readSignedVarint()) }
  private mutating func readLength() throws -> Length { Length(units: try readSignedVarint()) }
  private mutating func readMissingKeys() throws -> MissingKeys { try readFlag() ? .ignore : .fail }
  private mutating func readOptionalData() throws -> ItemData? { try readFlag() ? readData() : nil }
  private mutating func readOptionalIndex() throws -> Int? { try readFlag() ? readIndex() : nil }
  private mutating func readOptionalLength() throws -> Length? {
    try readFlag() ? readLength() : nil
  }

  private mutating func readList<Value>(
    sizeMin: Int, _ read: (inout ByteReader) throws -> Value
  ) throws -> [Value] {
    var list: [Value] = []
    for _ in 0..<(try readCount(limit: .max, sizeMin: sizeMin)) { list.append(try read(&self)) }
    return list
  }
}
