import CollectionLayout
import LayoutGeometry
import SumTree

extension ResolvedOperation {
  // kind  u8, then by kind:
  //   0 insertItems      section, index varint, items
  //   1 deleteItems      section, index varint, count varint
  //   2 changeItem       section, index varint, layout, items (one)
  //   3 insertSection    section
  //   4 deleteSection    section, itemCount varint
  //   5 moveSection      section, to varint
  //   6 invalidateItems  section, index varint, count varint, layout
  //   7 rebalance        section, index varint, layout
  //   8 everything       layout
  //   9 continueRebalance  layout
  //  10 build
  //  11 deleteItems      section, index varint, removed items
  //  12 changeItem       section, index varint, layout, items (one), items (one, as before)
  //  13 deleteSection    section, removed items
  //  14 one with data    section, kind u8: 0, 11, 13 or 17, its fields after the section, data
  //  15 changeData       section, index varint, key, data (of one), data (as before)
  //  16 changeData       section, index varint, key, data (of one)
  //  17 insertItems      as 0: a move of the item that the previous operation removed
  //  18 undo
  //  19 mark             sourceLength varint, source UTF-8, positionLength varint, position
  //  20 changeSupplementary  section, layout, kind u8: 0 header, 1 footer, length, length (as
  //                     before)
  //  21 one with style   style, then the operation: 3, 4, 13, or 14 of 13
  //  22 changeStyle      section, form u8: 1 with a style + 2 with a previous one + 4 with items,
  //                     style, previous style, items, or their count varint
  // style:   styleLength varint, style UTF-8
  // length:  varint, units; 0 for none
  // key:     keyLength varint, key UTF-8
  // section: index varint, keyLength varint, key UTF-8
  // layout:  the layout's id varint; 0 for all
  // items:   as in a leaf of the item tree
  // data:    as in a leaf of the data tree, of those items

  func encode(into writer: inout ByteWriter) {
    switch self {
    case .insertItems(let run, let index, let section, let isMove):
      section.encode(kind: isMove ? 17 : 0, ofItemsWith: run.data, into: &writer)
      writer.writeCount(index)
      run.encode(into: &writer)
    case .deleteItems(let range, let section, let removed?):
      section.encode(kind: 11, ofItemsWith: removed.data, into: &writer)
      writer.writeCount(range.lowerBound)
      removed.encode(into: &writer)
    case .deleteItems(let range, let section, nil):
      section.encode(kind: 1, into: &writer)
      Self.encode(range, into: &writer)
    case .changeItem(let run, let index, let section, let layout, let previous):
      section.encode(kind: previous == nil ? 2 : 12, into: &writer)
      writer.writeCount(index)
      Self.encode(layout: layout, into: &writer)
      run.encode(into: &writer)
      previous?.encode(into: &writer)
    case .changeData(let run, let key, let index, let section, let previous):
      section.encode(kind: previous == nil ? 16 : 15, into: &writer)
      writer.writeCount(index)
      writer.write(key: key)
      run.leaf.encode(into: &writer)
      previous?.leaf.encode(into: &writer)
    case .changeSupplementary(let kind, let section, let layout, let length, let previous):
      section.encode(kind: 20, into: &writer)
      Self.encode(layout: layout, into: &writer)
      writer.writeUInt8(kind == .header ? 0 : 1)
      for length in [length, previous] { writer.writeVarint(UInt64((length ?? .zero).units)) }
    case .insertSection(let section, let style):
      writer.write(style: style)
      section.encode(kind: 3, into: &writer)
    case .deleteSection(let section, _, let removed?, let style):
      writer.write(style: style)
      section.encode(kind: 13, ofItemsWith: removed.data, into: &writer)
      removed.encode(into: &writer)
    case .changeStyle(let section, let change):
      section.encode(kind: 22, into: &writer)
      change.encode(into: &writer)
    case .deleteSection(let section, let itemCount, nil, let style):
      writer.write(style: style)
      section.encode(kind: 4, into: &writer)
      writer.writeCount(itemCount)
    case .moveSection(let section, let target):
      section.encode(kind: 5, into: &writer)
      writer.writeCount(target)
    case .invalidateItems(let range, let section, let layout):
      section.encode(kind: 6, into: &writer)
      Self.encode(range, into: &writer)
      Self.encode(layout: layout, into: &writer)
    case .rebalance(let item, let section, let layout):
      section.encode(kind: 7, into: &writer)
      writer.writeCount(item)
      Self.encode(layout: layout, into: &writer)
    case .everything(let layout):
      writer.writeUInt8(8)
      Self.encode(layout: layout, into: &writer)
    case .continueRebalance(let layout):
      writer.writeUInt8(9)
      Self.encode(layout: layout, into: &writer)
    case .build: writer.writeUInt8(10)
    case .undo: writer.writeUInt8(18)
    case .mark(let source, let position):
      writer.writeUInt8(19)
      for name in [source, position] {
        writer.writeCount(name.utf8.count)
        writer.writeBytes(name.utf8)
      }
    }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    var kind = try reader.readUInt8()
    if kind == 8 || kind == 9 {
      let layout = try Self.oneLayout(from: &reader)
      self = kind == 8 ? .everything(layout: layout) : .continueRebalance(layout: layout)
      return
    }
    if kind == 10 || kind == 18 {
      self = kind == 10 ? .build : .undo
      return
    }
    if kind == 19 {
      let source = try reader.readKey()
      self = .mark(source: source, position: try reader.readKey())
      return
    }
    var style: String?
    if kind == 21 {
      style = try reader.readKey()
      kind = try reader.readUInt8()
      guard [3, 4, 13, 14].contains(kind) else { throw reader.malformed("kind with style") }
    }
    let section = try SectionReference(from: &reader)
    let hasData = kind == 14
    if hasData {
      kind = try reader.readUInt8()
      guard kind == 13 || style == nil && [0, 11, 17].contains(kind) else {
        throw reader.malformed("kind with data")
      }
    }
    switch kind {
    case 0, 17:
      let index = try Self.item(from: &reader)
      let run = try ItemRun(from: &reader, hasData: hasData)
      self = .insertItems(run, index: index, section: section, isMove: kind == 17)
    case 1:
      self = .deleteItems(try Self.range(from: &reader), section: section)
    case 2, 12:
      let index = try Self.item(from: &reader)
      let layout = try Self.layout(from: &reader)
      let run = try Self.items(from: &reader)
      guard run.count == 1 else { throw reader.malformed("changed items") }
      let previous = kind == 12 ? try Self.items(from: &reader) : nil
      guard previous?.count ?? 1 == 1 else { throw reader.malformed("changed items") }
      self = .changeItem(
        run, index: index, section: section, layout: layout, previous: previous)
    case 3: self = .insertSection(section, style: style)
    case 4:
      self = .deleteSection(section, itemCount: try Self.item(from: &reader), style: style)
    case 5:
      self = .moveSection(
        from: section, to: try reader.readCount(limit: Limits.sectionsMax))
    case 6:
      let range = try Self.range(from: &reader)
      self = .invalidateItems(
        range, section: section, layout: try Self.oneLayout(from: &reader))
    case 7:
      let item = try Self.item(from: &reader)
      self = .rebalance(
        from: item, section: section, layout: try Self.oneLayout(from: &reader))
    case 11:
      let index = try Self.item(from: &reader)
      let removed = try ItemRun(from: &reader, hasData: hasData)
      self = .deleteItems(index..<(index + removed.count), section: section, removed: removed)
    case 13:
      let removed = try ItemRun(from: &reader, hasData: hasData)
      self = .deleteSection(section, itemCount: removed.count, removed: removed, style: style)
    case 15, 16:
      let index = try Self.item(from: &reader)
      let key = try reader.readKey()
      let run = try ItemDataRun(of: 1, from: &reader)
      self = .changeData(
        run, key: key, index: index, section: section,
        previous: kind == 15 ? try ItemDataRun(of: 1, from: &reader) : nil)
    case 20:
      let layout = try Self.oneLayout(from: &reader)
      let kind = try reader.readUInt8()
      guard kind <= 1 else { throw reader.malformed("supplementary element") }
      self = .changeSupplementary(
        kind == 0 ? .header : .footer, section: section, layout: layout,
        length: try reader.readSide().ifPositive, previous: try reader.readSide().ifPositive)
    case 22: self = .changeStyle(section, try StyleChange(from: &reader))
    default: throw reader.malformed("operation kind")
    }
  }

  private static func encode(_ range: Range<Int>, into writer: inout ByteWriter) {
    writer.writeCount(range.lowerBound)
    writer.writeCount(range.count)
  }

  private static func encode(layout: Int64?, into writer: inout ByteWriter) {
    writer.writeVarint(UInt64(layout ?? 0))
  }

  fileprivate static func item(from reader: inout ByteReader) throws(ByteError) -> Int {
    try reader.readCount(limit: Limits.itemsMax)
  }

  private static func range(from reader: inout ByteReader) throws(ByteError) -> Range<Int> {
    let start = try item(from: &reader)
    return start..<(start + (try item(from: &reader)))
  }

  /// Reads items, which have no label outside a leaf of a tree.
  fileprivate static func items(from reader: inout ByteReader) throws(ByteError) -> ItemLeaf {
    let items = try ItemLeaf(from: &reader)
    guard items.label == 0 else { throw reader.malformed("label") }
    return items
  }

  private static func layout(from reader: inout ByteReader) throws(ByteError) -> Int64? {
    let id = Int64(try reader.readCount(limit: .max))
    return id == 0 ? nil : id
  }

  private static func oneLayout(from reader: inout ByteReader) throws(ByteError) -> Int64 {
    guard let id = try layout(from: &reader) else { throw reader.malformed("layout") }
    return id
  }
}

extension StyleChange {
  fileprivate func encode(into writer: inout ByteWriter) {
    writer.writeUInt8((style == nil ? 0 : 1) + (previous == nil ? 0 : 2) + (items == nil ? 0 : 4))
    for style in [style, previous].compactMap(\.self) { writer.write(key: style) }
    if let items { items.encode(into: &writer) } else { writer.writeCount(itemCount) }
  }

  fileprivate init(from reader: inout ByteReader) throws(ByteError) {
    let form = try reader.readUInt8()
    guard form < 8 else { throw reader.malformed("form of a style") }
    style = form & 1 == 0 ? nil : try reader.readKey()
    previous = form & 2 == 0 ? nil : try reader.readKey()
    if form & 4 == 0 {
      items = nil
      itemCount = try ResolvedOperation.item(from: &reader)
    } else {
      let items = try ResolvedOperation.items(from: &reader)
      (self.items, itemCount) = (items, items.count)
    }
  }
}

extension SectionReference {
  fileprivate func encode(kind: UInt8, into writer: inout ByteWriter) {
    writer.writeUInt8(kind)
    writer.writeCount(index)
    writer.write(key: key)
  }

  /// - Parameter kind: The kind of the operation for items without data.
  fileprivate func encode(
    kind: UInt8, ofItemsWith data: ItemDataRun, into writer: inout ByteWriter
  ) {
    guard !data.isEmpty else { return encode(kind: kind, into: &writer) }
    encode(kind: 14, into: &writer)
    writer.writeUInt8(kind)
  }

  fileprivate init(from reader: inout ByteReader) throws(ByteError) {
    index = try reader.readCount(limit: Limits.sectionsMax)
    key = try reader.readKey()
  }
}

extension ItemRun {
  fileprivate func encode(into writer: inout ByteWriter) {
    items.encode(into: &writer)
    if !data.isEmpty { data.leaf.encode(into: &writer) }
  }

  fileprivate init(from reader: inout ByteReader, hasData: Bool) throws(ByteError) {
    let items = try ResolvedOperation.items(from: &reader)
    self.init(items, hasData ? try ItemDataRun(of: items.count, from: &reader) : nil)
  }
}

extension ByteWriter {
  /// Appends the style of an operation on a section that has one.
  fileprivate mutating func write(style: String?) {
    guard let style else { return }
    writeUInt8(21)
    write(key: style)
  }

  fileprivate mutating func write(key: String) {
    writeCount(key.utf8.count)
    writeBytes(key.utf8)
  }
}
